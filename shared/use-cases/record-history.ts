import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { recordedPoints } from '#shared/domain/timeline/recorded-points.ts';
import { waitForAll } from './wait-for-all.ts';

export type RecordHistory = (
  contract: ContractKey,
  part: Part,
  points: readonly PricePoint[],
) => Promise<void>;

/** Records the prices of the steps that wait for their evaluation. */
export async function recordHistory(
  ports: { readonly recordHistory: RecordHistory },
  record: ContractRecord,
): Promise<void> {
  await waitForAll(
    partsOf(record).map(async ([part]) => {
      const points = recordedPoints(record.timeline, part);
      if (points.length > 0) await ports.recordHistory(record.contract, part, points);
    }),
  );
}
