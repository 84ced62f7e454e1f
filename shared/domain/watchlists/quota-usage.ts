import { LIMITS } from '#shared/domain/limits.ts';
import { isOfContactPoints } from './contact-points.ts';
import { countWatches } from './count-watches.ts';
import type { Watchlist } from './watchlist.ts';

/** The part of a tenant's quota that one list uses. */
export type ListUsage = {
  readonly list: string;
  readonly contracts: number;
  readonly watches: number;
  /** The contact points that the list uses. */
  readonly contactPoints: readonly string[];
};

/**
 * The part of a tenant's quota that each of its lists uses. A change that alters the usage stores
 * it in the same transaction.
 */
export type QuotaUsage = {
  readonly tenant: string;
  readonly version: number;
  readonly lists: readonly ListUsage[];
};

/** Thrown if a change would exceed a limit of the tenant; nothing was written. */
export class QuotaError extends Error {
  override readonly name = 'QuotaError';
  readonly code = 'quota_exceeded';
}

/** Thrown when a contact point cannot be deleted, because lists use it; nothing was written. */
export class ContactPointError extends Error {
  override readonly name = 'ContactPointError';
  readonly code = 'in_use';
}

/** The part of the quota that a list uses; undefined for a deleted or missing list. */
export function listUsageOf(list: Watchlist | undefined): ListUsage | undefined {
  if (list === undefined || list.deleted || isOfContactPoints(list)) return undefined;
  const { id, members, rules, contactPoints } = list;
  const watches = countWatches(rules, members.length);
  return { list: id, contracts: members.length, watches, contactPoints };
}

export function withListUsage(
  { lists, ...quotaUsage }: QuotaUsage,
  id: string,
  listUsage: ListUsage | undefined,
): QuotaUsage {
  const others = lists.filter(({ list }) => list !== id);
  return { ...quotaUsage, lists: listUsage === undefined ? others : [...others, listUsage] };
}

const MOST_NAMED = 5;

/** Throws ContactPointError if a list uses one of these contact points. */
export function expectUnusedContactPoints({ lists }: QuotaUsage, names: readonly string[]): void {
  for (const name of names) {
    const users = lists.flatMap(({ list, contactPoints }) =>
      contactPoints.includes(name) ? list : [],
    );
    if (users.length === 0) continue;
    const some = users.slice(0, MOST_NAMED).map((id) => `"${id}"`);
    const more = users.length > MOST_NAMED ? ` and ${users.length - MOST_NAMED} more` : '';
    throw new ContactPointError(
      `the contact point "${name}" is used by watchlists (${some.join(', ')}${more}); remove it from their channels first`,
    );
  }
}

/** The numbers of lists, contracts and watches that a tenant has in total. */
export function usageTotals({ lists }: Pick<QuotaUsage, 'lists'>) {
  return {
    watchlists: lists.length,
    contracts: lists.reduce((sum, { contracts }) => sum + contracts, 0),
    watches: lists.reduce((sum, { watches }) => sum + watches, 0),
  };
}

/**
 * The number of contracts that one of a tenant's lists may have, given what the tenant's other
 * lists use.
 */
export function contractsLeft(
  { lists }: Pick<QuotaUsage, 'lists'>,
  { id, rules }: Pick<Watchlist, 'id' | 'rules'>,
  polled = Number.POSITIVE_INFINITY,
): number {
  const others = usageTotals({ lists: lists.filter(({ list }) => list !== id) });
  const each = countWatches(rules, 1) - countWatches(rules, 0);
  const watches = LIMITS.tenant.watches - others.watches - countWatches(rules, 0);
  return Math.floor(
    Math.min(
      LIMITS.tenant.contracts - others.contracts,
      polled - others.contracts,
      each === 0 ? Number.POSITIVE_INFINITY : watches / each,
    ),
  );
}

/**
 * The limit that a change would exceed, in words; undefined if the change exceeds no limit.
 * `polled` is the maximum number of contracts of the tenant that can be polled once a day, if known.
 */
export function quotaIssue(
  before: QuotaUsage,
  after: QuotaUsage,
  polled = Number.POSITIVE_INFINITY,
): string | undefined {
  const [had, has] = [usageTotals(before), usageTotals(after)];
  const names = ['watchlists', 'contracts', 'watches'] as const;
  const passed = names.find((name) => has[name] > LIMITS.tenant[name] && has[name] > had[name]);
  if (passed === undefined && has.contracts > polled && has.contracts > had.contracts) {
    return `expected at most ${polled} contracts in a tenant, found ${has.contracts}: with more, each would be polled less than once a day`;
  }
  return (
    passed &&
    `expected at most ${LIMITS.tenant[passed]} ${passed} in a tenant, found ${has[passed]}`
  );
}
