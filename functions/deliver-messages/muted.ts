import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import { watchOf } from '#shared/domain/alerting/alert.ts';
import { numbersIn } from '#shared/domain/alerting/episode.ts';
import {
  type Hold,
  type InboxEntry,
  type MutedEntry,
  mutedWith,
} from '#shared/domain/channels/alert-record.ts';
import {
  type ChannelRecord,
  lookedThrough,
  muting,
} from '#shared/domain/channels/channel-record.ts';
import { muteOf, type PlanContext } from '#shared/domain/channels/plan.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { type ListReader, listsOf } from './list-reader.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { putUnlessChanged, unlessChanged } from './put-record.ts';
import { answeredBy, TIME_TO_STOP } from './waiting-alerts.ts';

/** The acknowledgements of the episodes of alerts that one may silence. */
export async function acknowledgementsOf(
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

/** The entries of those watches of some alerts that are muted. */
export async function mutedWatchesOf(
  { mutedOf }: DeliverMessagesPorts,
  { destinationId, mutedUntil }: ChannelRecord,
  entries: readonly InboxEntry[],
): Promise<PlanContext['muted']> {
  if (mutedUntil === undefined) return new Map();
  const watches = [...new Set(entries.map(({ alert }) => watchOf(alert)))];
  const found = await waitForAll(watches.map((watch) => mutedOf(destinationId, watch)));
  return new Map(found.flatMap((entry) => (entry ? [[watchOf(entry.alert), entry] as const] : [])));
}

/**
 * Puts alerts into the entries of their muted watches, as many as one transaction takes, with the
 * outcomes of the alerts that a summary only counts.
 */
export async function holdMuted(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  entries: readonly (readonly [InboxEntry, Hold])[],
  muted: ReadonlyMap<string, MutedEntry>,
): Promise<ChannelRecord | undefined> {
  // Each alert has a deletion and perhaps an outcome, so has the last alert of each watch; each watch
  // has a write, and the record one.
  const some = entries.slice(0, Math.floor((ports.writesOfTransaction - 1) / 4));
  const watches = [...Map.groupBy(some, ([{ alert }]) => watchOf(alert))].map(([watch, held]) => {
    const until = Math.max(...held.map(([, hold]) => hold.until));
    const ofWatch = held.map(([entry]) => entry);
    return mutedWith(muted.get(watch), ofWatch, until);
  });
  const outcome = { state: 'skipped' as const, at: ports.now(), reason: COUNTED };
  const counted = watches.flatMap((watch) => watch.counted);
  const entriesOfWatches = watches.map((watch) => watch.muted);
  const next = muting(record, Math.min(...entriesOfWatches.map(({ held }) => held.until)));
  const put = await unlessChanged(ports, record.destinationId, () =>
    ports.muteInInbox(
      next,
      some.map(([entry]) => entry),
      entriesOfWatches,
      answeredBy(counted, outcome),
    ),
  );
  return 'found' in put ? put.found : put.written;
}

const COUNTED = 'the summary after its mute counts it';

/**
 * Lets go of the watches that are muted no longer, and notes when the first of the other mutes ends.
 * With too little time for all of them, the next message looks again.
 */
export async function lookThroughMuted(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  listBehind: ListReader,
): Promise<ChannelRecord | undefined> {
  const now = ports.now();
  let first: Instant | undefined;
  let after: string | undefined;
  do {
    const { entries, next } = await ports.mutedInInbox(record.destinationId, after);
    const lists = await listsOf(ports, listBehind, entries);
    const ends = entries.map((entry) => muteOf({ ...entry, heldBack: undefined }, lists, now));
    const free = entries.filter((_entry, index) => ends[index] === undefined);
    await waitForAll(free.map((entry) => ports.unmuteInInbox(entry, now)));
    first = earliest([first, ...ends]);
    after = next;
    if (after !== undefined && ports.remainingTime() < TIME_TO_STOP) return record;
  } while (after !== undefined);
  const put = await putUnlessChanged(ports, lookedThrough(record, first));
  return 'found' in put ? put.found : put.written;
}
