import { addressOf, type Channel, endpointOf } from '#shared/channels/channel.ts';
import type { Endpoint } from '#shared/channels/channel-kind.ts';
import {
  type AskedAddress,
  asking,
  confirmed,
  unconfirmed,
} from '#shared/domain/channels/asked-address.ts';
import {
  awaited,
  type ChannelRecord,
  configured,
  newChannelRecord,
  type Subscription,
  subscribed,
  unsubscribed,
  woken,
} from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId, channelOf } from '#shared/domain/channels/destination-id.ts';
import { endpointText } from '#shared/domain/channels/list-topic.ts';
import type { Subscriber } from '#shared/domain/channels/subscriber.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import {
  channelsEndAt,
  type WatchlistId,
  withoutChannels,
} from '#shared/domain/watchlists/watchlist.ts';
import { changeChannel } from '#shared/use-cases/change-channel.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * Creates a topic for each subscriber of the list, records the state of each subscription, and sets
 * the next check: soon while a subscription is pending or gone, daily otherwise.
 */
export async function keepTopic(ports: RunJobsPorts, id: WatchlistId): Promise<JobOutcome> {
  let read = await readList(ports, id);
  let checks: readonly Instant[];
  for (;;) {
    checks = await keepAs(ports, id, read.list?.channels ?? []);
    // If the list has changed in the meantime, an outdated version was applied, so repeat with the
    // latest.
    const latest = await readList(ports, id);
    if (latest.list?.revision === read.list?.revision) break;
    read = latest;
  }
  const end = read.list && channelsEndAt(read.list);
  if (end !== undefined) checks = [...checks, end];
  return checks.length === 0 ? 'done' : { dueAt: Math.min(...checks) };
}

/** Reads the list. The channels of a deleted list are removed after a delay (`channelsEndAt`). */
async function readList(ports: RunJobsPorts, id: WatchlistId) {
  const at = ports.now();
  const list = await ports.getWatchlist(id);
  const end = list && channelsEndAt(list);
  if (list === undefined || end === undefined || end > at) return { at, list };
  const bare = withoutChannels(list);
  await ports.putWatchlist(bare);
  return { at, list: bare };
}

/**
 * Maintains the topics of the channels' endpoints and deletes all other topics; returns the times
 * of the next checks.
 */
async function keepAs(
  ports: RunJobsPorts,
  id: WatchlistId,
  channels: readonly Channel[],
): Promise<readonly Instant[]> {
  const records = await recordsFor(ports, id, channels);
  const foundOf = (channel: Channel) =>
    records.get(channel.id) ?? newChannelRecord(channelDestinationId(id, channel.id), ports.now());
  const knownOf = (channel: Channel) => configured(foundOf(channel), addressOf(channel));
  const wanted = channels.flatMap((channel): Subscriber[] => {
    const endpoint = endpointOf(channel);
    if (endpoint === undefined) return [];
    const { subscription } = knownOf(channel);
    if (subscription?.state === 'ended') return [];
    return [
      { channel: channel.id, ...endpoint, ask: subscription === undefined ? 'now' : 'never' },
    ];
  });
  const { subscribers, addresses, checks: later } = await askInTurn(ports, id, wanted);
  const former = await recordTopics(ports, id, subscribers);
  const states = await ports.keepSubscribers(id, subscribers);
  await removeTopics(ports, id, former);

  await challengeNewWebhooks(ports, id, channels, knownOf);
  const isIncomplete = states.size < subscribers.length;
  const checks: Instant[] = [...later, ...(isIncomplete ? [ports.now() + HOUR] : [])];
  for (const channel of channels) {
    const state = states.get(channel.id);
    if (state === undefined) continue;
    await noteAnswer(ports, id, channel, { state, addresses, known: knownOf(channel) });
    const record = await changeChannel(ports, foundOf(channel), (known) =>
      subscribed(configured(known, addressOf(channel)), state, ports.now()),
    );
    checks.push(nextCheck(record, ports.now()));
  }
  return checks;
}

/**
 * Records endpoints before their topics are created; returns recorded endpoints that are no longer
 * needed.
 */
async function recordTopics(
  ports: RunJobsPorts,
  id: WatchlistId,
  wanted: readonly Subscriber[],
): Promise<readonly Endpoint[]> {
  const added = wanted.map(({ protocol, endpoint }) => ({ protocol, endpoint }));
  const all = await changeTopics(ports, id, (known) => [
    ...known,
    ...withoutEndpoints(distinct(added), known),
  ]);
  return withoutEndpoints(all, wanted);
}

/** Deletes the topics of endpoints that the list no longer has. */
async function removeTopics(
  ports: RunJobsPorts,
  id: WatchlistId,
  former: readonly Endpoint[],
): Promise<void> {
  if (former.length === 0) return;
  for (const address of await ports.removeTopics(id, former)) {
    await noteConfirmed(ports, id, address);
  }
  await changeTopics(ports, id, (known) => withoutEndpoints(known, former));
}

async function changeTopics(
  ports: RunJobsPorts,
  id: WatchlistId,
  change: (known: readonly Endpoint[]) => readonly Endpoint[],
): Promise<readonly Endpoint[]> {
  return await retryingConflicts(async () => {
    const known = await ports.getTopics(id);
    const endpoints = change(known.endpoints);
    if (endpoints.length !== known.endpoints.length) await ports.putTopics({ ...known, endpoints });
    return endpoints;
  });
}

