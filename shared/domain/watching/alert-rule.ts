import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { amountInWords } from '#shared/domain/alerting/alert-text.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, readInstant } from '#shared/domain/market/instant.ts';
import { GREATEST } from './ladder.ts';
import { Metric, unitOfMetric } from './metric.ts';
import { Identifier, Line } from './words.ts';

/** A threshold: a positive decimal, told back in its shortest form. */
const Threshold = z.string().transform((text, context) => {
  const value = parseDecimal(text);
  if (value !== undefined && value > 0n && value < GREATEST) return formatDecimal(value);
  context.issues.push({
    code: 'custom',
    input: text,
    message:
      'expected a decimal number above zero as a string, at most 18 decimals and below 10^20, for example "9.5"',
  });
  return z.NEVER;
});

/** A moment as ISO 8601, told back in UTC with milliseconds. */
export const Moment = z.string().transform((text, context) => {
  const instant = readInstant(text);
  if (instant !== undefined) return formatInstant(instant);
  context.issues.push({
    code: 'custom',
    input: text,
    message: 'expected a moment in ISO 8601, for example "2026-12-31T00:00:00Z"',
  });
  return z.NEVER;
});

/** A share of a price in percent, above zero and below a hundred. */
const Percent = z.string().transform((text, context) => {
  const value = parseDecimal(text);
  if (value !== undefined && value > 0n && value < 100n * ONE) return formatDecimal(value);
  context.issues.push({
    code: 'custom',
    input: text,
    message: 'expected a percentage above 0 and below 100 as a string, for example "10"',
  });
  return z.NEVER;
});

/** What a person may say of a rule; all that is left out does the expected thing. */
export const AlertRule = z
  .strictObject({
    id: Identifier.optional(),
    label: Line.optional(),
    /** A contract of the list, or `*` for each of them. */
    on: z.union([z.literal('*'), ContractKey]).default('*'),
    metric: Metric,
    when: z.enum(['below', 'above', 'outside', 'inside', 'crosses']),
    /** Of `below`, `above` and `crosses`. At the threshold counts; for `crosses` it keeps its side. */
    threshold: Threshold.optional(),
    /** Of `outside` and `inside`: the edges of the band, which are inside. */
    low: Threshold.optional(),
    high: Threshold.optional(),
    /** Where the episode ends; strictly on the good side. Without it any value not beyond ends it. */
    recover: Threshold.optional(),
    /** How long it must hold, by data time, before it fires. */
    for: Duration.optional(),
    /** How many of the last observations must be beyond to fire. */
    confirm: z
      .strictObject({ times: z.int().min(1).max(20), of: z.int().min(2).max(20) })
      .refine(({ times, of }) => times <= of, {
        path: ['times'],
        message: 'expected at most as many times as observations',
      })
      .optional(),
    /** How long it must have recovered, by data time, before the episode ends. */
    keepFor: Duration.optional(),
    /** `level` fires if already beyond; `cross` waits for a fresh crossing. */
    arm: z.enum(['level', 'cross']).default('level'),
    /** One episode, each episode, or each with a reminder on a fixed clock while it lasts. */
    repeat: z
      .union([z.enum(['once', 'every']), z.strictObject({ reminder: Duration })])
      .default('every'),
    /** Alert again each further so many percent from the value last told. */
    steps: Percent.optional(),
    severity: z.enum(['info', 'warning', 'critical']).default('warning'),
    notifyRecovery: z.boolean().default(true),
    enabled: z.boolean().default(true),
    expiresAt: Moment.optional(),
  })
  .superRefine((rule, context) => {
    for (const { member, message } of contradictionsOf(rule)) {
      context.addIssue({ code: 'custom', path: [member], message });
    }
  });
export type AlertRule = z.output<typeof AlertRule>;

/** A line with a bad side, a line to be crossed either way, or a band to be in or out of. */
export type Condition = Limit | Crossing | Band;
export type Limit = {
  readonly when: 'below' | 'above';
  readonly threshold: Decimal;
  readonly recover?: Decimal;
};
export type Crossing = { readonly when: 'crosses'; readonly threshold: Decimal };
export type Band = {
  readonly when: 'outside' | 'inside';
  readonly low: Decimal;
  readonly high: Decimal;
};

/** Whether a condition is a line with a bad side. */
export function isLimit(condition: Condition): condition is Limit {
  return condition.when === 'below' || condition.when === 'above';
}

/** What a rule asks of one contract, in numbers. Two rules of equal meaning share their episodes. */
export type Meaning = {
  readonly metric: Metric;
  readonly unit: string;
  readonly condition: Condition;
  readonly arm: 'level' | 'cross';
  /** Spans of data time in milliseconds. */
  readonly for?: number;
  readonly keepFor?: number;
  readonly confirm?: { readonly times: number; readonly of: number };
};

/** How often a rule speaks of what it sees; an edit of it keeps the episode. */
export type Manner = {
  readonly repeat: 'once' | 'every';
  /** Milliseconds between two reminders of an open episode, counted from its beginning. */
  readonly reminder?: number;
  /** Percent from the value last told, as a decimal. */
  readonly steps?: Decimal;
};

/** What a rule means for a contract of this chain. */
export function meaningOf(rule: AlertRule, chain: Chain): Meaning {
  return {
    metric: rule.metric,
    unit: unitOfMetric(rule.metric, chain),
    condition: conditionOf(rule),
    arm: rule.arm,
    ...(rule.for === undefined ? {} : { for: span(rule.for) }),
    ...(rule.keepFor === undefined ? {} : { keepFor: span(rule.keepFor) }),
    ...(rule.confirm === undefined ? {} : { confirm: rule.confirm }),
  };
}

