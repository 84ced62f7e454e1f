import * as z from 'zod';
import { Sink } from '#shared/domain/channels/sink.ts';

/**
 * Something waits in the inbox of a sink. Messages of one sink, or of one lane, are handled one by
 * one, in order.
 */
export const ChannelMessage = z.object({ sink: Sink, lane: z.string().exactOptional() });
export type ChannelMessage = z.output<typeof ChannelMessage>;
