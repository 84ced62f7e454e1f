import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import { amountInWords } from '#shared/domain/alerting/alert-text.ts';
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
import type { ContractRecord, PartRecord } from '#shared/domain/polling/contract-record.ts';
import { type PartHealth, partHealth } from '#shared/domain/polling/part-health.ts';
import { type Condition, isLimit } from '#shared/domain/rules/condition.ts';
import { isClock, partsOfMetric, unitShown } from '#shared/domain/rules/metric.ts';
import { acknowledgementView } from './views.ts';

/** What is known of a contract when somebody looks at its watches. */
export type ContractView = {
  readonly record: ContractRecord | undefined;
  readonly snapshot: Snapshot;
  readonly now: Instant;
};

/**
 * What keeps a watch from being heard: the end of its mute, and the word of who has seen its
 * episode.
 */
export type Silence = {
  readonly mutedUntil: Instant | undefined;
  readonly acknowledgement: Acknowledgement | undefined;
};

/** A watch as its owner reads it: where it stands, and whether what it goes by is sound. */
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
    /** Whether it speaks of missing data beside its rule. */
    noData: isNoDataWatch(watch),
    contract: watch.contract,
    name: presentation.name ?? null,
    label: presentation.label ?? null,
    ...first,
    /** The conditions that must hold together, where they are more than one. */
    all: clauses.length === 1 ? null : clauses,
    severity: presentation.severity,
    admin: watch.admin === 'enabled' && mutedUntil !== undefined ? 'muted' : watch.admin,
    mutedUntil: momentOf(mutedUntil),
    state: watch.state,
    stateSince: momentOf(watch.stateSince),
    episode: watch.episode,
    /** Of the open episode. */
    acknowledged: acknowledgementView(acknowledgement),
    generation: watch.generation,
    /** The numbers of a metric at which it would move next. */
    waitsFor: {
      metric: thresholdIndexOf(watch).metric,
      falling: falling === undefined ? null : formatDecimal(falling),
      rising: rising === undefined ? null : formatDecimal(rising),
    },
    dataTime: momentOf(newestTime(watch, contract)),
    health: healthOf(watch, readings, contract),
  };
}

/** One condition with the value that it is held against; lines that it has not are null. */
function clauseView({ metric, unit, condition, measured }: Reading) {
  return {
    metric,
    ...conditionView(condition),
    unit: unitShown(metric, unit),
    value: measured.kind === 'value' ? formatDecimal(measured.value) : null,
  };
}

/** Whether the next observation moves a watch, whatever it says. */
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
 * Whether a watch goes by sound data, and if not, since when and why: as a code, and in words. Of
 * several parts the first that is not sound is reported.
 */
function healthOf(watch: Watch, readings: readonly Reading[], contract: ContractView) {
  if (watch.brokenSince !== undefined) {
    const reason = 'this rule could not be evaluated, and the operators have been informed';
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
    const words = `the price is reported in ${point.currency}, and watched in ${unit}`;
    return { state: 'disputed', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'no_usd') {
    const words = `the price is reported without its value in ${unit}`;
    return { state: 'disputed', code: 'no_value', reason: words };
  }
  if (known?.outcome === 'ok' && why === 'short_window') {
    const words = 'no price is known from before the window';
    return { state: 'waiting', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'ignored' && part !== 'floor' && point?.kind === 'price') {
    const sold = amountInWords(formatDecimal(point.price), point.currency);
    const words = `the lowest sale, ${sold}, is under what the rule ignores (\`ignoreBelow\`); what was sold above it is not known`;
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
    const words = `the newest floor, ${price}, is far from the one before, ${before}, and waits to be confirmed`;
    return { state: 'disputed', code: 'outlier', reason: words };
  }
  return partHealth(part, known);
}
