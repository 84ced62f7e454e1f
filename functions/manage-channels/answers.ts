import * as z from 'zod';
import { eachKind } from '#shared/channels/channel-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { MomentText, UnreadableAnswer } from '#shared/http/answer-shapes.ts';

/*
 * The answers of `manage-channels`. The OpenAPI document is generated from these schemas, and tests
 * check each answer against them; the function itself does not use them.
 */

const standing = {
  id: Identifier,
  state: z.enum(['working', 'pending', 'failing', 'off', 'gone']),
  reason: z.string().nullable(),
  since: MomentText.nullable(),
  lastSuccess: MomentText.nullable(),
  waiting: z.int().min(0).max(100),
};

export const StandingAnswer = eachKind(standing);

export const ChannelList = z.strictObject({
  channels: z.array(StandingAnswer),
  undeliverable: z.boolean(),
  unreadable: z.array(UnreadableAnswer),
});

export const ChannelOfList = z.strictObject({
  channel: StandingAnswer,
  revision: z.int().positive(),
  pendingChanges: z.int().min(0),
});

export const TestAnswer = z.strictObject({ id: z.string(), self: z.string() });
