import * as z from 'zod';
import { ChannelBody, eachKind } from '#shared/channels/channel-body.ts';
import { KINDS } from '#shared/channels/kinds.ts';
import { ListChannelBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Component, input, output, register } from '#shared/http/described.ts';

const standingMembers = {
  state:
    '`working`: no failure is known. `pending`: its subscription is not confirmed, or its challenge not answered. `failing`: its last message failed, and is retried for a day. `off`: its service answered that its address is gone, and it receives nothing until its address changes or a test succeeds. `gone`: its subscription has ended.',
  reason: 'The reason for that state; null without one.',
  since: `The beginning of that state, if known: ${MOMENT}.`,
  lastSuccess: `When it last accepted a message: ${MOMENT}; null if never.`,
  waiting: 'The number of alerts that wait for it; 100 means 100 or more.',
} as const;

const kind = 'The kind of channel.';
const written = {
  id: 'The id of the channel, within its list or among the contact points; generated (`channel-1`, …) if left out.',
  kind,
};
const members = { id: 'The id of the channel.', kind };

const ChannelAnswer = eachKind({ id: Identifier });

export const ListChannelAnswer = z.union([Identifier, ChannelAnswer]);

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
    const { name: begin, words } = KINDS[schema.shape.kind.value];
    const { is, also = '', members } = words;
    register({
      ...{ name: `${begin}Channel${suffix}`, schema, side },
      description: `${is}${more ?? also}.`,
      members: { ...common, ...members },
    });
  }
}

input('ChannelInput', ChannelBody, 'A destination of alerts, in a request.');
input(
  'ListChannelInput',
  ListChannelBody,
  'A channel of a list, in a request: a contact point of the tenant by its id, or a channel of the list alone.',
);
nameEachKind(ChannelBody, 'input', 'Input', written);
output('Channel', ChannelAnswer, 'A destination of alerts; secrets are shown as `kept:…`.');
nameEachKind(ChannelAnswer, 'output', '', members);
output(
  'ListChannel',
  ListChannelAnswer,
  'A channel of a list: the id of a contact point of the tenant, or a channel of the list alone.',
);
output('ChannelStanding', StandingAnswer, 'A channel with its state.');
nameEachKind(
  StandingAnswer,
  'output',
  'Standing',
  { ...members, ...standingMembers },
  ', with its state',
);
