import * as z from 'zod';
import type { Chain } from '#shared/domain/market/chains.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, parseDecimal } from '#shared/domain/market/decimal.ts';
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
const Moment = z.string().transform((text, context) => {
  const instant = readInstant(text);
  if (instant !== undefined) return formatInstant(instant);
  context.issues.push({
    code: 'custom',
    input: text,
    message: 'expected a moment in ISO 8601, for example "2026-12-31T00:00:00Z"',
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
    when: z.enum(['below', 'above']),
    /** At the threshold counts. */
    threshold: Threshold,
    /** Where the episode ends; strictly on the good side. Without it any value not beyond ends it. */
    recover: Threshold.optional(),
    /** `level` fires if already beyond; `cross` waits for a fresh crossing. */
    arm: z.enum(['level', 'cross']).default('level'),
    severity: z.enum(['info', 'warning', 'critical']).default('warning'),
    notifyRecovery: z.boolean().default(true),
    enabled: z.boolean().default(true),
    expiresAt: Moment.optional(),
  })
  .refine(({ when, threshold, recover }) => isOnGoodSide(when, threshold, recover), {
    path: ['recover'],
    message:
      'expected a recovery threshold strictly on the good side: above a "below" threshold, below an "above" threshold',
  });
export type AlertRule = z.output<typeof AlertRule>;

/** What a rule asks of one contract, in numbers. Two rules of equal meaning share their episodes. */
export type Meaning = {
  readonly metric: Metric;
  readonly unit: string;
  readonly when: 'below' | 'above';
  readonly threshold: Decimal;
  readonly recover?: Decimal;
  readonly arm: 'level' | 'cross';
};

/** What a rule means for a contract of this chain. */
export function meaningOf(rule: AlertRule, chain: Chain): Meaning {
  const recover = rule.recover === undefined ? undefined : decimal(rule.recover);
  return {
    metric: rule.metric,
    unit: unitOfMetric(rule.metric, chain),
    when: rule.when,
    threshold: decimal(rule.threshold),
    ...(recover === undefined ? {} : { recover }),
    arm: rule.arm,
  };
}

/**
 * Whether an edit keeps what a rule means, and with it its episodes. Pausing a rule does not: it
 * starts anew when it is enabled again.
 */
export function keepsMeaning(before: AlertRule, after: AlertRule): boolean {
  return (
    before.metric === after.metric &&
    before.when === after.when &&
    before.threshold === after.threshold &&
    before.recover === after.recover &&
    before.arm === after.arm &&
    before.enabled === after.enabled
  );
}

function isOnGoodSide(when: 'below' | 'above', threshold: string, recover?: string): boolean {
  if (recover === undefined) return true;
  return when === 'below'
    ? decimal(recover) > decimal(threshold)
    : decimal(recover) < decimal(threshold);
}

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`${text} is no decimal of at most 18 decimals`);
  return value;
}
