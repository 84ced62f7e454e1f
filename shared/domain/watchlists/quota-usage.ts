import { LIMITS } from '#shared/domain/limits.ts';
import { isOfContactPoints } from './contact-points.ts';
import { countWatches } from './count-watches.ts';
import type { Watchlist } from './watchlist.ts';

/** What one list takes of its tenant's limits. */
export type ListUsage = {
  readonly list: string;
  readonly contracts: number;
  readonly watches: number;
  /** The contact points that it uses. */
  readonly contactPoints: readonly string[];
};

/** What all lists of a tenant take, written in the transaction of each change that alters it. */
export type QuotaUsage = {
  readonly tenant: string;
  readonly version: number;
  readonly lists: readonly ListUsage[];
};

/** Thrown when a tenant has as much of something as there may be; nothing was written. */
export class QuotaError extends Error {
  override readonly name = 'QuotaError';
  readonly code = 'quota_exceeded';
}

/** Thrown when a contact point cannot be deleted, because lists use it; nothing was written. */
export class ContactPointError extends Error {
  override readonly name = 'ContactPointError';
  readonly code = 'in_use';
}

/** What a list takes; undefined of one that is not there. */
export function listUsageOf(list: Watchlist | undefined): ListUsage | undefined {
  if (list === undefined || list.deleted || isOfContactPoints(list)) return undefined;
  const { id, members, rules, contactPoints } = list;
  const watches = countWatches(rules, members.length);
  return { list: id, contracts: members.length, watches, contactPoints };
}

/** Quota usage with what a list takes from now on. */
export function withListUsage(
  { lists, ...quotaUsage }: QuotaUsage,
  id: string,
  listUsage: ListUsage | undefined,
): QuotaUsage {
  const others = lists.filter(({ list }) => list !== id);
  return { ...quotaUsage, lists: listUsage === undefined ? others : [...others, listUsage] };
}

const MOST_NAMED = 5;

/** Throws ContactPointError if lists use one of some contact points. */
export function expectUnusedContactPoints({ lists }: QuotaUsage, names: readonly string[]): void {
  for (const name of names) {
    const users = lists.flatMap(({ list, contactPoints }) =>
      contactPoints.includes(name) ? list : [],
    );
    if (users.length === 0) continue;
    const some = users.slice(0, MOST_NAMED).map((id) => `"${id}"`);
    const more = users.length > MOST_NAMED ? ` and ${users.length - MOST_NAMED} more` : '';
    throw new ContactPointError(
      `watchlists use the contact point "${name}": ${some.join(', ')}${more}; take it off their channels first`,
    );
  }
}

/** What a tenant holds in all. */
export function totalsOf({ lists }: Pick<QuotaUsage, 'lists'>) {
  return {
    watchlists: lists.length,
    contracts: lists.reduce((sum, { contracts }) => sum + contracts, 0),
    watches: lists.reduce((sum, { watches }) => sum + watches, 0),
  };
}

/** How many contracts the limits of a tenant leave to one of its lists. */
export function contractsLeft(
  { lists }: Pick<QuotaUsage, 'lists'>,
  { id, rules }: Pick<Watchlist, 'id' | 'rules'>,
  polled = Number.POSITIVE_INFINITY,
): number {
  const others = totalsOf({ lists: lists.filter(({ list }) => list !== id) });
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
 * Which limit a change would pass, in words; undefined where it passes none. `polled` is the number
 * of contracts that a tenant can have polled once a day, where that is known.
 */
export function quotaIssue(
  before: QuotaUsage,
  after: QuotaUsage,
  polled = Number.POSITIVE_INFINITY,
): string | undefined {
  const [had, has] = [totalsOf(before), totalsOf(after)];
  const names = ['watchlists', 'contracts', 'watches'] as const;
  const passed = names.find((name) => has[name] > LIMITS.tenant[name] && has[name] > had[name]);
  if (passed === undefined && has.contracts > polled && has.contracts > had.contracts) {
    return `expected at most ${polled} contracts of a tenant, or they would be polled less than once a day, and these would be ${has.contracts}`;
  }
  return (
    passed &&
    `expected at most ${LIMITS.tenant[passed]} ${passed} of a tenant, and these would be ${has[passed]}`
  );
}
