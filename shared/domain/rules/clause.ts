import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { UNITS, unitOf } from '#shared/domain/market/currency.ts';
import {
  type Decimal,
  formatDecimal,
  GREATEST,
  parseDecimal,
  SCALE,
  WHOLE_DIGITS,
} from '#shared/domain/market/decimal.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import {
  familiesWith,
  familyOf,
  isClock,
  isPercent,
  isThreshold,
  Metric,
  readsSales,
  thresholdsOf,
  unitShown,
} from '#shared/domain/metrics/metric.ts';
import { metricName, thresholdInWords } from '#shared/domain/metrics/value-text.ts';
import type { Condition } from './condition.ts';

/** One fewer than prices have: a price whose decimals are cut stays on its side of a threshold. */
const DECIMALS = SCALE - 1;
const FINEST: Decimal = 10n ** BigInt(SCALE - DECIMALS);

/** A threshold: a decimal in the metric's unit, returned in its shortest form. */
export const Threshold = z.string().transform((text, context) => {
  const value = parseDecimal(text);
  const isKept = value !== undefined && value < GREATEST && value > -GREATEST;
  if (isKept && value % FINEST === 0n) return formatDecimal(value);
  context.issues.push({
    code: 'custom',
    input: text,
    message: `expected a decimal number as a string, at most ${DECIMALS} decimals and below 10^${WHOLE_DIGITS}, for example "9.5"`,
  });
  return z.NEVER;
});

/** Of sales: a price, or zero. */
const LeastPrice = Threshold.refine(
  (text) => decimal(text) >= 0n,
  'expected a price, or "0" for none',
);

/** A currency by its symbol; wrapped money counts as the money itself. */
const Unit = z
  .string()
  .transform(unitOf)
  .refine((unit) => UNITS.includes(unit), `expected a currency: ${UNITS.join(', ')}`);

/** What may be said of one number: the members of a clause. */
export const clauseMembers = {
  metric: Metric,
  when: z.enum(['below', 'above', 'outside', 'inside', 'crosses']),
  /**
   * Of `below`, `above` and `crosses`. At the threshold counts; for `crosses` it keeps its side.
   */
  threshold: Threshold.optional(),
  /** Of `outside` and `inside`: the edges of the band, which are inside. */
  low: Threshold.optional(),
  high: Threshold.optional(),
  /** The currency that prices are read in; left out, the chain's own. */
  unit: Unit.optional(),
  /**
   * Of sales: a lowest sale under this price is dust, a gift or a mistake, and returns no price.
   */
  ignoreBelow: LeastPrice.optional(),
};

export function clauseForms(): Forms {
  const number = `\\d{1,${WHOLE_DIGITS}}(\\.\\d{1,${DECIMALS}})?`;
  return [
    [Threshold, { pattern: `^-?${number}$`, examples: ['9.5'] }],
    [LeastPrice, { pattern: `^${number}$`, examples: ['0.01'] }],
    [Unit, { enum: [...UNITS] }],
  ];
}

export const CLAUSE_MEMBERS = Object.keys(clauseMembers) as (keyof typeof clauseMembers)[];

/** A metric and the condition it is held against, as people write it. */
export type Clause = {
  readonly metric: Metric;
  readonly when: Condition['when'];
} & Readonly<
  Partial<
    Record<'threshold' | 'low' | 'high' | 'recover' | 'unit' | 'ignoreBelow', string | undefined>
  >
>;

/** Members that do not go together, each with what was expected of it. */
export type Contradiction = { readonly member: string; readonly message: string };

/** The families that have no value where no sale is left. */
const OF_SALES = familiesWith((family) => family.readsSales);

/** What is wrong with a clause whose members are right by themselves. */
export function contradictionsInClause(clause: Clause): readonly Contradiction[] {
  const { metric, when } = clause;
  const found: Contradiction[] = [];
  const expect = (holds: boolean, member: keyof Clause, message: string) => {
    if (!holds) found.push({ member, message });
  };
  if (when === 'outside' || when === 'inside') {
    expect(clause.threshold === undefined, 'threshold', `expected "low" and "high" for "${when}"`);
    expect(clause.low !== undefined, 'low', `expected the lower edge of the band for "${when}"`);
    expect(clause.high !== undefined, 'high', `expected the upper edge of the band for "${when}"`);
    expect(
      isAscending(clause.low, clause.high),
      'high',
      'expected an upper edge above the lower one',
    );
  } else {
    expect(clause.threshold !== undefined, 'threshold', `expected a threshold for "${when}"`);
    expect(clause.low === undefined, 'low', `expected no band for "${when}"`);
    expect(clause.high === undefined, 'high', `expected no band for "${when}"`);
  }
  const { above, below } = thresholdsOf(metric);
  for (const member of ['threshold', 'low', 'high', 'recover'] as const) {
    const value = clause[member] === undefined ? undefined : decimal(clause[member]);
    expect(
      value === undefined || isThreshold(metric, value),
      member,
      `expected a number ${rangeText(above, below)} for ${metric}`,
    );
  }
  const whens = whensOf(metric);
  expect(whens.includes(when), 'when', `expected ${quoted(whens)} for ${metric}`);
  const { unit } = familyOf(metric);
  if (typeof unit === 'object') {
    const instead =
      unit.use === undefined ? 'it has no value in dollars' : `for dollars use ${unit.use}`;
    const message = `expected a currency; ${instead}`;
    expect(clause.unit !== unit.anyBut, 'unit', message);
  } else if (unit !== 'any') {
    const message = `expected no unit: ${metric} is reported in ${unit}`;
    expect(clause.unit === undefined || clause.unit === unit, 'unit', message);
  }
  if (clause.ignoreBelow !== undefined) {
    expect(readsSales(metric), 'ignoreBelow', `expected only with ${OF_SALES.join(' and ')}`);
    const isUnderLine = isPercent(metric) || isAscending(clause.ignoreBelow, lineOf(clause));
    expect(isUnderLine, 'ignoreBelow', `expected a price under the line of ${lineOf(clause)}`);
  }
  return found;
}

