import * as z from 'zod';
import { channelMembers, nameEachKind } from '#shared/channels/channel-answers.ts';
import { eachKind } from '#shared/channels/channel-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { MOMENT, MomentText, ofList, UnreadableEntries } from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';

export const StandingAnswer = eachKind({
  id: Identifier,
  state: z.enum(['working', 'pending', 'failing', 'off', 'gone']),
  reason: z.string().nullable(),
  since: MomentText.nullable(),
  lastSuccess: MomentText.nullable(),
  waiting: z.int().min(0).max(100),
});
export type StandingAnswer = Answered<typeof StandingAnswer>;

output('ChannelStanding', StandingAnswer, 'A channel with its state.');
nameEachKind(
  StandingAnswer,
  'output',
  'Standing',
  {
    ...channelMembers,
    state:
      '`working`: no failure is known. `pending`: its subscription is not confirmed, or its challenge not answered. `failing`: its last message failed, and is retried for a day. `off`: its service answered that its address is gone, and it receives nothing until its address changes or a test succeeds. `gone`: its subscription has ended.',
    reason: 'The reason for that state; null without one.',
    since: `The beginning of that state, if known: ${MOMENT}.`,
    lastSuccess: `When it last accepted a message: ${MOMENT}; null if never.`,
    waiting: 'The number of alerts that wait for it; 100 means 100 or more.',
  },
  ', with its state',
);

export const ChannelList = object('ChannelList', 'The channels of a list.', {
  channels: [z.array(StandingAnswer), 'The channels with their states, in the order of the list.'],
  undeliverable: [z.boolean(), 'Whether no channel is `working`; true also without channels.'],
  unreadable: [
    UnreadableEntries,
    'The channels whose state this version of the stack cannot read.',
  ],
});
export type ChannelList = Answered<typeof ChannelList>;

export const ChannelOfList = object('ChannelOfList', 'One channel of a list, with its state.', {
  channel: [StandingAnswer, 'The channel.'],
  ...ofList,
});
export type ChannelOfList = Answered<typeof ChannelOfList>;

export const ChannelTest = object('ChannelTest', 'A test alert that was sent.', {
  id: [z.string(), 'The id of the alert, whose kind is `test`.'],
  self: [z.string(), 'The path of the alert, which has its delivery.'],
});
export type ChannelTest = Answered<typeof ChannelTest>;
