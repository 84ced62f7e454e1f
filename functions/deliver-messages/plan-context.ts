import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import { watchOf } from '#shared/domain/alerting/alert.ts';
import { numbersIn } from '#shared/domain/alerting/episode.ts';
import type { InboxEntry } from '#shared/domain/channels/alert-record.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { listName, type PlanContext, type Receiver } from '#shared/domain/channels/plan.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { withoutRecovered } from '#shared/use-cases/running-mutes.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { ListReader } from './list-reader.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** Reads the context for planning the next message, in addition to the record and the inbox. */
export async function planContextOf(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  receiver: Receiver,
  listBehind: ListReader,
  next: readonly InboxEntry[],
): Promise<PlanContext> {
  const [lists, acknowledged, muted] = await waitForAll([
    listsOf(ports, listBehind, next),
    acknowledgementsOf(ports, next),
    mutedWatchesOf(ports, record, next),
  ]);
  return { receiver, lists, acknowledged, muted };
}

/**
 * The settings of the lists to which the alerts belong. Operators are not affected by the quiet
 * hours of tenants.
 */
export async function listsOf(
  ports: DeliverMessagesPorts,
  listBehind: ListReader,
  entries: readonly InboxEntry[],
): Promise<PlanContext['lists']> {
  const first = new Map(entries.map(({ alert }) => [listName(alert), alert]));
  const lists = await waitForAll(
    [...first].map(async ([name, { tenant, watchlist }]) => {
      const [list, mutes] = await waitForAll([
        listBehind({ watchlist }),
        mutesOf(ports, { tenant, id: watchlist }, entries),
      ]);
      return [name, { ...list, mutes }] as const;
    }),
  );
  return new Map(lists);
}

/**
 * The mutes of a list that may cover at least one of the alerts. A watch is read only for an alert
 * of a muted episode.
 */
async function mutesOf(
  ports: DeliverMessagesPorts,
  list: WatchlistId,
  entries: readonly InboxEntry[],
): Promise<readonly Mute[]> {
  const { mutes } = await ports.getMutes(list);
  const names = new Set(entries.map(({ episode }) => episode));
  const mayCover = ({ episodes }: Mute) => episodes?.some(({ name }) => names.has(name)) ?? true;
  return await withoutRecovered(ports, list, mutes.filter(mayCover));
}

/** The acknowledgements that may silence some of the alerts, by episode. */
async function acknowledgementsOf(
  { getAcknowledgement }: DeliverMessagesPorts,
  entries: readonly InboxEntry[],
): Promise<PlanContext['acknowledged']> {
  const found = await waitForAll(
    entries.map(async ({ alert, kind, rule, contract, episode }) => {
      const isOpen = kind === 'reminder' || kind === 'worsened';
      if (!isOpen || rule === undefined || contract === undefined || episode === undefined)
        return [];
      const { tenant, watchlist: list } = alert;
      const about = { tenant, list, rule, contract, ...numbersIn(episode) };
      const acknowledgement = await getAcknowledgement(about);
      return acknowledgement === undefined ? [] : [[episode, acknowledgement] as const];
    }),
  );
  return new Map<string, Acknowledgement>(found.flat());
}

/** Finds which watches of the alerts are muted, and the entry of each. */
async function mutedWatchesOf(
  { mutedOf }: DeliverMessagesPorts,
  { destinationId, mutedUntil }: ChannelRecord,
  entries: readonly InboxEntry[],
): Promise<PlanContext['muted']> {
  if (mutedUntil === undefined) return new Map();
  const watches = [...new Set(entries.map(({ alert }) => watchOf(alert)))];
  const found = await waitForAll(watches.map((watch) => mutedOf(destinationId, watch)));
  return new Map(found.flatMap((entry) => (entry ? [[watchOf(entry.alert), entry] as const] : [])));
}
