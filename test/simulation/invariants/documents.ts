import type { Item } from '#shared/stores/table.ts';
import { FORMULAS, type Formula } from '#test/simulation/oracle/formulas.ts';
import type { OracleClause, OracleRule } from '#test/simulation/oracle/rule.ts';

/** A list's document as it lies in the table, read by these rules alone. */
export type ListDocument = {
  readonly name: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly wallet?: {
    readonly address: string;
    readonly isPending: boolean;
    readonly last?: { readonly revision: number };
  };
  readonly members: readonly {
    readonly contract: string;
    readonly joined: number;
    readonly by?: 'wallet';
  }[];
  readonly rules: readonly RuleDocument[];
  readonly channels: readonly { readonly id: string; readonly kind: string }[];
  /** The contact points that it uses. */
  readonly contactPoints: readonly string[];
  readonly notify?: Readonly<Record<string, readonly string[]>>;
  readonly escalate?: { readonly after: string; readonly to: readonly string[] };
};

/** A document, and when it was written. */
export type Revision = { readonly document: ListDocument; readonly writtenAt: number };

export type RuleDocument = {
  readonly id: string;
  readonly since: number;
  readonly on: string | readonly string[];
  readonly enabled: boolean;
  readonly severity: string;
  readonly notify?: readonly string[];
  readonly label?: string;
  readonly arm: string;
  readonly outliers: string;
  readonly minSources?: number;
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
  const sources = rule.minSources ?? 1;
  const clauses = [
    oracleClause(first, sources),
    ...others.map((other) => oracleClause(other, sources)),
  ] as const;
  const usual = clauses.find(({ formula }) => formula.keepFor !== undefined)?.formula.keepFor;
  return {
    ...repeatPolicyOf(rule),
    ...partsFor(clauses),
    recover: amount(rule.recover),
    for: span(rule.for),
    // Crossings have no episode.
    keepFor: span(rule.keepFor ?? (rule.when === 'crosses' ? undefined : usual)),
    confirm: rule.confirm,
    arm: rule.arm,
    takesOutliers: rule.outliers === 'take',
    // Of data that stop a rule with `noData` says so itself, also of those that never came.
    tellsNoValue: rule.noData === 'keep',
  };
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
    tellsNoValue: false,
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

function oracleClause(clause: ClauseDocument, sources = 1): OracleClause {
  const { metric = '', when = '' } = clause;
  const [name = '', back = ''] = metric.split('.');
  const formula = Object.entries(FORMULAS).find(([family]) => family === name)?.[1];
  if (formula === undefined) throw new Error(`the oracle knows no metric ${metric}`);
  const readsSales = formula.parts.includes('sales');
  return {
    ...{ metric, formula, when },
    parts: formula.parts.map((part) => (part === 'sales' ? `lowest.${back}` : part)),
    window: readsSales ? 0 : (span(back || undefined) ?? 0),
    unit: formula.unit ?? clause.unit ?? 'eth',
    threshold: amount(clause.threshold) ?? 0n,
    low: amount(clause.low) ?? 0n,
    high: amount(clause.high) ?? 0n,
    ignoreBelow: amount(clause.ignoreBelow) ?? usuallyIgnored(formula, clause),
    needsTwo: sources === 2,
  };
}

/** A hundredth of the lower line of a price, or of the floor that a discount is of. */
function usuallyIgnored({ of }: Formula, { threshold, low }: ClauseDocument) {
  return of === 'share'
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
