import type { Item } from '#shared/stores/table.ts';
import type { OracleRule } from './oracle.ts';

/** A list's document as it lies in the table, read by nobody's rules but these. */
export type ListDocument = {
  readonly version: number;
  readonly deleted: boolean;
  readonly members: readonly { readonly contract: string; readonly joined: number }[];
  readonly rules: readonly RuleDocument[];
  readonly channels: readonly { readonly id: string; readonly kind: string }[];
};

export type RuleDocument = {
  readonly id: string;
  readonly since: number;
  readonly on: string;
  readonly metric: string;
  readonly when: string;
  readonly enabled: boolean;
  readonly severity: string;
  readonly label?: string;
  readonly arm: string;
  readonly notifyRecovery: boolean;
  readonly repeat: 'once' | 'every' | { readonly reminder: string };
  readonly confirm?: { readonly times: number; readonly of: number };
} & Readonly<
  Partial<
    Record<
      'threshold' | 'low' | 'high' | 'recover' | 'unit' | 'for' | 'keepFor' | 'steps' | 'expiresAt',
      string
    >
  >
>;

export function listDocument(item: Item): ListDocument {
  return item as unknown as ListDocument;
}

/** The part of a contract that a metric is read from. */
export function partOf(metric: string): string {
  return metric.startsWith('floor') ? 'floor' : metric.replace('_price', '');
}

export function oracleRule(rule: RuleDocument): OracleRule {
  const { repeat, metric } = rule;
  return {
    unit: metric === 'floor_price_usd' ? 'usd' : (rule.unit ?? 'eth'),
    when: rule.when,
    threshold: amount(rule.threshold) ?? 0n,
    low: amount(rule.low) ?? 0n,
    high: amount(rule.high) ?? 0n,
    recover: amount(rule.recover),
    for: span(rule.for),
    keepFor: span(rule.keepFor),
    confirm: rule.confirm,
    arm: rule.arm,
    once: repeat === 'once',
    reminder: typeof repeat === 'string' ? undefined : span(repeat.reminder),
    steps: amount(rule.steps),
    tellsRecovery: rule.notifyRecovery,
    expiresAt: rule.expiresAt === undefined ? undefined : new Date(rule.expiresAt).getTime(),
  };
}

/** A decimal text in the smallest unit. */
export function amount(text: string | undefined | null): bigint | undefined {
  if (text === undefined || text === null) return undefined;
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(18, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function span(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? Number.NaN);
}
