import { neededSince } from '#shared/domain/evaluation/needed-since.ts';
import {
  type PartSnapshot,
  partSnapshot,
  type Snapshot,
} from '#shared/domain/evaluation/snapshot.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';

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
