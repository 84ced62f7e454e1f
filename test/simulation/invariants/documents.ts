import type { Item } from '#shared/stores/table.ts';

/** The stored document of a list, typed independently of the product. */
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
  /** The holdings in some members. */
  readonly holdings?: readonly HoldingDocument[];
  /** The value of all holdings, if a rule uses it. */
  readonly value?: { readonly contract: string; readonly joined: number };
  readonly rules: readonly RuleDocument[];
  readonly channels: readonly { readonly id: string; readonly kind: string }[];
  /** The contact points that the list uses. */
  readonly contactPoints: readonly string[];
  readonly notify?: Readonly<Record<string, readonly string[]>>;
  readonly escalate?: { readonly after: string; readonly to: readonly string[] };
};

type HoldingDocument = {
  readonly contract: string;
  readonly amount?: number;
  readonly cost?: { readonly price: string; readonly unit: string };
  /**
   * The revision that last changed the holding; absent if it has not changed since the contract
   * joined.
   */
  readonly since?: number;
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
  /** Conditions that must all hold, instead of a single one. */
  readonly all?: readonly ClauseDocument[];
  readonly noData: 'keep' | { readonly alert: string };
  readonly noDataSince?: number;
} & ClauseDocument &
  Texts<'recover' | 'for' | 'keepFor' | 'steps' | 'expiresAt'>;

type ClauseDocument = Texts<
  'metric' | 'when' | 'threshold' | 'low' | 'high' | 'unit' | 'ignoreBelow'
>;
type Texts<Names extends string> = { readonly [Name in Names]?: string };

/** The holding of a contract with which a rule compares prices. */
type Holding = {
  readonly held?: { readonly cost: bigint; readonly amount: bigint; readonly unit: string };
  /** The revision whose edit of the holding restarted the rule's watch. */
  readonly since: number;
};

/** The holding for a rule on a contract, or undefined if the rule has no watch there. */
export function holdingFor(
  { holdings = [] }: ListDocument,
  rule: RuleDocument,
  contract: string,
): Holding | undefined {
  const metrics = [rule, ...(rule.all ?? [])].map(({ metric = '' }) => metric);
  if (!metrics.some((metric) => /^gain(_pct)?$/.test(metric))) return { since: 0 };
  const {
    cost,
    amount: count = 1,
    since = 0,
  } = holdings.find((one) => one.contract === contract) ?? {};
  if (cost === undefined) return undefined;
  return {
    held: { cost: amount(cost.price) ?? 0n, amount: BigInt(count), unit: cost.unit },
    since,
  };
}

/** Whether a rule uses the value of its list. */
export function isOfList({ metric = '', all = [] }: RuleDocument): boolean {
  return [metric, ...all.map((clause) => clause.metric ?? '')].some((one) => /^list_/.test(one));
}

/** Everything in a list that may have watches: its members and its value. */
export function watchedIn({ members, value }: ListDocument) {
  return value === undefined ? members : [...members, value];
}

/** Number of held tokens by contract. */
export function tokensHeld({ holdings = [] }: ListDocument): ReadonlyMap<string, number> {
  return new Map(
    holdings.flatMap(({ contract, amount: count, cost }) =>
      count === undefined && cost === undefined ? [] : [[contract, count ?? 1] as const],
    ),
  );
}

export function listDocument(item: Item): ListDocument {
  return item as unknown as ListDocument;
}

/** Parses a decimal string into units of 10⁻¹⁸. */
export function amount(text: string | undefined | null): bigint | undefined {
  if (text === undefined || text === null) return undefined;
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(18, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `5m` into milliseconds. */
export function span(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? Number.NaN);
}
