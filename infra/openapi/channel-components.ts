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

const SECRET =
  'A secret: answers show `kept:…` instead, and a request with that text keeps the secret.';

const KINDS: { readonly [Name in Kind]: KindWords<Extract<ChannelBody, { kind: Name }>> } = {
  email: {
    ...{ name: 'Email', is: 'An email address' },
    members: { to: 'The address. SNS asks its owner once to confirm.' },
  },
  sqs: {
    ...{ name: 'Sqs', is: 'A queue', also: "; the alert's JSON is the body" },
    members: {
      queue:
        'The ARN of a standard queue. Its policy must allow the topics of the stack to send to it.',
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
    ...{ name: 'Webhook', is: 'A server that receives each alert', also: ', signed' },
    members: {
      url: 'A public https URL, usually at port 443 or 8443. Before its first alert it receives `{"type": "challenge", "challenge": "…"}`, signed like an alert, and must answer with the text of `challenge`, or with an object with that member.',
      secrets:
        'One or two signing secrets, as in Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes. Answers show `kept:…` instead, and a request with that text keeps the secret, unless the URL moves to another host. During a rotation there are two, and both sign.',
    },
  },
};

const standingMembers = {
  state:
    '`working`: no failure is known. `pending`: its subscription is not confirmed, or its challenge not answered. `failing`: its last message failed, and is retried for a day. `off`: it answered 410, and receives nothing until its URL changes or a test succeeds. `gone`: its subscription has ended.',
  reason: 'The reason for that state; null without one.',
  since: `The beginning of that state, if known: ${MOMENT}.`,
  lastSuccess: `When it last accepted a message: ${MOMENT}; null if never.`,
  waiting: 'The number of alerts that wait for it; 100 means 100 or more.',
} as const;

const kind = 'The kind of channel.';
const written = {
  id: 'The id of the channel within its list; generated (`channel-1`, …) if left out.',
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

/** Channels as they are written, as they are read, and with their states. */
export const channelComponents: readonly Component[] = [
  input('ChannelInput', ChannelBody, 'A destination of the alerts of a list, in a request.'),
  ...ofEachKind(ChannelBody, 'input', 'Input', written),
  output(
    'Channel',
    ChannelAnswer,
    'A destination of the alerts of a list; secrets are shown as `kept:…`.',
  ),
  ...ofEachKind(ChannelAnswer, 'output', '', members),
  output('ChannelStanding', StandingAnswer, 'A channel with its state.'),
  ...ofEachKind(
    StandingAnswer,
    'output',
    'Standing',
    { ...members, ...standingMembers },
    ', with its state',
  ),
  output('ChannelList', ChannelList, 'The channels of a list.', {
    channels: 'The channels with their states, in the order of the list.',
    undeliverable: 'Whether no channel is `working`; true also without channels.',
    unreadable: 'The channels whose state this version of the stack cannot read.',
  }),
  output('ChannelOfList', ChannelOfList, 'One channel of a list, with its state.', {
    channel: 'The channel.',
    ...ofListMembers,
  }),
  output('ChannelTest', TestAnswer, 'A test alert that was sent.', {
    id: 'The id of the alert, whose kind is `test`.',
    self: 'The path of the alert, which has its delivery.',
  }),
  input('ConfirmationInput', ConfirmationBody, 'The link of a confirmation mail.', {
    link: 'The link from the mail of SNS. It is parsed, and never opened.',
  }),
];
