import { CANARY } from '#shared/domain/market/canary.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { type ContractRecord, newestOf, seriesIn } from './contract-record.ts';

/**
 * Age of the data of the watched contracts. The canary is excluded, because its data are always
 * new.
 */
export type DataAge = {
  /**
   * `freshest` and `oldest`: the latest and the earliest time among the newest floors of the
   * contracts.
   */
  readonly freshest: Instant | undefined;
  readonly oldest: Instant | undefined;
  /** The number of watched contracts. */
  readonly watched: number;
  /** Number of watched contracts with a price series that has had no usable answer for an hour. */
  readonly silent: number;
};

/** A single failure, or a restart of the provider, is shorter than this. */
const SILENCE = HOUR;

/** Only floors are measured, because data are not old merely because nothing was sold for weeks. */
export function dataAge(records: readonly ContractRecord[], now: Instant): DataAge {
  const watched = records.filter(
    (record) => record.contract !== CANARY && seriesIn(record).length > 0,
  );
  const times = watched
    .flatMap((record) => (record.series.floor && newestOf(record, 'floor')?.time) ?? [])
    .toSorted((one, other) => one - other);
  return {
    freshest: times.at(-1),
    oldest: times.at(0),
    watched: watched.length,
    silent: watched.filter((record) => isSilent(record, now)).length,
  };
}

/** Whether a price series of the contract has had no usable answer for an hour. */
export function isSilent(record: ContractRecord, now: Instant): boolean {
  return seriesIn(record).some(
    ([, { noDataSince }]) => noDataSince !== undefined && now - noDataSince >= SILENCE,
  );
}
