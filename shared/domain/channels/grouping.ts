import { type Alert, watchOf } from '#shared/domain/alerting/alert.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/**
 * Of each list, the watches of which a channel for people has lately told, and when it last did. When
 * many watches of a list fire within a few minutes, that is one message.
 */
export type RecentOfLists = Readonly<Record<string, Readonly<Record<string, Instant>>>>;

/** Of so many watches of a list messages come singly in a few minutes: the first tell at once. */
const SINGLY = 3;
const FEW_MINUTES = 5 * MINUTE;
/** Between two messages of a list of which many watches fire; no alert waits longer for others. */
const GATHERED_FOR = 20 * SECOND;

/** Whether the waiting alerts of one list are of so many watches that they are one message. */
export function isCrowd(waiting: readonly Pick<Alert, 'id'>[]): boolean {
  return new Set(waiting.map(watchOf)).size > SINGLY;
}

/**
 * Until when an alert of a list, there since an instant, waits for others of it; undefined where it
 * goes at once.
 */
export function gatheredUntil(
  recent: RecentOfLists | undefined,
  list: string,
  since: Instant,
  now: Instant,
): Instant | undefined {
  const lately = Object.values(ownMember(recent ?? {}, list) ?? {}).filter(
    (at) => at > now - FEW_MINUTES,
  );
  const until = Math.min(since, Math.max(0, ...lately)) + GATHERED_FOR;
  return lately.length < SINGLY || until <= now ? undefined : until;
}

/** What is known after a message that tells of some alerts. */
export function recentAfter(
  recent: RecentOfLists | undefined,
  told: readonly Pick<Alert, 'id' | 'watchlist'>[],
  now: Instant,
): RecentOfLists {
  const of = Map.groupBy(told, ({ watchlist }) => watchlist);
  const lists = new Set([...Object.keys(recent ?? {}), ...of.keys()]);
  const after = [...lists].map((list) => {
    const since = (of.get(list) ?? []).map((alert) => [watchOf(alert), now] as const);
    const known = Object.entries({
      ...ownMember(recent ?? {}, list),
      ...Object.fromEntries(since),
    });
    const newest = known.toSorted(([, one], [, other]) => other - one).slice(0, SINGLY);
    const lately = newest.filter(([, at]) => at > now - FEW_MINUTES);
    return [list, Object.fromEntries(lately)] as const;
  });
  return Object.fromEntries(after.filter(([, watches]) => Object.keys(watches).length > 0));
}
