import {
  type AlertKind,
  alertId,
  type Fact,
  type RuleAlert,
} from '#shared/domain/alerting/alert.ts';
import {
  fact,
  missingFor,
  momentFact,
  type RuleWords,
  type WordlessAlert,
  worded,
} from '#shared/domain/alerting/alert-words.ts';
import { ENDINGS } from '#shared/domain/alerting/episode.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { priceSeries } from '#shared/domain/market/price-series.ts';
import { measure, priceBehind } from '#shared/domain/metrics/measure.ts';
import {
  familyOf,
  isClock,
  isContinuous,
  isPercent,
  needsCost,
  seriesOfMetric,
  shownSeries,
  spanInWords,
  unitShown,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';
import {
  amountInWords,
  metricName,
  percentMoved,
  valueInWords,
} from '#shared/domain/metrics/value-text.ts';
import { clausesIn, type RuleConditionClause } from '#shared/domain/rules/alert-rule.ts';
import { clauseText, conditionText, recoveryText } from '#shared/domain/rules/clause.ts';
import {
  isBeyond,
  isLimit,
  linesOf,
  passedLine,
  positionOf,
} from '#shared/domain/rules/condition.ts';
import type { Cause } from './cause.ts';
import { isNoDataWatch, ruleOf, type Watch } from './watch.ts';

/** The `n`th alert of a watch, with all its texts. */
export function describeAlert(watch: Watch, kind: AlertKind, n: number, cause: Cause): RuleAlert {
  return worded(withoutWords(watch, kind, n, cause), wordsOf(watch, kind, cause));
}

/**
 * The value of a watch's first condition. Undefined if the value is unknown, or if the alert closes
 * an episode without a price.
 */
export function firstValue({ ruleCondition }: Watch, cause: Cause): Decimal | undefined {
  if (cause.closing !== undefined) return undefined;
  if (cause.clock !== undefined) return cause.clock;
  const measured = measure(ruleCondition, cause.known, cause.windowEnd);
  return measured.kind === 'value' ? measured.value : undefined;
}

function withoutWords(watch: Watch, kind: AlertKind, n: number, cause: Cause): WordlessAlert {
  const { ruleCondition, presentation, firedAt } = watch;
  const { condition, metric } = ruleCondition;
  const value = firstValue(watch, cause);
  const position = value === undefined ? undefined : positionOf(condition, value);
  // A price that is reported late may be older than the price that began the episode.
  const lasted =
    kind === 'fired' || firedAt === undefined ? undefined : Math.max(0, cause.time - firedAt);
  const price =
    isClock(metric) || value === undefined ? undefined : priceBehind(metric, cause.known);
  const isCrossing = condition.when === 'crosses';
  return {
    id: alertId(watch, watch.generation, n),
    kind: isNoDataWatch(watch) ? ofNoDataWatch(kind) : kind,
    tenant: watch.tenant,
    watchlist: watch.list,
    rule: ruleOf(watch),
    contract: watch.contract,
    name: presentation.name ?? null,
    metric,
    when: condition.when,
    threshold: formatDecimal(passedLine(condition, position)),
    value: written(value),
    previous: written(valueBefore(watch, cause)),
    unit: unitShown(metric, ruleCondition.unit),
    usd: written(price?.usd),
    dataTime: formatInstant(cause.time),
    late: cause.late,
    source: sourceOf(price),
    at: formatInstant(cause.now),
    generation: watch.generation,
    episode: isCrossing ? null : watch.episode,
    open: isCrossing && kind === 'fired' ? null : !ENDINGS.includes(kind),
    duration: lasted === undefined ? null : formatDuration(lasted),
    extreme: kind === 'recovered' ? written(extremeOf(watch, cause)) : null,
    severity: presentation.severity,
  };
}

/** The source of a price, and the provider that confirmed it. */
function sourceOf(price: PricePoint | undefined): string | null {
  const { source, confirmedBy } = price ?? {};
  const confirmed = confirmedBy === undefined ? [] : [`confirmed by ${confirmedBy}`];
  return [source, ...confirmed].filter((one) => one !== undefined).join(', ') || null;
}

/**
 * The kind of an alert of a no-data watch: its episode begins with `stale` and ends with `fresh` or
 * `closed`.
 */
function ofNoDataWatch(kind: AlertKind): AlertKind {
  if (kind === 'closed') return kind;
  return kind === 'recovered' ? 'fresh' : 'stale';
}

function valueBefore({ ruleCondition }: Watch, { before }: Cause): Decimal | undefined {
  if (before === undefined) return undefined;
  const measured = measure(ruleCondition, before.known, before.windowEnd);
  return measured.kind === 'value' ? measured.value : undefined;
}

/** The known value that was furthest beyond the line during the episode. */
function extremeOf(
  { ruleCondition, firedAt, lastReported }: Watch,
  { all, time }: Cause,
): Decimal | undefined {
  const { condition, metric, also } = ruleCondition;
  if (!isLimit(condition) || firedAt === undefined || also !== undefined) return undefined;
  // The extreme of an average may be between two steps, just before a new price.
  if (isClock(metric) || isContinuous(metric)) return undefined;
  const [, ...others] = seriesOfMetric(metric);
  // The history does not record when an offer ends, so the extreme might be computed with an offer
  // that had ended.
  if (others.some((series) => priceSeries(series).none?.notRecorded !== undefined))
    return undefined;
  const window = windowOf(metric) ?? 0;
  const moments = [...all.values()]
    .flatMap((points) => points.flatMap((point) => [point.time, point.time + window]))
    .filter((moment) => moment >= firedAt && moment <= time);
  // Include the start of the episode, whose value may come from an earlier point.
  const values = [...new Set([firedAt, ...moments])].flatMap((moment) => {
    const measured = measure(ruleCondition, heldUntil(all, moment), moment);
    return measured.kind === 'value' ? [measured.value] : [];
  });
  const [first, ...later] = lastReported === undefined ? values : [lastReported, ...values];
  const isFurther = (value: Decimal, than: Decimal) =>
    condition.when === 'below' ? value < than : value > than;
  return later.reduce(
    (far, value) => (far === undefined || isFurther(value, far) ? value : far),
    first,
  );
}

/** All known points up to a moment. */
function heldUntil(all: Series, moment: Instant): Series {
  return new Map(
    [...all].map(([series, points]) => [series, points.filter(({ time }) => time <= moment)]),
  );
}

/** A watch's rule in words, with the given label. */
export function ruleWords(watch: Watch, label: string | undefined): RuleWords {
  const { ruleCondition } = watch;
  const { condition, metric, unit } = ruleCondition;
  const clauses = clausesIn(ruleCondition);
  const words = {
    label,
    condition: conditionText(condition, metric, unit),
    conditions: clauses.map(clauseText),
    hasNoValue: watch.noValueSince !== undefined,
  };
  if (clauses.length > 1) return { ...words, recover: 'not all conditions hold' };
  return {
    ...words,
    recover: recoveryText(condition, metric, unit),
    ...(isLimit(condition) && condition.recover !== undefined
      ? { recoverAt: formatDecimal(condition.recover) }
      : {}),
    ...(isNoDataWatch(watch) && isLimit(condition)
      ? { missing: missingFor(metric, formatDecimal(condition.threshold)) }
      : {}),
  };
}

/** A watch's rule in words, with the facts that explain an alert. */
function wordsOf(watch: Watch, kind: AlertKind, cause: Cause): RuleWords {
  const since = kind === 'fired' ? undefined : watch.firedAt;
  const words = { ...ruleWords(watch, watch.presentation.label), since };
  if (cause.closing !== undefined) return { ...words, closing: cause.closing };
  if (cause.noValue !== undefined) {
    const { why, isAnyReported } = cause.noValue;
    return { ...words, why, details: noValueFacts(watch, isAnyReported) };
  }
  const clauses = clausesIn(watch.ruleCondition);
  const { condition } = watch.ruleCondition;
  const value = clauses.length === 1 ? firstValue(watch, cause) : undefined;
  return {
    ...words,
    ...(clauses.length === 1
      ? {}
      : { conditions: clauses.map((clause) => sentenceWithValue(clause, cause)) }),
    isBetween: value !== undefined && !isBeyond(condition, value),
    details: [...moneyFacts(watch, cause), ...basisFacts(watch, cause), ...outlierFacts(cause)],
  };
}

/** When the wait for a first value began, and what to do next. */
function noValueFacts({ since }: Watch, isAnyReported: boolean): readonly Fact[] {
  return [
    ...fact('Reported so far', isAnyReported ? undefined : 'nothing from any provider'),
    ...momentFact('Waiting since', since),
    ...fact('Next', "Check the contract address. See the rule's health for details."),
  ];
}

/** Whether the suspect was confirmed or ignored. */
function outlierFacts({ heldBack }: Cause): readonly Fact[] {
  if (heldBack === undefined) return [];
  const { outlier, stood, isConfirmed } = heldBack;
  const price = amountInWords(formatDecimal(outlier.price), outlier.currency);
  const far = percentMoved(outlier.price, stood.price);
  const [name, then] = isConfirmed
    ? (['Confirmed', 'which was held back as a possible glitch until now'] as const)
    : (['Ignored', 'which the next price did not confirm'] as const);
  const say = (moment: string) => `the floor of ${price} (${far}) at ${moment}, ${then}`;
  return momentFact(name, outlier.time, say);
}

/**
 * The two numbers behind a percentage or ratio; for an average, the volume and the number of sales.
 */
function basisFacts({ ruleCondition }: Watch, { known, windowEnd, clock }: Cause): readonly Fact[] {
  const { metric, unit, holding } = ruleCondition;
  if (clock !== undefined) return newestFacts(metric, known);
  const measured = measure(ruleCondition, known, windowEnd);
  if (measured.kind === 'none' || measured.basis === undefined) return [];
  const names = familyOf(metric).basis?.(spanInWords(metric));
  if (names === undefined) return [];
  const { price, reference } = measured.basis;
  return [
    ...fact(names.price, amountInWords(formatDecimal(price), unit)),
    ...fact(names.reference, amountInWords(formatDecimal(reference), names.referenceUnit ?? unit)),
    ...fact('Tokens held', holding && !isPercent(metric) ? `${holding.amount}` : undefined),
  ];
}

/** The newest data before they stopped, or after they returned. */
function newestFacts(
  metric: Watch['ruleCondition']['metric'],
  known: Cause['known'],
): readonly Fact[] {
  const [points = []] = known.values();
  const newest = points.at(-1);
  if (newest === undefined) return fact('Newest price', 'none so far');
  const { price: what } = priceSeries(shownSeries(metric)).words;
  const price =
    newest.kind === 'price' ? amountInWords(formatDecimal(newest.price), newest.currency) : 'none';
  return momentFact(`Newest ${what}`, newest.time, (moment) => `${price} at ${moment}`);
}

/** The price in the other currency, and how much of its move comes from the exchange rate. */
function moneyFacts({ ruleCondition }: Watch, { known, before }: Cause): readonly Fact[] {
  const { metric, unit } = ruleCondition;
  // Omit the price next to a gain: a reader would take it for the gain in the other currency.
  const isOfGain = needsCost(metric) && !isPercent(metric);
  const price = isClock(metric) || isOfGain ? undefined : priceBehind(metric, known);
  if (price?.usd === undefined) return [];
  const previous = before && priceBehind(metric, before.known);
  const inUsd = unit === 'usd';
  const [reported, was] = inUsd ? [price.price, previous?.price] : [price.usd, previous?.usd];
  const currency = inUsd ? price.currency : 'usd';
  const same = previous?.currency === price.currency;
  const moved = same && was !== undefined ? `, ${percentMoved(reported, was)}` : '';
  const rate = same ? rateMoved(price, previous) : undefined;
  const ofRate =
    rate === undefined || rate === '0.0%' || isPercent(metric)
      ? ''
      : ` (${price.currency.toUpperCase()} itself ${rate})`;
  const name = inUsd ? price.currency.toUpperCase() : 'dollars';
  const amount = amountInWords(formatDecimal(reported), currency);
  return fact(`In ${name}`, `${amount}${moved}${ofRate}`);
}

/** How much the currency itself moved against the dollar between two prices, in percent. */
function rateMoved(price: PricePoint, previous: PricePoint | undefined): string | undefined {
  if (price.usd === undefined || previous?.usd === undefined) return undefined;
  return percentMoved(price.usd * previous.price, previous.usd * price.price);
}

/** One of several conditions that must hold together: `floor price 59 ETH (at or below 60 ETH)`. */
function sentenceWithValue(clause: RuleConditionClause, { known, windowEnd }: Cause): string {
  const { metric, unit, condition } = clause;
  const measured = measure(clause, known, windowEnd);
  const value =
    measured.kind === 'value'
      ? valueInWords(
          metric,
          formatDecimal(measured.value),
          unitShown(metric, unit),
          linesOf(condition).map(formatDecimal),
        )
      : measured.why === 'no_sale'
        ? 'none'
        : 'unknown';
  const line = conditionText(condition, metric, unit);
  const fails =
    measured.kind === 'value' ? !isBeyond(condition, measured.value) : measured.why === 'no_sale';
  return `${metricName(metric)} ${value} (${fails ? 'not met: ' : ''}${line})`;
}

function written(value: Decimal | undefined): string | null {
  return value === undefined ? null : formatDecimal(value);
}
