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

/**
 * Maximum fraction digits of a threshold: one fewer than prices have, so that a truncated price
 * stays on the same side of a threshold.
 */
const DECIMALS = SCALE - 1;
const FINEST: Decimal = 10n ** BigInt(SCALE - DECIMALS);

/** A threshold in the unit of the metric, converted to its shortest form. */
export const Threshold = z.lazy(() =>
  z.string().transform((text, context) => {
    const value = parseDecimal(text);
    const isKept = value !== undefined && value < GREATEST && value > -GREATEST;
    if (isKept && value % FINEST === 0n) return formatDecimal(value);
    context.issues.push({
      code: 'custom',
      input: text,
      message: `expected a decimal number as a string, with at most ${DECIMALS} fraction digits and below 10^${WHOLE_DIGITS}, for example "${meantBy(text) ?? '9.5'}"; found ${JSON.stringify(text.slice(0, 40))}`,
    });
    return z.NEVER;
  }),
);

/**
 * The number that a text probably means: spaces and a unit are omitted, and a comma becomes a point
 * unless it may separate thousands. Undefined without such a number.
 */
function meantBy(text: string): string | undefined {
  // The length is limited, because the time of the match grows with its cube.
  const [, number = ''] =
    /^\s*([-−]?\d{0,20}([.,]\d{1,17})?)\s*(%|[a-z]{2,6})?\s*$/i.exec(text.slice(0, 60)) ?? [];
  if (/,\d{3}$/.test(number)) return undefined;
  const value = parseDecimal(
    number
      .replace(',', '.')
      .replace('−', '-')
      .replace(/^(-?)\./, '$10.'),
  );
  return value === undefined ? undefined : formatDecimal(value);
}

/** A price or zero, for metrics of sales. */
const LeastPrice = Threshold.refine(
  (text) => decimal(text) >= 0n,
  'expected a price, or "0" so that no sale is ignored',
);

/** The cost of a holding. */
export const PositivePrice = Threshold.refine(
  (text) => decimal(text) > 0n,
  'expected a price above 0',
);

/** A currency by its symbol. A wrapped currency has the unit of its original. */
export const Unit = z.lazy(() =>
  z
    .string()
    .transform(unitOf)
    .refine((unit) => UNITS.includes(unit), `expected a currency: ${UNITS.join(', ')}`),
);

/** The members of a clause. */
export const clauseMembers = {
  metric: Metric,
  when: z.enum(['below', 'above', 'outside', 'inside', 'crosses']),
  /**
   * For `below`, `above` and `crosses`. A value equal to the threshold meets `below` and `above`.
   * For `crosses` such a value counts as still on the side from which it came.
   */
  threshold: Threshold.optional(),
  /** For `outside` and `inside`: the edges of the band, which count as inside. */
  low: Threshold.optional(),
  high: Threshold.optional(),
  /** The currency of prices; by default the chain's own. */
  unit: Unit.optional(),
  /**
   * For metrics of sales: a lowest sale below this price is considered dust, a gift or a mistake,
   * so the metric has no value.
   */
  ignoreBelow: LeastPrice.optional(),
};

export function clauseForms(): Forms {
  const number = `\\d{1,${WHOLE_DIGITS}}(\\.\\d{1,${DECIMALS}})?`;
  const rest = `\\d{0,${WHOLE_DIGITS - 1}}(\\.\\d{1,${DECIMALS}})?`;
  return [
    [Threshold, { pattern: `^-?${number}$`, examples: ['9.5'] }],
    [LeastPrice, { pattern: `^${number}$`, examples: ['0.01'] }],
    [
      PositivePrice,
      { pattern: `^(0\\.\\d{0,${DECIMALS - 1}}[1-9]|[1-9]${rest})$`, examples: ['12.5'] },
    ],
    [Unit, { enum: [...UNITS] }],
  ];
}

export const CLAUSE_MEMBERS = Object.keys(clauseMembers) as (keyof typeof clauseMembers)[];

