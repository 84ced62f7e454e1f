import { floorSeriesOf, NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { neededSince, type Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, seriesIn } from '#shared/domain/polling/contract-record.ts';

/**
 * Which floors before an instant are needed: the last reported one, or also the last one that two
 * sources confirm.
 */
export type Held = 'reported' | 'agreed';

/**
 * Recorded prices of a series: the last one at or before an instant, and all later ones up to
 * `until`.
 */
export type RecordedSince = (
  contract: ContractKey,
  series: PriceSeriesName,
  instant: Instant,
  options?: { readonly held?: Held; readonly until?: Instant },
) => Promise<readonly PricePoint[]>;

/** The snapshot of a contract: its record, and the recorded prices that the given watches need. */
export async function readSnapshot(
  recordedSince: RecordedSince,
  record: ContractRecord | undefined,
  watches: readonly Watch[],
): Promise<Snapshot> {
  if (record === undefined) return { record, past: NO_PAST };
  const held = heldFor(watches);
  const read = seriesIn(record).map(
    async ([series]): Promise<[PriceSeriesName, readonly PricePoint[]][]> => {
      const since = neededSince(record, series, watches);
      if (since === undefined) return [];
      return [[series, await recordedSince(record.contract, series, since, { held })]];
    },
  );
  const recorded = new Map((await Promise.all(read)).flat());
  return { record, past: { recorded, since: record.past?.since } };
}

/** The kind of floor before an instant that the watches need. */
export function heldFor(watches: readonly Watch[]): Held {
  const needsAgreed = watches.some(
    ({ ruleCondition }) => floorSeriesOf(ruleCondition) === 'agreed',
  );
  return needsAgreed ? 'agreed' : 'reported';
}
