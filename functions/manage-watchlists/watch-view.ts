import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import { type Reading, readingsOf } from '#shared/domain/evaluation/reading.ts';
import type { Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import {
  isNoDataWatch,
  partsOfWatch,
  ruleOf,
  thresholdIndexOf,
  type Watch,
  waitingOf,
} from '#shared/domain/evaluation/watch.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/point.ts';
import { isClock, partsOfMetric, unitShown } from '#shared/domain/metrics/metric.ts';
import { amountInWords } from '#shared/domain/metrics/value-text.ts';
import type { ContractRecord, PartRecord } from '#shared/domain/polling/contract-record.ts';
import { type PartHealth, partHealth } from '#shared/domain/polling/part-health.ts';
import { type Condition, isLimit } from '#shared/domain/rules/condition.ts';
import { acknowledgementView } from './views.ts';

/** The state of a contract at the time of a request for its watches. */
export type ContractView = {
  readonly record: ContractRecord | undefined;
  readonly snapshot: Snapshot;
  readonly now: Instant;
};

/**
 * Why a watch may be silent: the end of its mute, and the acknowledgement of its open episode.
 */
export type Silence = {
  readonly mutedUntil: Instant | undefined;
  readonly acknowledgement: Acknowledgement | undefined;
};

/** A watch as its owner reads it: its state, and whether its data are sound. */
export function watchView(
  watch: Watch,
  contract: ContractView,
  { mutedUntil, acknowledgement }: Silence,
) {
  const { presentation } = watch;
  const readings = readingsOf(watch, contract.snapshot, contract.now);
  const clauses = readings.map(clauseView);
  const [first] = clauses;
  const { falling, rising } = waitsForAnything(watch) ? {} : waitingOf(watch);
  return {
    rule: ruleOf(watch),
    /** Whether it is the no-data watch of its rule. */
    noData: isNoDataWatch(watch),
    contract: watch.contract,
    name: presentation.name ?? null,
    label: presentation.label ?? null,
    ...first,
    /** The conditions that must hold together; null for a single one. */
    all: clauses.length === 1 ? null : clauses,
    severity: presentation.severity,
    admin: watch.admin === 'enabled' && mutedUntil !== undefined ? 'muted' : watch.admin,
    mutedUntil: momentOf(mutedUntil),
    state: watch.state,
    stateSince: momentOf(watch.stateSince),
    episode: watch.episode,
    /** The acknowledgement of the open episode. */
    acknowledged: acknowledgementView(acknowledgement),
    generation: watch.generation,
    /** The values of a metric at which the watch moves next. */
    waitsFor: {
      metric: thresholdIndexOf(watch).metric,
      falling: falling === undefined ? null : formatDecimal(falling),
      rising: rising === undefined ? null : formatDecimal(rising),
    },
    dataTime: momentOf(newestTime(watch, contract)),
    health: healthOf(watch, readings, contract),
  };
}

/** One condition with the value that it is compared with; lines that it lacks are null. */
function clauseView({ metric, unit, condition, measured }: Reading) {
  return {
    metric,
    ...conditionView(condition),
    unit: unitShown(metric, unit),
    value: measured.kind === 'value' ? formatDecimal(measured.value) : null,
  };
}

/** Whether any new observation moves a watch, whatever its value. */
export function waitsForAnything(watch: Watch): boolean {
  return (
    watch.state === 'unknown' ||
    watch.ring !== undefined ||
    thresholdIndexOf(watch).metric === 'all'
  );
}

function conditionView(condition: Condition) {
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
  const times = partsOfWatch(watch).flatMap(
    (part) => record?.parts[part]?.newest?.point.time ?? [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Whether the data of a watch are sound; if not, since when and why, as a code and in words. Of
 * several parts, the first unsound one is reported.
 */
function healthOf(watch: Watch, readings: readonly Reading[], contract: ContractView) {
  if (watch.brokenSince !== undefined) {
    const reason = 'this rule could not be evaluated; the operators have been informed';
    return { state: 'error', code: 'not_evaluated', reason, since: momentOf(watch.brokenSince) };
  }
  const formatted = readings.flatMap((reading) =>
    partsOfMetric(reading.metric).map((part) => healthWith(watch, reading, part, contract)),
  );
  return formatted.find(({ state }) => state !== 'fresh') ?? formatted[0];
}

function healthWith(watch: Watch, reading: Reading, part: Part, contract: ContractView) {
  const known = contract.record?.parts[part];
  const since = known?.outcome === undefined ? watch.since : known.since;
  const takesNoOutliers = !watch.ruleCondition.takesOutliers && !isClock(reading.metric);
  return { ...soundnessOf(reading, part, known, takesNoOutliers), since: momentOf(since) };
}

function soundnessOf(
  { unit, measured }: Reading,
  part: Part,
  known: PartRecord | undefined,
  takesNoOutliers: boolean,
): PartHealth {
  const why = measured.kind === 'none' ? measured.why : undefined;
  const point = known?.newest?.point;
  if (known?.outcome !== undefined && why === 'other_unit' && point?.kind === 'price') {
    const words = `the provider reports the price in ${point.currency}; the rule watches it in ${unit}`;
    return { state: 'disputed', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'no_usd') {
    const words = `the provider reports the price without its value in ${unit}`;
    return { state: 'disputed', code: 'no_value', reason: words };
  }
  if (known?.outcome === 'ok' && why === 'short_window') {
    const words = 'no price is known from before the window';
    return { state: 'waiting', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'ignored' && part !== 'floor' && point?.kind === 'price') {
    const sold = amountInWords(formatDecimal(point.price), point.currency);
    const words = `the lowest sale, ${sold}, is below the \`ignoreBelow\` of the rule, and no sale above it is known`;
    return { state: 'disputed', code: why, reason: words };
  }
  const standing = known?.newest?.standing;
  if (
    known?.outcome === 'ok' &&
    standing !== undefined &&
    takesNoOutliers &&
    point?.kind === 'price'
  ) {
    const price = amountInWords(formatDecimal(point.price), point.currency);
    const before = amountInWords(formatDecimal(standing.price), standing.currency);
    const words = `the newest floor, ${price}, is far from the previous one, ${before}, and is not confirmed yet`;
    return { state: 'disputed', code: 'outlier', reason: words };
  }
  return partHealth(part, known);
}
