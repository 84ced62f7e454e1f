import { floorSeriesOf, NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { neededSince, type Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';

/** The last reported floor before an instant, or also the last floor that two sources report. */
export type Held = 'reported' | 'agreed';

/** Recorded prices of a part: the last at or before an instant, and what followed up to another. */
export type RecordedSince = (
  contract: ContractKey,
  part: Part,
  instant: Instant,
  options?: { readonly held?: Held; readonly until?: Instant },
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
  const held = heldFor(watches);
  const read = partsOf(record).map(async ([part]): Promise<[Part, readonly PricePoint[]][]> => {
    const since = neededSince(record, part, watches);
    if (since === undefined) return [];
    return [[part, await recordedSince(record.contract, part, since, { held })]];
  });
  const recorded = new Map((await Promise.all(read)).flat());
  return { record, past: { recorded, since: record.past?.since } };
}

/** The floor before an instant that some watches need. */
export function heldFor(watches: readonly Watch[]): Held {
  const needsAgreed = watches.some(
    ({ ruleCondition }) => floorSeriesOf(ruleCondition) === 'agreed',
  );
  return needsAgreed ? 'agreed' : 'reported';
}
