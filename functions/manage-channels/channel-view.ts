import { addressOf, type Channel, channelView } from '#shared/channels/channel.ts';
import { type ChannelRecord, configured } from '#shared/domain/channels/channel-record.ts';
import { standingOf } from '#shared/domain/channels/channel-standing.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';

/** A channel as its owner reads it, with its state. */
export function standingView(channel: Channel, found: ChannelRecord | undefined, waiting: number) {
  const { state, reason = null, since } = standingOf(channel, found);
  const known = found === undefined ? undefined : configured(found, addressOf(channel));
  return {
    ...channelView(channel),
    state,
    reason,
    since: momentOf(since),
    lastSuccess: momentOf(known?.lastSuccessAt),
    /** Alerts that wait to be sent; 100 means 100 or more. */
    waiting,
  };
}

function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
