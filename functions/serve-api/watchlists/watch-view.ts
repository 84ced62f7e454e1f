import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import {
  type MeasuredClause,
  measuredClausesOf,
} from '#shared/domain/evaluation/measured-clause.ts';
import type { Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import {
  isNoDataWatch,
  ruleOf,
  seriesOfWatch,
  thresholdIndexOf,
  type Watch,
  waitingOf,
} from '#shared/domain/evaluation/watch.ts';
import { healthOf } from '#shared/domain/evaluation/watch-health.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, momentOf } from '#shared/domain/market/instant.ts';
import { unitShown } from '#shared/domain/metrics/metric.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import { type Condition, isLimit } from '#shared/domain/rules/condition.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import type { WatchCondition, WatchRead } from './answers/watches.ts';
import { acknowledgementView } from './views.ts';

/** The state of a contract at the time of a request for its watches. */
export type ContractView = {
  readonly record: ContractRecord | undefined;
  readonly snapshot: Snapshot;
  readonly now: Instant;
};

/**
 * The mute that holds alerts of a watch the longest, and the acknowledgement of the watch's open
 * episode.
 */
export type Silence = {
  readonly mute: Mute | undefined;
  readonly acknowledgement: Acknowledgement | undefined;
};

export function watchView(
  watch: Watch,
  contract: ContractView,
  { mute, acknowledgement }: Silence,
): WatchRead {
  const { presentation } = watch;
  const readings = measuredClausesOf(watch, contract.snapshot, contract.now);
  const [first] = readings;
  const { falling, rising } = waitsForAnything(watch) ? {} : waitingOf(watch);
  return {
    rule: ruleOf(watch),
    noData: isNoDataWatch(watch),
    contract: watch.contract,
    name: presentation.name ?? null,
    label: presentation.label ?? null,
    ...clauseView(first),
    all: readings.length === 1 ? null : readings.map(clauseView),
    severity: presentation.severity,
    admin: watch.admin === 'enabled' && mute !== undefined ? 'muted' : watch.admin,
    mutedUntil: momentOf(mute?.until),
    mutedUntilRecovered: mute?.episodes !== undefined,
    state: watch.state,
    stateSince: momentOf(watch.stateSince),
    episode: watch.episode,
    acknowledged: acknowledgementView(acknowledgement),
    generation: watch.generation,
    waitsFor: {
      metric: thresholdIndexOf(watch).metric,
      falling: falling === undefined ? null : formatDecimal(falling),
      rising: rising === undefined ? null : formatDecimal(rising),
    },
    dataTime: momentOf(newestTime(watch, contract)),
    health: healthOf(watch, readings, contract.record),
  };
}

function clauseView({ metric, unit, condition, measured }: MeasuredClause): WatchCondition {
  return {
    metric,
    ...conditionView(condition),
    unit: unitShown(metric, unit),
    value: measured.kind === 'value' ? formatDecimal(measured.value) : null,
  };
}

/** Whether every new observation is evaluated, whatever its value. */
export function waitsForAnything(watch: Watch): boolean {
  return (
    watch.state === 'unknown' ||
    watch.recentSamples !== undefined ||
    thresholdIndexOf(watch).metric === 'all'
  );
}

function conditionView(
  condition: Condition,
): Pick<WatchCondition, 'when' | 'threshold' | 'recover' | 'low' | 'high'> {
  const formatted = (value: Decimal | undefined) =>
    value === undefined ? null : formatDecimal(value);
  return {
    when: condition.when,
    threshold: formatted('low' in condition ? undefined : condition.threshold),
    recover: formatted(isLimit(condition) ? condition.recover : undefined),
    low: formatted('low' in condition ? condition.low : undefined),
    high: formatted('low' in condition ? condition.high : undefined),
  };
}

function newestTime(watch: Watch, { record }: ContractView): Instant | undefined {
  const times = seriesOfWatch(watch).flatMap(
    (series) => (record && newestOf(record, series)?.time) ?? [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}
