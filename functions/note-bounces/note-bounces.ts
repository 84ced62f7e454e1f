import { addressOf } from '#shared/channels/channel.ts';
import { configured, undeliverable } from '#shared/domain/channels/channel-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import {
  type ChangeChannelPorts,
  changeChannel,
  findChannel,
} from '#shared/use-cases/change-channel.ts';
import type { BounceEvent } from './requests.ts';

export type NoteBouncesPorts = ChangeChannelPorts & {
  readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
};

/**
 * Turns the channel of an email off that came back for good, or that its reader called unwanted.
 * What is passing (a full mailbox) changes nothing, nor does a report of an earlier address. Returns
 * whether a channel is off. A report that is lost comes again: SES sends nothing more to such an
 * address, and reports that of each email.
 */
export async function noteBounce(
  ports: NoteBouncesPorts,
  { detail }: BounceEvent,
): Promise<boolean> {
  const reason = reasonIn(detail);
  const { mail } = detail;
  const [to] = mail.destination;
  const id = channelOf(mail.tags.channel);
  const list = id && (await ports.getWatchlist(id.list));
  const channel = list?.channels.find((one) => one.id === id?.channel);
  if (reason === undefined || channel?.kind !== 'email' || channel.to !== to) return false;
  const known = await findChannel(ports, mail.tags.channel);
  await changeChannel(ports, known, (record) =>
    undeliverable(configured(record, addressOf(channel)), reason, ports.now()),
  );
  return true;
}

function reasonIn(detail: BounceEvent['detail']): string | undefined {
  if (detail.eventType === 'Complaint') return 'its reader has marked an email as unwanted';
  const { bounceType, bounceSubType } = detail.bounce;
  return bounceType === 'Permanent' ? `emails to it come back (${bounceSubType})` : undefined;
}