/** How often a rule wants to be heard. */
export function mannerOf({ repeat, steps }: AlertRule): Manner {
  return {
    repeat: repeat === 'once' ? 'once' : 'every',
    ...(typeof repeat === 'string' ? {} : { reminder: span(repeat.reminder) }),
    ...(steps === undefined ? {} : { steps: decimal(steps) }),
  };
}

/**
 * Whether an edit keeps what a rule means, and with it its episodes. Pausing a rule does not: it
 * starts anew when it is enabled again.
 */
export function keepsMeaning(before: AlertRule, after: AlertRule): boolean {
  return isDeepStrictEqual(essenceOf(before), essenceOf(after));
}

function essenceOf({
  on,
  metric,
  when,
  threshold,
  low,
  high,
  recover,
  confirm,
  ...rule
}: AlertRule) {
  const { for: held, keepFor, arm, enabled } = rule;
  return { on, metric, when, threshold, low, high, recover, confirm, held, keepFor, arm, enabled };
}

/** The rule's condition in a sentence: `at or below 60 ETH`, `outside 50 to 120 ETH`. */
export function conditionText(
  {
    when,
    threshold = '',
    low = '',
    high = '',
  }: Pick<AlertRule, 'when' | 'threshold' | 'low' | 'high'>,
  unit: string,
): string {
  const line = amountInWords(threshold, unit);
  switch (when) {
    case 'below':
    case 'above':
      return `at or ${when} ${line}`;
    case 'crosses':
      return `crosses ${line}`;
    case 'outside':
    case 'inside':
      return `${when} ${bandText(low, high, unit)}`;
  }
}

/** Where a value has recovered from the rule, in a sentence: `above 60 ETH`, `at or above 70 ETH`. */
export function recoveryText(
  {
    when,
    threshold = '',
    recover,
    low = '',
    high = '',
  }: Pick<AlertRule, 'when' | 'threshold' | 'recover' | 'low' | 'high'>,
  unit: string,
): string | undefined {
  const atOr = recover === undefined ? '' : 'at or ';
  switch (when) {
    case 'below':
      return `${atOr}above ${amountInWords(recover ?? threshold, unit)}`;
    case 'above':
      return `${atOr}below ${amountInWords(recover ?? threshold, unit)}`;
    case 'outside':
      return `inside ${bandText(low, high, unit)}`;
    case 'inside':
      return `outside ${bandText(low, high, unit)}`;
    case 'crosses':
      return undefined;
  }
}

function bandText(low: string, high: string, unit: string): string {
  return unit === 'usd'
    ? `${amountInWords(low, unit)} to ${amountInWords(high, unit)}`
    : `${low} to ${amountInWords(high, unit)}`;
}

function conditionOf({ when, threshold, low, high, recover }: AlertRule): Condition {
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

type Contradiction = { readonly member: string; readonly message: string };
type Written = {
  readonly [Name in 'threshold' | 'low' | 'high' | 'recover' | 'for' | 'keepFor' | 'steps']?:
    | string
    | undefined;
} & {
  readonly when: AlertRule['when'];
  readonly confirm?: object | undefined;
  readonly repeat: AlertRule['repeat'];
  readonly arm: AlertRule['arm'];
};

/** Members that do not go together, each with what was expected of it. */
function contradictionsOf(rule: Written): readonly Contradiction[] {
  const { when } = rule;
  const found: Contradiction[] = [];
  const expect = (holds: boolean, member: keyof Written, message: string) => {
    if (!holds) found.push({ member, message });
  };
  const isBand = when === 'outside' || when === 'inside';
  const isLine = when === 'below' || when === 'above';
  if (isBand) {
    expect(rule.threshold === undefined, 'threshold', `expected "low" and "high" for "${when}"`);
    expect(rule.low !== undefined, 'low', `expected the lower edge of the band for "${when}"`);
    expect(rule.high !== undefined, 'high', `expected the upper edge of the band for "${when}"`);
    expect(isAscending(rule.low, rule.high), 'high', 'expected an upper edge above the lower one');
  } else {
    expect(rule.threshold !== undefined, 'threshold', `expected a threshold for "${when}"`);
    expect(rule.low === undefined, 'low', `expected no band for "${when}"`);
    expect(rule.high === undefined, 'high', `expected no band for "${when}"`);
  }
  if (isLine) {
    const [lower, upper] =
      when === 'below' ? [rule.threshold, rule.recover] : [rule.recover, rule.threshold];
    expect(
      isAscending(lower, upper),
      'recover',
      'expected a recovery threshold strictly on the good side: above a "below" threshold, below an "above" threshold',
    );
  } else {
    expect(rule.recover === undefined, 'recover', 'expected only with "below" and "above"');
    expect(rule.steps === undefined, 'steps', 'expected only with "below" and "above"');
  }
  if (when === 'crosses') {
    const alone = 'expected not with "crosses": each crossing is one alert, without an episode';
    expect(rule.for === undefined, 'for', alone);
    expect(rule.keepFor === undefined, 'keepFor', alone);
    expect(rule.confirm === undefined, 'confirm', alone);
    expect(rule.repeat === 'every', 'repeat', alone);
  }
  expect(
    rule.for === undefined || rule.confirm === undefined,
    'confirm',
    'expected either "for" or "confirm"',
  );
  return found;
}

/** Whether two decimals, where both are given, stand in this order. */
function isAscending(lower: string | undefined, upper: string | undefined): boolean {
  return lower === undefined || upper === undefined || decimal(lower) < decimal(upper);
}

function decimal(text = ''): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`${text} is no decimal of at most 18 decimals`);
  return value;
}

function span(text: string): number {
  const milliseconds = readDuration(text);
  if (milliseconds === undefined) throw new RangeError(`${text} is no span of time`);
  return milliseconds;
}
