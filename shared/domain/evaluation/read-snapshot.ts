import type { ContractKey } from '#shared/domain/market/contract.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { type PartSnapshot, partSnapshot, type Snapshot } from './snapshot.ts';
import { lookBackOf, partsOfWatch, pastNeededAt, type Watch, wakeAt } from './watch.ts';

/** Recorded prices of a part: the last at or before an instant, and what followed. */
export type RecordedSince = (
  contract: ContractKey,
  part: Part,
  instant: Instant,
) => Promise<readonly PricePoint[]>;

/**
 * The snapshot of a contract for some of its watches: its record, and as much of the recorded past as
 * they need.
 */
export async function readSnapshot(
  recordedSince: RecordedSince,
  record: ContractRecord,
  watches: readonly Watch[],
): Promise<Snapshot> {
  const read = partsOf(record).map(async ([part]): Promise<[Part, PartSnapshot]> => {
    const known = partSnapshot(record, part);
    const since = neededSince(record, part, watches);
    if (since === undefined) return [part, known];
    return [part, { ...known, recorded: await recordedSince(record.contract, part, since) }];
  });
  return {
    parts: Object.fromEntries(await Promise.all(read)),
    windowsExpiredUntil: record.windowExpiries?.until,
  };
}

/** The start of the needed past: of a window, an episode, or a timer that has come. */
export function neededSince(
  { parts, windowExpiries, unevaluated }: ContractRecord,
  part: Part,
  watches: readonly Watch[],
): Instant | undefined {
  const mine = watches.filter((watch) => partsOfWatch(watch).includes(part));
  const lookBack = part === 'floor' ? Math.max(0, ...mine.map(lookBackOf)) : 0;
  const news = unevaluated.map(({ point }) => point.time);
  const evaluated =
    lookBack > 0 ? [windowExpiries?.until, parts[part]?.newest?.point.time, ...news] : [];
  const since = earliest([
    ...evaluated,
    ...mine.flatMap((watch) => [watch.firedAt, wakeAt(watch)]),
  ]);
  return since === undefined ? undefined : pastNeededAt(since, lookBack);
}
