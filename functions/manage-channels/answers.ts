import * as z from 'zod';
import { channelMembers, nameEachKind } from '#shared/channels/channel-answers.ts';
import { eachKind } from '#shared/channels/channel-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { MOMENT, MomentText, ofList, UnreadableEntries } from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';

export const ChannelStatusAnswer = eachKind({
  id: Identifier,
  state: z.enum(['working', 'pending', 'failing', 'off', 'gone']),
  reason: z.string().nullable(),
  since: MomentText.nullable(),
  lastSuccess: MomentText.nullable(),
  waiting: z.int().min(0).max(100),
});
export type ChannelStatusAnswer = Answered<typeof ChannelStatusAnswer>;

output('ChannelStatus', ChannelStatusAnswer, 'A channel with its state.');
nameEachKind(
  ChannelStatusAnswer,
  'output',
  'Status',
  {
    ...channelMembers,
    state:
      '`working`: no failures. `pending`: the subscription is not confirmed, or the webhook has not answered the challenge. `failing`: the last message failed, and is retried for a day. `off`: the service reported that the address no longer exists. Nothing is sent until the address changes or a test succeeds. `gone`: the subscription has ended.',
    reason: 'The reason for the state; null if there is none.',
    since: `The time at which the channel entered this state, if known: ${MOMENT}.`,
    lastSuccess: `The time of the last accepted message: ${MOMENT}; null if no message was accepted yet.`,
    waiting:
      'The number of alerts that are waiting to be sent to the channel; 100 means 100 or more.',
  },
  ', with its state',
);

export const ChannelList = object('ChannelList', 'The channels of a list.', {
  channels: [
    z.array(ChannelStatusAnswer),
    'The channels with their states, in the order of the list.',
  ],
  undeliverable: [z.boolean(), 'True if no channel is `working`, or if the list has no channels.'],
  unreadable: [
    UnreadableEntries,
    'The channels whose state this version of the stack cannot read.',
  ],
});
export type ChannelList = Answered<typeof ChannelList>;

export const ChannelOfList = object('ChannelOfList', 'One channel of a list, with its state.', {
  channel: [ChannelStatusAnswer, 'The channel.'],
  ...ofList,
});
export type ChannelOfList = Answered<typeof ChannelOfList>;

export const ChannelTest = object('ChannelTest', 'A test alert that was sent.', {
  id: [z.string(), 'The id of the alert, whose kind is `test`.'],
  self: [z.string(), 'The path of the alert with its delivery.'],
});
export type ChannelTest = Answered<typeof ChannelTest>;