function withoutEndpoints(
  endpoints: readonly Endpoint[],
  others: readonly Endpoint[],
): readonly Endpoint[] {
  const texts = new Set(others.map(endpointText));
  return endpoints.filter((endpoint) => !texts.has(endpointText(endpoint)));
}

function distinct(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return [...new Map(endpoints.map((endpoint) => [endpointText(endpoint), endpoint])).values()];
}

/** Starts the challenge of each new webhook. */
async function challengeNewWebhooks(
  ports: RunJobsPorts,
  id: WatchlistId,
  channels: readonly Channel[],
  knownOf: (channel: Channel) => ChannelRecord,
): Promise<void> {
  const isNew = (channel: Channel) => {
    const { provenAt, failure, off } = knownOf(channel);
    const isUnknown = provenAt === undefined && failure === undefined && off === undefined;
    return channel.kind === 'webhook' && isUnknown;
  };
  const messages = channels.filter(isNew).map((channel) => {
    const destinationId = channelDestinationId(id, channel.id);
    const deduplication = `challenge ${destinationId} ${addressOf(channel)} ${ports.now()}`;
    return { message: { destinationId }, deduplication };
  });
  if (messages.length > 0) await ports.sendToChannels(messages);
}

/**
 * Asks each email address to confirm one list of a tenant at a time, so that the recipient gets one
 * confirmation email instead of one for each list and revision.
 */
async function askInTurn(
  ports: RunJobsPorts,
  { tenant }: WatchlistId,
  wanted: readonly Subscriber[],
) {
  const addresses = new Map<string, AskedAddress>();
  const checks: Instant[] = [];
  const isNew = ({ protocol, ask }: Subscriber) => protocol === 'email' && ask === 'now';
  for (const address of new Set(wanted.filter(isNew).map(({ endpoint }) => endpoint))) {
    const known = await ports.getAddress(tenant, address);
    const next = asking(known ?? { tenant, address }, ports.now());
    const taken = next && (await unlessConflict(() => ports.putAddress(next)));
    if (taken === undefined) checks.push(Math.max(known?.notBefore ?? 0, ports.now() + MINUTE));
    else addresses.set(address, taken);
  }
  const subscribers = wanted.map((subscriber): Subscriber => {
    const isLater = isNew(subscriber) && !addresses.has(subscriber.endpoint);
    return isLater ? { ...subscriber, ask: 'later' } : subscriber;
  });
  return { subscribers, addresses, checks };
}

/**
 * Records that an email address was asked to confirm, or has confirmed. This determines when other
 * lists may ask the address.
 */
async function noteAnswer(
  ports: RunJobsPorts,
  id: WatchlistId,
  channel: Channel,
  now: {
    readonly state: Subscription['state'];
    readonly addresses: ReadonlyMap<string, AskedAddress>;
    readonly known: ChannelRecord;
  },
): Promise<void> {
  if (channel.kind !== 'email') return;
  const address = now.addresses.get(channel.to);
  const hasChanged = now.known.subscription?.state !== now.state;
  if (now.state.startsWith('confirmed')) {
    if (hasChanged) await noteConfirmed(ports, id, channel.to);
  } else if (address !== undefined) {
    await unlessConflict(() => ports.putAddress(unconfirmed(address, ports.now())));
  }
}

async function noteConfirmed(
  ports: RunJobsPorts,
  { tenant }: WatchlistId,
  address: string,
): Promise<void> {
  const known = await ports.getAddress(tenant, address);
  if (known === undefined || known.isConfirmed) return;
  await unlessConflict(() => ports.putAddress(confirmed(known, ports.now())));
}

/**
 * The records of a list's channels, by channel id. If a channel was removed or its topic is
 * missing, the subscription is deleted from its record. In these cases the recipient did not
 * unsubscribe, so recipients that are still on the list get another confirmation request.
 */
async function recordsFor(
  ports: RunJobsPorts,
  id: WatchlistId,
  channels: readonly Channel[],
): Promise<ReadonlyMap<string | undefined, ChannelRecord>> {
  const wanted = new Map(
    channels.map((channel) => [channelDestinationId(id, channel.id), channel]),
  );
  const records = new Map<string | undefined, ChannelRecord>();
  for (const found of (await ports.channelsOfList(id)).entries) {
    const channel = wanted.get(found.destinationId);
    const endpoint = channel && endpointOf(channel);
    const hasTopic = endpoint !== undefined && (await ports.hasTopic(id, endpoint));
    const record = await changeChannel(ports, found, (known) => {
      if (channel === undefined) return awaited(unsubscribed(known), ports.now());
      return woken(hasTopic ? known : unsubscribed(known), addressOf(channel), ports.now());
    });
    records.set(channelOf(record.destinationId)?.channel, record);
  }
  return records;
}

/**
 * The next check of a subscription. While it is pending or gone, it is checked every 5 minutes in
 * the first hour, then hourly; otherwise daily. Most people confirm within the hour, and `gone` may
 * be temporary.
 */
function nextCheck({ subscription }: ChannelRecord, now: Instant): Instant {
  const isOpen = subscription?.state === 'pending' || subscription?.state === 'gone';
  if (!isOpen) return now + DAY;
  return now + (now - subscription.since < HOUR ? 5 * MINUTE : HOUR);
}
