import type { Instant } from '#shared/domain/market/instant.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import {
  absorbAnswers,
  isQuiet,
  type SeriesAnswer,
} from '#shared/domain/polling/absorb-answers.ts';
import { type Filling, filled } from '#shared/domain/polling/backfill-state.ts';
import {
  type ContractRecord,
  newestOf,
  withLacking,
  withPast,
} from '#shared/domain/polling/contract-record.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { recordHistory } from '#shared/use-cases/record-history.ts';
import type { PollPricesPorts } from './ports.ts';

const MAX_COMMITS = 5;

/** The answers of one poll, and the series for which it made no request. */
type Asking = {
  readonly answers: readonly SeriesAnswer[];
  /** Price series that were not requested: no call was reserved, or calls are not allowed now. */
  readonly unasked: readonly PriceSeriesName[];
  /** The recorded past floors; undefined if there are none. */
  readonly filling: Filling | undefined;
  /** Other providers that do not have the contract. */
  readonly unsupportedBy: readonly Provider[];
};

/**
 * Writes the record, unless the poll has changed nothing that must be stored. On a version conflict
 * it adds the answers to the new record, up to five times.
 */
export async function commitAnswers(
  ports: PollPricesPorts,
  planned: ContractRecord,
  { answers, unasked, filling, unsupportedBy }: Asking,
): Promise<ContractRecord | undefined> {
  let known: ContractRecord | undefined = planned;
  for (let attempt = 1; known !== undefined; attempt += 1) {
    const now = ports.now();
    const absorbed = withLacking(absorbAnswers(known, answers, now), unsupportedBy, now);
    const next = withSilence(withFilling(absorbed, filling, known, now), unasked, now);
    if (unasked.length === 0 && isQuiet(known, next, now)) return undefined;
    try {
      return await putWithSteps(ports, known, next);
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === MAX_COMMITS) throw error;
      known = await ports.getContract(planned.contract);
    }
  }
  return undefined;
}

/** Writes a record with new steps. */
export async function putWithSteps(
  ports: PollPricesPorts,
  before: ContractRecord,
  next: ContractRecord,
): Promise<ContractRecord> {
  // If too many steps wait, the oldest are merged. Their prices are recorded first.
  const areMerged = before.timeline.steps[0]?.seq !== next.timeline.steps[0]?.seq;
  if (areMerged) await recordHistory(ports, before);
  return await ports.putContract(next);
}

function withFilling(
  record: ContractRecord,
  filling: Filling | undefined,
  known: ContractRecord,
  now: Instant,
): ContractRecord {
  // The contract lost its last floor rule during the poll. If its past were recorded, a rule that is
  // added later would not see the gap in between.
  if (filling === undefined || record.series.floor === undefined) return record;
  const before = { past: known.past, last: newestOf(known, 'floor') };
  return withPast(record, filled(record.past, filling, before), now);
}

/**
 * Marks price series that were not requested as failing, so that they are polled first in the next
 * minutes.
 */
function withSilence(
  record: ContractRecord,
  unasked: readonly PriceSeriesName[],
  now: Instant,
): ContractRecord {
  const silent = unasked.flatMap((series) => {
    const known = record.series[series];
    if (known === undefined) return [];
    return [[series, { ...known, noDataSince: known.noDataSince ?? now, retryAt: now }] as const];
  });
  if (silent.length === 0) return record;
  return { ...record, series: { ...record.series, ...Object.fromEntries(silent) } };
}
