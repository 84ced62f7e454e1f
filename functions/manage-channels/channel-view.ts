import { addressOf, type Channel, channelView } from '#shared/channels/channel.ts';
import { type ChannelRecord, configured } from '#shared/domain/channels/channel-record.ts';
import { standingOf } from '#shared/domain/channels/channel-standing.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import type { StandingAnswer } from './answers.ts';

export function standingView(
  channel: Channel,
  found: ChannelRecord | undefined,
  waiting: number,
): StandingAnswer {
  const { state, reason = null, since } = standingOf(channel, found);
  const known = found === undefined ? undefined : configured(found, addressOf(channel));
  return {
    ...channelView(channel),
    state,
    reason,
    since: momentOf(since),
    lastSuccess: momentOf(known?.lastSuccessAt),
    waiting,
  };
}
