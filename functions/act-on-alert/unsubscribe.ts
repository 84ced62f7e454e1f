import { addressOf, type Channel } from '#shared/channels/channel.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { configured, endedByReader } from '#shared/domain/channels/channel-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { changeChannel, findChannel } from '#shared/use-cases/change-channel.ts';
import { wantTopic } from '#shared/use-cases/want-topic.ts';
import type { ActOnAlertPorts } from './ports.ts';

/** An email channel whose address has not changed since the link was created. */
export type ReadEmails = {
  readonly list: Watchlist;
  readonly channel: Channel & { readonly kind: 'email' };
  readonly destinationId: DestinationId;
};

/**
 * The email channel of a destination; undefined if it was removed or its address does not match.
 */
export async function emailsOf(
  { getWatchlist }: ActOnAlertPorts,
  destinationId: DestinationId,
  leadsTo: (to: string) => boolean,
): Promise<ReadEmails | undefined> {
  const id = channelOf(destinationId);
  const list = id && (await getWatchlist(id.list));
  const channel = list?.channels.find((one) => one.id === id?.channel);
  if (list === undefined || channel?.kind !== 'email' || !leadsTo(channel.to)) return undefined;
  return { list, channel, destinationId };
}

/**
 * Unsubscribes the address of a channel. Emails stop with this write; the next check of the topic
 * also ends the SNS subscription.
 */
export async function unsubscribe(
  ports: ActOnAlertPorts,
  { list, channel, destinationId }: ReadEmails,
): Promise<void> {
  const known = await findChannel(ports, destinationId);
  await changeChannel(ports, known, (record) =>
    endedByReader(configured(record, addressOf(channel)), ports.now()),
  );
  await wantTopic(ports, list);
}
