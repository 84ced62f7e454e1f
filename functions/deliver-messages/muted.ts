import { watchOf } from '#shared/domain/alerting/alert.ts';
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
import { muteOf } from '#shared/domain/channels/plan.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { ListReader } from './list-reader.ts';
import { listsOf } from './plan-context.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { putUnlessChanged, unlessChanged } from './put-record.ts';
import { answeredBy, TIME_TO_STOP } from './waiting-alerts.ts';

/**
 * Moves alerts into the entries of their muted watches, as many as fit into a transaction. Also
 * writes the outcomes of alerts that the summary only counts.
 */
export async function holdMuted(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  entries: readonly (readonly [InboxEntry, Hold])[],
  muted: ReadonlyMap<string, MutedEntry>,
): Promise<ChannelRecord | undefined> {
  // At most four writes for each alert (its deletion, its outcome, the entry of its watch, and the
  // outcome of the alert that the entry held before), and one for the record.
  const some = entries.slice(0, Math.floor((ports.writesOfTransaction - 1) / 4));
  const watches = [...Map.groupBy(some, ([{ alert }]) => watchOf(alert))].map(([watch, held]) => {
    const until = Math.max(...held.map(([, hold]) => hold.until));
    const ofWatch = held.map(([entry]) => entry);
    return mutedWith(muted.get(watch), ofWatch, until);
  });
  const outcome = { state: 'skipped' as const, at: ports.now(), reason: COUNTED };
  const counted = watches.flatMap((watch) => watch.counted);
  const entriesOfWatches = watches.map((watch) => watch.muted);
  const earliestEnd = Math.min(...entriesOfWatches.map(({ held }) => held.until));
  // `liftMute` skips channels without a record. A mute may have been lifted before this record is
  // written, so a new record is due immediately, and the mutes are read again.
  const next = muting(record, record.version === 0 ? ports.now() : earliestEnd);
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

const COUNTED = "the alert was muted, and is only counted in the mute's summary";

/**
 * Releases the watches that are no longer muted, and records the earliest end of the other mutes.
 * If the time runs out, the next message continues.
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
    const ends = entries.map((entry) => muteOf(entry, lists, now));
    const free = entries.filter((_entry, index) => ends[index] === undefined);
    await waitForAll(free.map((entry) => ports.unmuteInInbox(entry, now)));
    first = earliest([first, ...ends]);
    after = next;
    if (after !== undefined && ports.remainingTime() < TIME_TO_STOP) return record;
  } while (after !== undefined);
  const put = await putUnlessChanged(ports, lookedThrough(record, first));
  return 'found' in put ? put.found : put.written;
}
