import { isPosted } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { oneOf } from '#shared/domain/shard.ts';

/**
 * The lanes that a tenant's chats and webhooks share; one invocation serves a
 * lane. They are a twentieth of the invocations that may run at once, so endpoints that do not answer
 * delay no other tenant.
 */
const LANES = 10;
/** The lanes among them for channels whose last answer was slow. */
const SLOW_LANES = 2;

/**
 * The lane of a channel that answers over HTTP. Undefined for email and SQS, where AWS answers at
 * once, and for the operators' Slack, which must not wait behind others.
 */
export function laneOf(
  destination: Destination,
  { isSlow = false }: Pick<ChannelRecord, 'isSlow'>,
): string | undefined {
  if (destination.kind !== 'channel') return undefined;
  const { list, channel } = destination;
  if (!isPosted(channel)) return undefined;
  const destinationId = channelDestinationId(list, channel.id);
  return isSlow
    ? `slow ${oneOf(SLOW_LANES, destinationId)} ${list.tenant}`
    : `quick ${oneOf(LANES - SLOW_LANES, destinationId)} ${list.tenant}`;
}
