import type { Instant } from '#shared/domain/market/instant.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { readingsOf } from './reading.ts';
import type { Snapshot } from './snapshot.ts';
import { reportNoValue } from './transitions.ts';
import { firstValueDueAt, partsOfWatch, type Watch } from './watch.ts';
import { healthOf } from './watch-health.ts';

/** What is known of a contract at a moment. */
type Known = {
  readonly record: ContractRecord;
  readonly snapshot: Snapshot;
  readonly now: Instant;
};

/**
 * Reports, once, that a watch has had no value for a day since it came to be, and why: otherwise a
 * contract that no provider knows would be silent for ever.
 */
export function awaitFirstValue(watch: Watch, { record, snapshot, now }: Known): Watch {
  const dueAt = firstValueDueAt(watch);
  if (dueAt === undefined || dueAt > now) return watch;
  const health = healthOf(watch, readingsOf(watch, snapshot, now), record);
  const noValue = {
    why: health?.reason ?? 'no answer has come since the rule was written',
    isAnyReported: partsOfWatch(watch).some((part) => record.parts[part]?.newest !== undefined),
  };
  const nothing = new Map();
  return reportNoValue(watch, {
    ...{ time: dueAt, known: nothing, late: false, now, all: nothing, noValue },
  });
}
