import { addressOf, type Channel, channelView } from '#shared/channels/channel.ts';
import { type ChannelRecord, configured } from '#shared/domain/channels/channel-record.ts';
import { channelStatus } from '#shared/domain/channels/channel-status.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import type { ChannelStatusAnswer } from './answers.ts';

export function channelStatusView(
  channel: Channel,
  found: ChannelRecord | undefined,
  waiting: number,
): ChannelStatusAnswer {
  const { state, reason = null, since } = channelStatus(channel, found);
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
