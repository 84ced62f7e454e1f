import { type Alert, watchOf } from '#shared/domain/alerting/alert.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { ownMember } from '#shared/domain/own-member.ts';

/**
 * By list, the watches that recent messages were about, with the times of these messages. Used only
 * for people: if many watches of a list fire within a few minutes, their alerts become one message.
 */
export type RecentOfLists = Readonly<Record<string, Readonly<Record<string, Instant>>>>;

/** Number of watches of a list that get separate messages within a few minutes. */
const SINGLY = 3;
const FEW_MINUTES = 5 * MINUTE;
/**
 * Interval between the messages of a list with many firing watches, and the longest time that an
 * alert waits for others.
 */
const GATHERED_FOR = 20 * SECOND;

/**
 * Whether the waiting alerts of a list come from more than `SINGLY` watches, so that they become
 * one message.
 */
export function isBurst(waiting: readonly Pick<Alert, 'id'>[]): boolean {
  return new Set(waiting.map(watchOf)).size > SINGLY;
}

/**
 * The time until which an alert of a list waits for others; undefined if it is sent immediately.
 * `since` is the start of its wait.
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

/** The watches of recent messages, with those of a message that was just sent. */
export function recentAfter(
  recent: RecentOfLists | undefined,
  notified: readonly Pick<Alert, 'id' | 'watchlist'>[],
  now: Instant,
): RecentOfLists {
  const of = Map.groupBy(notified, ({ watchlist }) => watchlist);
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
