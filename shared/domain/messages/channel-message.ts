import * as z from 'zod';
import { Sink } from '#shared/domain/channels/sink.ts';

/** Something waits in the inbox of a sink; all of a sink's are handled one by one, in order. */
export const ChannelMessage = z.object({ sink: Sink });
export type ChannelMessage = z.output<typeof ChannelMessage>;
