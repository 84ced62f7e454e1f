import type { Newest } from '#shared/domain/alerting/newest.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  isClock,
  type Metric,
  seriesOfMetric,
  shownSeries,
} from '#shared/domain/metrics/metric.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import type { Cause } from './cause.ts';
import { describeAlert } from './describe-alert.ts';
import { measuredBy } from './law.ts';
import { measuredClausesOf } from './measured-clause.ts';
import { type Snapshot, stepNow } from './snapshot.ts';
import type { Watch } from './watch.ts';

/**
 * The newest value of a watch, for a message that is sent later than its alert: a summary after a
 * mute, or an escalation. Undefined if the value of its first condition is unknown.
 */
export function newestValueOf(watch: Watch, snapshot: Snapshot, now: Instant): Newest | undefined {
  const present = presentOf(watch, snapshot, now);
  if (present === undefined) return undefined;
  const alert = describeAlert(watch, 'escalated', watch.alerts, present);
  return { alert, age: Math.max(0, now - present.time) };
}

function presentOf(watch: Watch, snapshot: Snapshot, now: Instant): Cause | undefined {
  const { record, past } = snapshot;
  const { metric } = watch.ruleCondition;
  const [first] = measuredClausesOf(watch, snapshot, now);
  if (record === undefined || first === undefined) return undefined;
  const { measured } = first;
  if (measured.kind === 'none' && measured.why !== 'no_sale') return undefined;
  if (isClock(metric) && measured.kind === 'value') {
    return causeByClock(metric, record, measured.value, now, now);
  }
  const step = stepNow(record, now);
  const { known, windowEnd } = measuredBy(watch, step, step.reading, past);
  const time = known.get(shownSeries(metric))?.at(-1)?.time ?? now;
  return { known, windowEnd, time, late: false, now, all: known };
}

/** The cause of an alert about a clock metric at a moment: its value, and the newest data. */
export function causeByClock(
  metric: Metric,
  record: ContractRecord | undefined,
  clock: Decimal,
  time: Instant,
  now: Instant,
): Cause {
  const [series] = seriesOfMetric(metric);
  const newest = record && newestOf(record, series);
  const known: Series = new Map([[series, newest === undefined ? [] : [newest]]]);
  return { time, known, windowEnd: time, late: false, now, all: known, clock };
}
