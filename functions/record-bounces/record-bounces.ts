import { addressOf } from '#shared/channels/channel.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { configured, undeliverable, undelivered } from '#shared/domain/channels/channel-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import {
  type ChangeChannelPorts,
  changeChannel,
  findChannel,
} from '#shared/use-cases/change-channel.ts';
import type { BounceEvent } from './requests.ts';

export type RecordBouncesPorts = ChangeChannelPorts & {
  readonly getWatchlist: (id: WatchlistId) => Promise<Watchlist | undefined>;
};

/**
 * Turns a channel off after a permanent bounce or a complaint. Temporary bounces (a full mailbox)
 * and reports about an earlier address are ignored. Returns whether a channel was turned off. A
 * lost report does no harm, because SES suppresses each further email to such an address, and
 * reports it again.
 */
export async function recordBounce(
  ports: RecordBouncesPorts,
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

/**
 * Records that SNS could not deliver a message to a channel. The state of the channel shows this,
 * and the list's other channels and the operators get an alert. Returns whether the channel exists.
 */
export async function noteUndelivered(
  ports: RecordBouncesPorts,
  destinationId: DestinationId | undefined,
): Promise<boolean> {
  const id = destinationId && channelOf(destinationId);
  const list = id && (await ports.getWatchlist(id.list));
  const channel = list?.channels.find((one) => one.id === id?.channel);
  if (destinationId === undefined || channel === undefined) return false;
  const known = await findChannel(ports, destinationId);
  await changeChannel(ports, known, (record) =>
    undelivered(configured(record, addressOf(channel)), UNDELIVERED, ports.now()),
  );
  return true;
}

/** SNS does not include a reason in an undelivered message. */
const UNDELIVERED =
  "SNS could not deliver a message: check that the address exists and, for a queue, that its policy allows the stack's topics to send to it";

function reasonIn(detail: BounceEvent['detail']): string | undefined {
  if (detail.eventType === 'Complaint') return 'the recipient has marked an email as spam';
  const { bounceType, bounceSubType } = detail.bounce;
  return bounceType === 'Permanent'
    ? `emails to this address bounce permanently (${bounceSubType})`
    : undefined;
}
