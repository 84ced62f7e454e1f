import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';

/**
 * Something waits in the inbox of a destination. Messages of one destination, or of one partition,
 * are handled one by one, in order.
 */
export const ChannelMessage = z.object({
  destinationId: DestinationId,
  partition: z.string().exactOptional(),
});
export type ChannelMessage = z.output<typeof ChannelMessage>;

/** The message for a destination; without a partition it has a message group of its own. */
export function channelMessage(
  destinationId: DestinationId,
  partition: string | undefined,
): ChannelMessage {
  return partition === undefined ? { destinationId } : { destinationId, partition };
}
