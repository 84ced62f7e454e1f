import { changeChannel } from '#shared/domain/channels/change-channel.ts';
import { addressOf, type Channel } from '#shared/domain/channels/channel.ts';
import {
  awaited,
  type ChannelRecord,
  configured,
  newChannelRecord,
  subscribed,
} from '#shared/domain/channels/channel-record.ts';
import { channelOf, channelSink } from '#shared/domain/channels/sink.ts';
import { endpointOf, type Subscriber } from '#shared/domain/channels/subscriber.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { type Pending, settleIfDone } from '#shared/domain/watchlists/pending.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/**
 * Makes the list's topic have the list's subscribers, notes how each subscription stands, and looks
 * again: soon while somebody has yet to confirm or seems to be gone, daily otherwise.
 */
export async function keepTopic(ports: NotifyWatchersPorts, id: WatchlistId): Promise<void> {
  const pending = await ports.getPending(id, { kind: 'topic' });
  let latest = await ports.getWatchlist(id);
  let list: Watchlist | undefined;
  let looks: readonly Instant[];
  do {
    list = latest;
    looks = await keepAs(ports, id, list?.channels ?? []);
    // Who has stood still has made it as the list was once.
    latest = await ports.getWatchlist(id);
  } while (latest?.revision !== list?.revision);
  const revision = list?.revision ?? 0;
  const settle =
    looks.length === 0
      ? ports.settlePending
      : (note: Pending) => postpone(ports, note, revision, Math.min(...looks));
  await settleIfDone(settle, pending, revision, ports.now());
}

/** Makes the topic have the subscribers of these channels; tells when each is to be looked at again. */
async function keepAs(
  ports: NotifyWatchersPorts,
  id: WatchlistId,
  channels: readonly Channel[],
): Promise<readonly Instant[]> {
  const records = new Map(
    (await ports.channelsOfList(id)).map((record) => [channelOf(record.sink)?.channel, record]),
  );
  const foundOf = (channel: Channel) =>
    records.get(channel.id) ?? newChannelRecord(channelSink(id, channel.id), ports.now());
  const knownOf = (channel: Channel) => configured(foundOf(channel), addressOf(channel));
  const subscribers = channels.flatMap((channel): Subscriber[] => {
    const endpoint = endpointOf(channel);
    const mayBeAsked = knownOf(channel).subscription === undefined;
    return endpoint === undefined ? [] : [{ channel: channel.id, ...endpoint, mayBeAsked }];
  });
  const { states, strangersMayConfirm } = await ports.keepSubscribers(id, subscribers);

  const isIncomplete = strangersMayConfirm || states.size < subscribers.length;
  const looks: Instant[] = isIncomplete ? [ports.now() + HOUR] : [];
  for (const channel of channels) {
    const state = states.get(channel.id);
    if (state === undefined) continue;
    const record = await changeChannel(ports, foundOf(channel), (known) =>
      subscribed(configured(known, addressOf(channel)), state, ports.now()),
    );
    looks.push(nextLook(record, ports.now()));
  }
  for (const record of records.values()) {
    if (!channels.some(({ id: channel }) => channelSink(id, channel) === record.sink)) {
      await changeChannel(ports, record, (known) => awaited(known, ports.now()));
    }
  }
  return looks;
}

/** The note stays as long as the topic, with the next look as its appointment. */
async function postpone(
  ports: NotifyWatchersPorts,
  note: Pending,
  revision: number,
  dueAt: Instant,
): Promise<void> {
  const version = ports.newVersion();
  await ports.replacePending(note, { ...note, revision, notedAt: ports.now(), dueAt, version });
}

/** A person confirms within the hour, or some time later; who seems to be gone may not be. */
function nextLook({ subscription }: ChannelRecord, now: Instant): Instant {
  const isOpen = subscription?.state === 'pending' || subscription?.state === 'gone';
  if (!isOpen) return now + DAY;
  return now + (now - subscription.since < HOUR ? 5 * MINUTE : HOUR);
}
