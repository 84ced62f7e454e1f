import {
  ChannelList,
  ChannelOfList,
  StandingAnswer,
  TestAnswer,
} from '#functions/manage-channels/answers.ts';
import { ConfirmationBody } from '#functions/manage-channels/requests.ts';
import { ChannelAnswer } from '#functions/manage-watchlists/answers.ts';
import type { Kind } from '#shared/channels/channel.ts';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { type Component, input, MOMENT, ofListMembers, output } from './component.ts';

/** The words of a kind; a kind or a member without them does not compile. */
type KindWords<Body> = {
  /** Begins the names of its schemas. */
  readonly name: string;
  readonly is: string;
  readonly also?: string;
  readonly members: { readonly [Member in Exclude<keyof Body, 'id' | 'kind'>]: string };
};

const SECRET = 'A secret: answers show `kept:…` in its place, and a request with that keeps it.';

const KINDS: { readonly [Name in Kind]: KindWords<Extract<ChannelBody, { kind: Name }>> } = {
  email: {
    ...{ name: 'Email', is: 'An email address' },
    members: { to: 'The address. SNS asks its owner once to confirm.' },
  },
  sqs: {
    ...{ name: 'Sqs', is: 'A queue', also: "; the alert's JSON is the body" },
    members: {
      queue: 'The ARN of a standard queue, which has to let the topics of the stack send to it.',
    },
  },
  slack: {
    ...{ name: 'Slack', is: 'A channel of Slack' },
    members: {
      url: `The incoming webhook of Slack. ${SECRET}`,
    },
  },
  discord: {
    ...{ name: 'Discord', is: 'A channel of Discord' },
    members: {
      url: `The webhook of Discord. ${SECRET}`,
    },
  },
  webhook: {
    ...{ name: 'Webhook', is: 'A server that gets each alert', also: ', signed' },
    members: {
      url: 'A public https URL, usually at port 443 or 8443. Before its first alert it receives `{"type": "challenge", "challenge": "…"}`, signed like an alert, and answers with the text of `challenge`, or with an object with that member.',
      secrets:
        'One or two signing secrets after Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes. Answers show `kept:…` in their place, and a request with that keeps them, unless the URL moves to another host. During a rotation there are two, and both sign.',
    },
  },
};

const standingMembers = {
  state:
    '`working`: no failure is known. `pending`: its subscription is not confirmed, or its challenge not answered. `failing`: its last message failed, and is retried for a day. `off`: it answered 410, and gets nothing until its URL changes or a test succeeds. `gone`: its subscription has ended.',
  reason: 'Why it is in that state; null where there is nothing to say.',
  since: `Since when, where that is known: ${MOMENT}.`,
  lastSuccess: `When it last took a message: ${MOMENT}; null where it never did.`,
  waiting: 'The number of alerts that wait for it; 100 means 100 or more.',
} as const;

const kind = 'Where it leads.';
const written = {
  id: 'The id of the channel within its list; made (`channel-1`, …) where it is left out.',
  kind,
};
const members = { id: 'The id of the channel within its list.', kind };

/** The schemas of all kinds on one occasion. */
function ofEachKind(
  { options }: typeof ChannelBody | typeof ChannelAnswer | typeof StandingAnswer,
  side: Component['side'],
  suffix: string,
  common: Readonly<Record<string, string>>,
  more?: string,
): readonly Component[] {
  return options.map((schema) => {
    const { name, is, also = '', members } = KINDS[schema.shape.kind.value];
    return {
      ...{ name: `${name}Channel${suffix}`, schema, side },
      description: `${is}${more ?? also}.`,
      members: { ...common, ...members },
    };
  });
}

/** Where the alerts of a list go: as it is written, as it is read, and how it does. */
export const channelComponents: readonly Component[] = [
  input('ChannelInput', ChannelBody, 'Where the alerts of a list go, as it is written.'),
  ...ofEachKind(ChannelBody, 'input', 'Input', written),
  output('Channel', ChannelAnswer, 'Where the alerts of a list go; secrets by their names.'),
  ...ofEachKind(ChannelAnswer, 'output', '', members),
  output('ChannelStanding', StandingAnswer, 'A channel, and how it does.'),
  ...ofEachKind(
    StandingAnswer,
    'output',
    'Standing',
    { ...members, ...standingMembers },
    ', and how it does',
  ),
  output('ChannelList', ChannelList, 'The channels of a list.', {
    channels: 'Each channel, and how it does, in the order of the list.',
    undeliverable: 'Whether none of them is `working`, also where there is none.',
    unreadable:
      'Channels of which it is not known how they do, since another version of the stack has written it.',
  }),
  output('ChannelOfList', ChannelOfList, 'One channel of a list, and how it does.', {
    channel: 'The channel.',
    ...ofListMembers,
  }),
  output('ChannelTest', TestAnswer, 'A sample that was sent.', {
    id: 'The id of the sample, an alert of kind `test`.',
    self: 'Where the alert is found, and what became of it.',
  }),
  input('ConfirmationInput', ConfirmationBody, 'The link of the mail that asks to confirm.', {
    link: 'The link from the mail of SNS. It is parsed, and never opened.',
  }),
];
