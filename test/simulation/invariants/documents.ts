import type { Item } from '#shared/stores/table.ts';

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
