import type { Item } from '#shared/stores/table.ts';
import type { OracleClause, OracleRule } from '#test/simulation/oracle/rule.ts';

/** A list's document as it lies in the table, read by these rules alone. */
export type ListDocument = {
  readonly version: number;
  readonly deleted: boolean;
  readonly members: readonly { readonly contract: string; readonly joined: number }[];
  readonly rules: readonly RuleDocument[];
  readonly channels: readonly { readonly id: string; readonly kind: string }[];
};

/** A document, and when it was written. */
export type Revision = { readonly document: ListDocument; readonly writtenAt: number };

export type RuleDocument = {
  readonly id: string;
  readonly since: number;
  readonly on: string;
  readonly enabled: boolean;
  readonly severity: string;
  readonly label?: string;
  readonly arm: string;
  readonly outliers: string;
  readonly notifyRecovery: boolean;
  readonly repeat: 'once' | 'every' | { readonly reminder: string };
  readonly confirm?: { readonly times: number; readonly of: number };
  /** In place of one condition, some that must hold together. */
  readonly all?: readonly ClauseDocument[];
  readonly noData: 'keep' | { readonly alert: string };
  readonly noDataSince?: number;
} & ClauseDocument &
  Texts<'recover' | 'for' | 'keepFor' | 'steps' | 'expiresAt'>;

type ClauseDocument = Texts<
  'metric' | 'when' | 'threshold' | 'low' | 'high' | 'unit' | 'ignoreBelow'
>;
type Texts<Names extends string> = { readonly [Name in Names]?: string };

export function listDocument(item: Item): ListDocument {
  return item as unknown as ListDocument;
}

/** What a rule asks of a contract. */
export function oracleRule(rule: RuleDocument): OracleRule {
  const [first = {}, ...others] = rule.all ?? [rule];
  return {
    ...repeatPolicyOf(rule),
    ...partsFor([oracleClause(first), ...others.map(oracleClause)]),
    recover: amount(rule.recover),
    for: span(rule.for),
    // An hour, where a share is looked at and nothing else is said; crossings have no episode.
    keepFor: span(rule.keepFor ?? (isOfShares(rule) && rule.when !== 'crosses' ? '1h' : undefined)),
    confirm: rule.confirm,
    arm: rule.arm,
    takesOutliers: rule.outliers === 'take',
  };
}

function isOfShares({ all, metric }: RuleDocument): boolean {
  const metrics = all?.map((clause) => clause.metric) ?? [metric];
  return metrics.some((name) => name?.includes('_pct') === true);
}

/** What a rule asks of the coming of data, for one part of a contract. */
export function noDataRule(rule: RuleDocument, part: string): OracleRule {
  const longest = rule.noData === 'keep' ? undefined : span(rule.noData.alert);
  const threshold = (BigInt(longest ?? 0) * 10n ** 18n) / 60_000n;
  const metric = part === 'floor' ? 'data_age_minutes' : `silence_minutes.${part.slice(7)}`;
  return {
    ...repeatPolicyOf({ ...rule, repeat: 'every' }),
    ...partsFor([{ ...oracleClause({ metric, when: 'above' }), threshold }]),
    steps: undefined,
    recover: undefined,
    for: undefined,
    keepFor: undefined,
    confirm: undefined,
    takesOutliers: true,
    arm: 'level',
  };
}

function repeatPolicyOf({ repeat, steps, notifyRecovery, expiresAt }: RuleDocument) {
  return {
    once: repeat === 'once',
    reminder: typeof repeat === 'string' ? undefined : span(repeat.reminder),
    steps: amount(steps),
    tellsRecovery: notifyRecovery,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).getTime(),
  };
}

function partsFor(clauses: OracleRule['clauses']): Pick<OracleRule, 'clauses' | 'parts'> {
  return { clauses, parts: [...new Set(clauses.flatMap(({ parts }) => parts))] };
}

const KINDS: Readonly<Record<string, OracleClause['kind']>> = {
  floor_price: 'price',
  floor_price_usd: 'price',
  lowest_price: 'price',
  floor_change_pct: 'change',
  floor_drop_pct: 'drop',
  floor_drawdown_pct: 'drawdown',
  floor_runup_pct: 'runup',
  sale_discount_pct: 'discount',
  data_age_minutes: 'age',
  silence_minutes: 'silence',
};

function oracleClause(clause: ClauseDocument): OracleClause {
  const { metric = '', when = '' } = clause;
  const [name = '', back = ''] = metric.split('.');
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`the oracle knows no metric ${metric}`);
  const sales = `lowest.${back}`;
  const isOfSales = name === 'lowest_price' || kind === 'silence';
  return {
    metric,
    kind,
    parts: kind === 'discount' ? ['floor', sales] : [isOfSales ? sales : 'floor'],
    window: name.startsWith('floor_') && back !== '' ? (span(back) ?? 0) : 0,
    unit: name === 'floor_price_usd' ? 'usd' : (clause.unit ?? 'eth'),
    when,
    threshold: amount(clause.threshold) ?? 0n,
    low: amount(clause.low) ?? 0n,
    high: amount(clause.high) ?? 0n,
    ignoreBelow: amount(clause.ignoreBelow) ?? usuallyIgnored(kind, clause),
  };
}

/** A hundredth of the lower line of a price, or of the floor that a discount is of. */
function usuallyIgnored(kind: OracleClause['kind'], { threshold, low }: ClauseDocument) {
  return kind === 'discount'
    ? 'a hundredth of the floor'
    : (amount(threshold) ?? amount(low) ?? 0n) / 100n;
}

/** A decimal text in the smallest unit. */
export function amount(text: string | undefined | null): bigint | undefined {
  if (text === undefined || text === null) return undefined;
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(18, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A span of time as people write it, in milliseconds. */
export function span(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? Number.NaN);
}
