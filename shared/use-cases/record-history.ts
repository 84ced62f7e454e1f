import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { recordedPoints } from '#shared/domain/timeline/recorded-points.ts';
import { waitForAll } from './wait-for-all.ts';

export type RecordHistory = (
  contract: ContractKey,
  series: PriceSeriesName,
  points: readonly PricePoint[],
) => Promise<void>;

/** Records the prices of the steps that are not evaluated yet. */
export async function recordHistory(
  ports: { readonly recordHistory: RecordHistory },
  record: ContractRecord,
): Promise<void> {
  await waitForAll(
    seriesIn(record).map(async ([series]) => {
      const points = recordedPoints(record.timeline, series);
      if (points.length > 0) await ports.recordHistory(record.contract, series, points);
    }),
  );
}
