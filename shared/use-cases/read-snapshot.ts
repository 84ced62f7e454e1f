import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { neededSince, type Snapshot } from '#shared/domain/evaluation/snapshot.ts';
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
  record: ContractRecord | undefined,
  watches: readonly Watch[],
): Promise<Snapshot> {
  if (record === undefined) return { record, past: NO_PAST };
  const read = partsOf(record).map(async ([part]): Promise<[Part, readonly PricePoint[]][]> => {
    const since = neededSince(record, part, watches);
    return since === undefined ? [] : [[part, await recordedSince(record.contract, part, since)]];
  });
  const recorded = new Map((await Promise.all(read)).flat());
  return { record, past: { recorded, since: record.past?.since } };
}