/** The conditions that a metric takes: one that the clock moves only rises by itself. */
export function whensOf(metric: Metric): readonly Condition['when'][] {
  return isClock(metric) ? ['above'] : clauseMembers.when.options;
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' or ');
}

function lineOf({ threshold, low }: Clause): string | undefined {
  return threshold ?? low;
}

/**
 * The price under which a clause ignores sales; by default a hundredth of its threshold, or for a
 * discount of the floor: such sales are gifts or mistakes.
 */
export function ignoredBelow(clause: Clause): Pick<Quantity, 'ignoreBelow'> {
  const { metric, ignoreBelow } = clause;
  if (!readsSales(metric)) return {};
  if (ignoreBelow !== undefined) return { ignoreBelow: decimal(ignoreBelow) };
  return { ignoreBelow: isPercent(metric) ? 'hundredth' : decimal(lineOf(clause)) / 100n };
}

/** `above 0`, `below 100`, `above 0 and below 100`. */
function rangeText(above: Decimal | undefined, below: Decimal | undefined): string {
  return [
    ...(above === undefined ? [] : [`above ${formatDecimal(above)}`]),
    ...(below === undefined ? [] : [`below ${formatDecimal(below)}`]),
  ].join(' and ');
}

/** The condition of a clause in numbers. */
export function conditionOf({ when, threshold, low, high, recover }: Clause): Condition {
  switch (when) {
    case 'outside':
    case 'inside':
      return { when, low: decimal(low), high: decimal(high) };
    case 'crosses':
      return { when, threshold: decimal(threshold) };
    case 'below':
    case 'above':
      return {
        when,
        threshold: decimal(threshold),
        ...(recover === undefined ? {} : { recover: decimal(recover) }),
      };
  }
}

/** A condition in a sentence: `at or below 60 ETH`, `outside 50 to 120 ETH`. */
export function conditionText(condition: Condition, metric: Metric, unit: string): string {
  const written = wordsFor(metric, unit);
  switch (condition.when) {
    case 'below':
    case 'above':
      return `at or ${condition.when} ${written(condition.threshold)}`;
    case 'crosses':
      return `crosses ${written(condition.threshold)}`;
    case 'outside':
    case 'inside':
      return `${condition.when} ${bandText(condition, metric, unit)}`;
  }
}

/** A metric and its condition in a sentence: `floor price at or below 60 ETH`. */
export function clauseText({ metric, unit, condition }: NumericClause): string {
  return `${metricName(metric)} ${conditionText(condition, metric, unit)}`;
}

type NumericClause = {
  readonly metric: Metric;
  readonly unit: string;
  readonly condition: Condition;
};

/** Where a value has recovered, in a sentence: `above 60 ETH`, `at or above 70 ETH`. */
export function recoveryText(
  condition: Condition,
  metric: Metric,
  unit: string,
): string | undefined {
  const written = wordsFor(metric, unit);
  switch (condition.when) {
    case 'below':
    case 'above': {
      const { threshold, recover } = condition;
      const atOr = recover === undefined ? '' : 'at or ';
      const side = condition.when === 'below' ? 'above' : 'below';
      return `${atOr}${side} ${written(recover ?? threshold)}`;
    }
    case 'outside':
      return `inside ${bandText(condition, metric, unit)}`;
    case 'inside':
      return `outside ${bandText(condition, metric, unit)}`;
    case 'crosses':
      return undefined;
  }
}

function bandText(
  { low, high }: Extract<Condition, { low: Decimal }>,
  metric: Metric,
  unit: string,
): string {
  const written = wordsFor(metric, unit);
  return unit === 'usd'
    ? `${written(low)} to ${written(high)}`
    : `${formatDecimal(low)} to ${written(high)}`;
}

function wordsFor(metric: Metric, unit: string): (value: Decimal) => string {
  return (value) => thresholdInWords(metric, formatDecimal(value), unitShown(metric, unit));
}

/** Whether two decimals, where both are given, stand in this order. */
export function isAscending(lower: string | undefined, upper: string | undefined): boolean {
  return lower === undefined || upper === undefined || decimal(lower) < decimal(upper);
}

/** A decimal that a schema has let through. */
export function decimal(text = ''): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`${text} is no decimal of at most 18 decimals`);
  return value;
}
