import type { ChannelRecord } from '#shared/domain/alerting/channel-record.ts';
import { standingOf } from '#shared/domain/alerting/channel-standing.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { type Channel, channelView } from '#shared/domain/watching/channel.ts';

/** A channel as its owner reads it: what it is, and how it does. */
export function standingView(channel: Channel, record: ChannelRecord | undefined, waiting: number) {
  const { state, reason = null, since } = standingOf(channel, record);
  return {
    ...channelView(channel),
    state,
    reason,
    since: momentOf(since),
    lastSuccess: momentOf(record?.lastSuccessAt),
    /** Alerts that are still to be sent; a hundred stand for as many or more. */
    waiting,
  };
}

function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
