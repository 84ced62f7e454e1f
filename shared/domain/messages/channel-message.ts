import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';

/**
 * Starts the worker of a destination, because its inbox may have alerts to send. The messages of a
 * destination or partition are processed one by one, in order.
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
