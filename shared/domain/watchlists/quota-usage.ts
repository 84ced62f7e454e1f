import { LIMITS } from '#shared/domain/limits.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Unreadable } from '#shared/domain/unreadable.ts';
import { WRITER_IS_DONE_AFTER } from './change-job.ts';
import { isOfContactPoints } from './contact-points.ts';
import { countWatches } from './count-watches.ts';
import type { Watchlist } from './watchlist.ts';

/** What one list takes of its tenant's limits, as reserved for one of its revisions. */
export type ListUsage = {
  readonly list: string;
  readonly revision: number;
  readonly contracts: number;
  readonly watches: number;
  /** The contact points that it uses. */
  readonly contactPoints: readonly string[];
  readonly at: Instant;
};

/** A contact point that is being deleted: for a moment no list can begin to use it. */
export type WithdrawnContactPoint = { readonly name: string; readonly at: Instant };

/**
 * What all lists of a tenant take: never less than they do, so no two changes pass a limit
 * together.
 */
export type QuotaUsage = {
  readonly tenant: string;
  readonly version: number;
  readonly lists: readonly ListUsage[];
  readonly withdrawn: readonly WithdrawnContactPoint[];
};

/** Thrown when a tenant has as much of something as there may be; nothing was written. */
export class QuotaError extends Error {
  override readonly name = 'QuotaError';
  readonly code = 'quota_exceeded';
}

/** Thrown when a contact point cannot be deleted, or not be used; nothing was written. */
export class ContactPointError extends Error {
  override readonly name = 'ContactPointError';
  readonly code: 'in_use' | 'conflict';

  constructor(message: string, code: 'in_use' | 'conflict') {
    super(message);
    this.code = code;
  }
}

/** What a list takes; undefined of one that is not there. */
export function listUsageOf(list: Watchlist | undefined, at: Instant): ListUsage | undefined {
  if (list === undefined || list.deleted || isOfContactPoints(list)) return undefined;
  const { id, revision, members, rules, contactPoints } = list;
  const watches = countWatches(rules, members.length);
  return { list: id, revision, contracts: members.length, watches, contactPoints, at };
}

/**
 * Quota usage with the most that a change may take. Of several concurrent writers of one revision
 * only one will succeed, and which is unknown, so the largest is reserved.
 */
export function withReserved(
  quotaUsage: QuotaUsage,
  before: ListUsage | undefined,
  after: ListUsage,
): QuotaUsage {
  const known = quotaUsage.lists.find(({ list }) => list === after.list);
  const rival = known !== undefined && known.revision >= after.revision ? known : undefined;
  const most = (of: 'revision' | 'contracts' | 'watches') =>
    Math.max(after[of], before?.[of] ?? 0, rival?.[of] ?? 0);
  const listUsage = {
    ...after,
    revision: most('revision'),
    contracts: most('contracts'),
    watches: most('watches'),
    contactPoints: [
      ...new Set([after, before, rival].flatMap((usage) => usage?.contactPoints ?? [])),
    ],
  };
  return withListUsage(quotaUsage, after.list, listUsage);
}

/**
 * Quota usage after a change has come about, unless the next one has reserved something already.
 */
export function withSettled(
  quotaUsage: QuotaUsage,
  { id, revision }: Pick<Watchlist, 'id' | 'revision'>,
  after: ListUsage | undefined,
): QuotaUsage {
  const known = quotaUsage.lists.find(({ list }) => list === id);
  return known === undefined || known.revision > revision
    ? quotaUsage
    : withListUsage(quotaUsage, id, after);
}

/**
 * Quota usage by the lists themselves, but for what was just reserved, and lists that cannot be
 * read.
 */
export function recounted(
  quotaUsage: QuotaUsage,
  lists: readonly {
    readonly found?: Watchlist | undefined;
    readonly unreadable?: Unreadable | undefined;
  }[],
  now: Instant,
): QuotaUsage {
  return {
    ...quotaUsage,
    lists: quotaUsage.lists.flatMap((known, index) => {
      const { found: list, unreadable } = lists[index] ?? {};
      if (unreadable !== undefined) return [known];
      const isToCome = known.revision > (list?.revision ?? 0);
      if (isToCome && now - known.at <= WRITER_IS_DONE_AFTER) return [known];
      return listUsageOf(list, known.at) ?? [];
    }),
  };
}

/** The lists that use a contact point, or are about to. */
export function usersOf({ lists }: QuotaUsage, name: string): readonly string[] {
  return lists.flatMap(({ list, contactPoints }) => (contactPoints.includes(name) ? list : []));
}

/** Quota usage while a contact point is being deleted. */
export function withWithdrawn(
  { withdrawn, ...quotaUsage }: QuotaUsage,
  name: string,
  at: Instant,
): QuotaUsage {
  const others = withdrawn.filter((other) => other.name !== name && isBeingDeleted(other, at));
  return { ...quotaUsage, withdrawn: [...others, { name, at }] };
}

/** Quota usage once a contact point is deleted. */
export function withoutWithdrawn({ withdrawn, ...usage }: QuotaUsage, name: string): QuotaUsage {
  return { ...usage, withdrawn: withdrawn.filter((other) => other.name !== name) };
}

/** Whether a contact point may still be deleted by a request that is under way. */
export function isBeingDeleted({ at }: WithdrawnContactPoint, now: Instant): boolean {
  return now - at <= WRITER_IS_DONE_AFTER;
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

function withListUsage(
  { lists, ...quotaUsage }: QuotaUsage,
  id: string,
  listUsage: ListUsage | undefined,
) {
  const others = lists.filter(({ list }) => list !== id);
  return { ...quotaUsage, lists: listUsage === undefined ? others : [...others, listUsage] };
}
