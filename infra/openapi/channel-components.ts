import * as z from 'zod';
import type { Kind } from '#shared/channels/channel.ts';
import { ChannelBody, eachKind } from '#shared/channels/channel-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { type Component, input, output, register } from './component.ts';
import { MOMENT, MomentText } from './shapes.ts';

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

export const ChannelAnswer = eachKind({ id: Identifier });

export const StandingAnswer = eachKind({
  id: Identifier,
  state: z.enum(['working', 'pending', 'failing', 'off', 'gone']),
  reason: z.string().nullable(),
  since: MomentText.nullable(),
  lastSuccess: MomentText.nullable(),
  waiting: z.int().min(0).max(100),
});

/** Names the schemas of all kinds on one occasion. */
function nameEachKind(
  { options }: typeof ChannelBody | typeof ChannelAnswer | typeof StandingAnswer,
  side: Component['side'],
  suffix: string,
  common: Readonly<Record<string, string>>,
  more?: string,
): void {
  for (const schema of options) {
    const { name: begin, is, also = '', members } = KINDS[schema.shape.kind.value];
    register({
      ...{ name: `${begin}Channel${suffix}`, schema, side },
      description: `${is}${more ?? also}.`,
      members: { ...common, ...members },
    });
  }
}

input('ChannelInput', ChannelBody, 'A destination of the alerts of a list, in a request.');
nameEachKind(ChannelBody, 'input', 'Input', written);
output(
  'Channel',
  ChannelAnswer,
  'A destination of the alerts of a list; secrets are shown as `kept:…`.',
);
nameEachKind(ChannelAnswer, 'output', '', members);
output('ChannelStanding', StandingAnswer, 'A channel with its state.');
nameEachKind(
  StandingAnswer,
  'output',
  'Standing',
  { ...members, ...standingMembers },
  ', with its state',
);
