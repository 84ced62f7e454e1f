import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { oneOf } from '#shared/domain/shard.ts';
import type { Destination } from './destination.ts';

/**
 * A tenth of the invocations that may run at once. Each tenant's Slack, Discord and webhook channels
 * have so many lanes, and one invocation serves a lane: endpoints that do not answer delay no other
 * tenant.
 */
const LANES = 10;
/** Of them, for channels whose last answer was slow. */
const SLOW_LANES = 2;

/**
 * The lane of a channel that answers over HTTP; undefined for what AWS takes, which answers at once,
 * and for the operators' Slack, which waits behind nobody.
 */
export function laneOf(
  destination: Destination,
  { isSlow = false }: Pick<ChannelRecord, 'isSlow'>,
): string | undefined {
  if (destination.kind !== 'channel') return undefined;
  const { list, channel } = destination;
  if (channel.kind === 'email' || channel.kind === 'sqs') return undefined;
  const destinationId = channelDestinationId(list, channel.id);
  return isSlow
    ? `slow ${oneOf(SLOW_LANES, destinationId)} ${list.tenant}`
    : `quick ${oneOf(LANES - SLOW_LANES, destinationId)} ${list.tenant}`;
}