/** A metric and its condition in a request. */
export type Clause = {
  readonly metric: Metric;
  readonly when: Condition['when'];
} & Readonly<
  Partial<
    Record<'threshold' | 'low' | 'high' | 'recover' | 'unit' | 'ignoreBelow', string | undefined>
  >
>;

/** A member that contradicts others, with a message about the expected value. */
export type Contradiction = { readonly member: string; readonly message: string };

/** The families without a value if the window contains no sale. */
const OF_SALES = familiesWith((family) => family.readsSales);

/** Contradictions between the members of a clause. */
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
  const whens = supportedConditions(metric);
  expect(whens.includes(when), 'when', `expected ${quoted(whens)} for ${metric}`);
  const { unit } = familyOf(metric);
  if (typeof unit === 'object') {
    const instead =
      unit.use === undefined ? `${metric} has no value in dollars` : `for dollars use ${unit.use}`;
    const message = `expected a unit other than "${unit.anyBut}"; ${instead}`;
    expect(clause.unit !== unit.anyBut, 'unit', message);
  } else if (unit === 'cost') {
    const message = `expected no unit: ${metric} has the unit of each contract's cost`;
    expect(clause.unit === undefined, 'unit', message);
  } else if (unit !== 'any') {
    const message = `expected no unit: ${metric} is reported in ${unit}`;
    expect(clause.unit === undefined || clause.unit === unit, 'unit', message);
  }
  if (clause.ignoreBelow !== undefined) {
    expect(readsSales(metric), 'ignoreBelow', `allowed only with ${OF_SALES.join(' and ')}`);
    const isUnderLine = isPercent(metric) || isAscending(clause.ignoreBelow, lineOf(clause));
    expect(isUnderLine, 'ignoreBelow', `expected a price below the threshold, ${lineOf(clause)}`);
  }
  return found;
}

/** The conditions that a metric supports. Clock metrics only rise, so they support only `above`. */
export function supportedConditions(metric: Metric): readonly Condition['when'][] {
  return isClock(metric) ? ['above'] : clauseMembers.when.options;
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' or ');
}

function lineOf({ threshold, low }: Clause): string | undefined {
  return threshold ?? low;
}

/**
 * The price below which a clause ignores sales, because they are gifts or mistakes. The default is
 * a hundredth of the threshold; for a discount, a hundredth of the floor.
 */
export function ignoredBelow(clause: Clause): Pick<Quantity, 'ignoreBelow'> {
  const { metric, ignoreBelow } = clause;
  if (!readsSales(metric)) return {};
  if (ignoreBelow !== undefined) return { ignoreBelow: decimal(ignoreBelow) };
  return { ignoreBelow: isPercent(metric) ? 'hundredth' : decimal(lineOf(clause)) / 100n };
}

/** A range of numbers in words: `above 0`, `below 100`, `above 0 and below 100`. */
function rangeText(above: Decimal | undefined, below: Decimal | undefined): string {
  return [
    ...(above === undefined ? [] : [`above ${formatDecimal(above)}`]),
    ...(below === undefined ? [] : [`below ${formatDecimal(below)}`]),
  ].join(' and ');
}

/** The numeric condition of a clause. */
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

/** A condition in words: `at or below 60 ETH`, `outside 50 to 120 ETH`. */
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

/** A metric and its condition in words: `floor price at or below 60 ETH`. */
export function clauseText({ metric, unit, condition }: NumericClause): string {
  return `${metricName(metric)} ${conditionText(condition, metric, unit)}`;
}

type NumericClause = {
  readonly metric: Metric;
  readonly unit: string;
  readonly condition: Condition;
};

/** The recovery in words: `above 60 ETH`, `at or above 70 ETH`. */
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

/** Whether two decimals are in ascending order; true if one is missing. */
export function isAscending(lower: string | undefined, upper: string | undefined): boolean {
  return lower === undefined || upper === undefined || decimal(lower) < decimal(upper);
}

/** The value of a decimal that a schema has validated. */
export function decimal(text = ''): Decimal {
  const value = parseDecimal(text);
  if (value === undefined)
    throw new RangeError(`${text} must be a decimal with at most 18 fraction digits`);
  return value;
}
