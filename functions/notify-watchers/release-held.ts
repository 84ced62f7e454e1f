import { isHeldUntil } from '#shared/domain/evaluation/outbox.ts';
import { ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { type Instant, readInstant, SECOND } from '#shared/domain/market/instant.ts';
import { type Mute, mutedUntil } from '#shared/domain/watchlists/mute.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { settleIfDone } from '#shared/use-cases/settle-change-job.ts';
import { announceExpiry } from './announce-expiry.ts';
import { emptyOutbox } from './empty-outbox.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/**
 * Milliseconds; with less time left the rest waits for the next message, which the dispatcher sends
 * while the job exists.
 */
const TIME_TO_STOP = 10 * SECOND;

/**
 * Sends the held alerts of a list that no mute covers any longer, after a mute was lifted early.
 */
export async function releaseHeld(ports: NotifyWatchersPorts, id: WatchlistId): Promise<void> {
  const job = await ports.getChangeJob(id, { kind: 'mutes' });
  const readAt = ports.now();
  const { version, mutes } = await ports.getMutes(id);
  const list = await ports.getWatchlist(id);
  const isDone = list === undefined || (await release(ports, list, mutes));
  if (isDone) await settleIfDone(ports.settleChangeJob, job, version, readAt);
}

/**
 * Returns whether it finished. A repetition continues where it stopped: released outboxes are
 * empty, and alerts that another mute covers are already held until its end.
 */
async function release(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  mutes: readonly Mute[],
): Promise<boolean> {
  const { tenant, id } = list;
  const rules = new Map(list.rules.map((rule) => [rule.id, rule]));
  const isToBeReleased = (watch: Watch) => {
    if (watch.outbox.length === 0) return false;
    const rule = rules.get(ruleOf(watch));
    const about = rule && { ...rule, contract: watch.contract };
    const until = about && mutedUntil(mutes, about, ports.now());
    return until === undefined || !isHeldUntil(watch, until);
  };
  const isTimeUp = () => ports.remainingTime() < TIME_TO_STOP;
  for (const { contract } of list.members) {
    if (isTimeUp()) return false;
    const watches = await ports.watchesOfList({ tenant, list: id }, contract);
    for (const watch of watches.filter(isToBeReleased)) {
      if (isTimeUp()) return false;
      await emptyOutbox(ports, watch);
    }
  }
  for (const { rule, end } of await endedRules(ports, list, ports.now())) {
    await announceExpiry(ports, { tenant, id }, rule, end);
  }
  return true;
}

/** Rules whose end has come but is not reported yet. */
async function endedRules(ports: NotifyWatchersPorts, list: Watchlist, now: Instant) {
  const targets = await ports.expiryJobs(list);
  return targets.filter(({ rule }) => {
    const { expiresAt } = list.rules.find(({ id }) => id === rule) ?? {};
    const end = expiresAt === undefined ? undefined : readInstant(expiresAt);
    return end !== undefined && end <= now;
  });
}
