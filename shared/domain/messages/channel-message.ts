import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';

/**
 * Something waits in the inbox of a destination. Messages of one destination, or of one lane, are
 * handled one by one, in order.
 */
export const ChannelMessage = z.object({
  destinationId: DestinationId,
  lane: z.string().exactOptional(),
});
export type ChannelMessage = z.output<typeof ChannelMessage>;

/** The message for a destination; without a lane it has a message group of its own. */
export function channelMessage(
  destinationId: DestinationId,
  lane: string | undefined,
): ChannelMessage {
  return lane === undefined ? { destinationId } : { destinationId, lane };
}
