import { isPosted } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { oneOf } from '#shared/domain/shard.ts';

/**
 * The partitions (message groups) that a tenant's chats and webhooks share; each has one worker.
 * Their number is a twentieth of the maximum concurrency, so slow endpoints do not delay other
 * tenants.
 */
const PARTITIONS = 10;
/** The number of partitions for channels whose last answer was slow. */
const SLOW_PARTITIONS = 2;

/**
 * The partition of a channel to which we post over HTTP. Undefined for email and SQS, where AWS
 * responds immediately, and for the operators' Slack, which must not wait for others.
 */
export function channelPartition(
  destination: Destination,
  { isSlow = false }: Pick<ChannelRecord, 'isSlow'>,
): string | undefined {
  if (destination.kind !== 'channel') return undefined;
  const { list, channel } = destination;
  if (!isPosted(channel)) return undefined;
  const destinationId = channelDestinationId(list, channel.id);
  return isSlow
    ? `slow ${oneOf(SLOW_PARTITIONS, destinationId)} ${list.tenant}`
    : `quick ${oneOf(PARTITIONS - SLOW_PARTITIONS, destinationId)} ${list.tenant}`;
}
