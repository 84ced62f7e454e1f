import { CANARY } from '#shared/domain/market/canary.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { type ContractRecord, newestOf, partsOf } from './contract-record.ts';

/** How old what is known of the watched contracts is; of the canary, which is always new, nothing. */
export type DataAge = {
  /** The time of the newest floor of all, and that of the contract whose newest is the oldest. */
  readonly freshest: Instant | undefined;
  readonly oldest: Instant | undefined;
  /** The number of watched contracts. */
  readonly watched: number;
  /** How many of them have a part of which nothing usable was reported for an hour. */
  readonly silent: number;
};

/** One failure, or a provider that restarts, is no silence yet. */
const SILENCE = HOUR;

/** Floors alone have an age: of a collection without a sale in weeks, nothing is old. */
export function dataAge(records: readonly ContractRecord[], now: Instant): DataAge {
  const watched = records.filter(
    (record) => record.contract !== CANARY && partsOf(record).length > 0,
  );
  const times = watched
    .flatMap((record) => (record.parts.floor && newestOf(record, 'floor')?.time) ?? [])
    .toSorted((one, other) => one - other);
  return {
    freshest: times.at(-1),
    oldest: times.at(0),
    watched: watched.length,
    silent: watched.filter((record) => isSilent(record, now)).length,
  };
}

/** Whether nothing usable was reported of a part of the contract for an hour. */
export function isSilent(record: ContractRecord, now: Instant): boolean {
  return partsOf(record).some(
    ([, { silentSince }]) => silentSince !== undefined && now - silentSince >= SILENCE,
  );
}
