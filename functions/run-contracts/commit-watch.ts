import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { BEGINNINGS } from '#shared/domain/alerting/episode.ts';
import type { PostedAlert } from '#shared/domain/channels/alert-record.ts';
import {
  allDestinationIdsOf,
  destinationIdsOfEscalation,
  destinationIdsOfRule,
} from '#shared/domain/channels/destination-id.ts';
import { defined } from '#shared/domain/defined.ts';
import { isEpisodeOpen, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Step } from '#shared/domain/timeline/timeline.ts';
import type { EpisodeTarget, Job } from '#shared/domain/watchlists/job.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { ChannelWaker } from '#shared/use-cases/wake-channels.ts';
import type { RunContractsPorts } from './ports.ts';

/** The result of an evaluation or an edit of a watch. */
export type WatchTransition = {
  /**
   * The watch before the transition. The alerts of the transition belong to the episode of this
   * watch. Undefined for a new watch.
   */
  readonly old: Watch | undefined;
  /** The watch after the transition; with `isRemoved`, the watch to delete. */
  readonly watch: Watch;
  readonly isRemoved?: boolean;
  /**
   * Whether an edit caused the transition. If so, the alerts are sent to the destinations that got
   * the other alerts of the episode.
   */
  readonly isEdit?: boolean;
  readonly alerts: readonly RuleAlert[];
  /** The evaluated steps; undefined for an edit. */
  readonly steps?: readonly Pick<Step, 'at' | 'asked'>[];
};

/** Additional writes of an alert: the alert itself and the job of its episode. */
const BESIDE_ENTRIES = 2;

/**
 * The maximum number of alerts of a watch that one transaction can post to the destinations of its
 * list.
 */
export function mostAlerts(ports: RunContractsPorts, list: Watchlist): number {
  const writes = allDestinationIdsOf(list, ports).length + BESIDE_ENTRIES;
  // An evaluation stops only after a whole step, which may cause several alerts.
  return Math.max(1, Math.floor((ports.writesOfTransaction - 1) / writes) - 2);
}

/**
 * Writes a watch with the results of its transition in one transaction: its alerts, their inbox
 * entries, and the jobs that escalate its episodes.
 */
export async function commitWatch(
  ports: RunContractsPorts,
  waker: ChannelWaker,
  list: Watchlist,
  transition: WatchTransition,
): Promise<Watch> {
  const { watch, alerts, isRemoved = false } = transition;
  const { posted, notified, made, settled } = await follow(ports, list, transition);
  const rest = omit(watch, 'notified');
  const next = notified.length === 0 ? rest : { ...rest, notified };
  if (alerts.length === 0 && isRemoved) {
    await ports.deleteWatch(watch);
    return watch;
  }
  if (alerts.length === 0) return await ports.putWatch(next);
  const all = [...new Set(posted.flatMap(({ destinations }) => destinations))];
  await waker.announce(all);
  // Recorded before the write, because the transaction may succeed even if its call fails.
  for (const { alert, destinations } of posted) waker.note(alert.id, destinations);
  const written = await ports.commitWatch({ watch: next, isRemoved, posted, made, settled });
  const { tenant, list: id, rule, contract } = watch;
  const ids = alerts.map((alert) => alert.id);
  ports.report('alerts_made', { tenant, list: id, rule, contract, alerts: ids });
  return written;
}

/** The results of a transition's alerts, in their order. */
type Following = {
  readonly posted: readonly PostedAlert[];
  readonly notified: readonly DestinationId[];
  readonly made: readonly Job[];
  readonly settled: readonly Job[];
};

async function follow(
  ports: RunContractsPorts,
  list: Watchlist,
  { old, watch, alerts, isEdit = false, steps = [] }: WatchTransition,
): Promise<Following> {
  const rule = list.rules.find(({ id }) => id === ruleOf(watch)) ?? watch.presentation;
  const byRule = isEdit ? [] : destinationIdsOfRule(list, rule, ports);
  let notified = old?.notified ?? [];
  const posted: PostedAlert[] = [];
  const made = new Map<string, Job>();
  const settled: Job[] = [];
  const now = ports.now();
  for (const alert of alerts) {
    const job = await escalationOf(ports, list, watch, alert, made);
    const isBeginning = BEGINNINGS.includes(alert.kind);
    const isEnd = alert.open === false;
    const others = job?.escalatedAt === undefined ? [] : destinationIdsOfEscalation(list);
    const destinations = [...new Set([...byRule, ...others, ...(isEnd ? notified : [])])];
    posted.push({
      alert,
      postedAt: now,
      ...defined({ seenAt: seenAt(alert, steps) }),
      destinations,
    });
    if (isEnd) notified = [];
    else if (alert.open === true) {
      notified = [...new Set([...(isBeginning ? [] : notified), ...destinations])];
    }
    if (isEnd && job !== undefined && !made.delete(nameOf(job.target))) settled.push(job);
  }
  const isOpen = isEpisodeOpen(watch) || watch.noValueSince !== undefined;
  return { posted, notified: isOpen ? notified : [], made: [...made.values()], settled };
}

/**
 * The request time of the poll that returned the data of an alert. The step of this poll is the
 * first one that is not older than the data.
 */
function seenAt(
  { dataTime }: RuleAlert,
  steps: NonNullable<WatchTransition['steps']>,
): Instant | undefined {
  const time = Date.parse(dataTime);
  return steps.find(({ at }) => at >= time)?.asked;
}

/** The escalation job of an alert's episode. The first alert of a critical episode creates it. */
async function escalationOf(
  ports: RunContractsPorts,
  { tenant, id, escalate }: Watchlist,
  { rule, contract }: Watch,
  alert: RuleAlert,
  made: Map<string, Job>,
): Promise<Job | undefined> {
  const { generation, episode } = alert;
  if (escalate === undefined || episode === null) return undefined;
  const list = { tenant, id };
  const target: EpisodeTarget = { kind: 'escalation', rule, contract, generation, episode };
  const known = made.get(nameOf(target)) ?? (await ports.getJob(list, target));
  const begins = BEGINNINGS.includes(alert.kind) && hasOpenEpisode(alert);
  if (known !== undefined || !begins || alert.severity !== 'critical') return known;
  const now = ports.now();
  const job: Job = {
    ...{ list, target, revision: 0, createdAt: now },
    dueAt: now + (readDuration(escalate.after) ?? 0),
    alert: { at: alert.at, id: alert.id },
    version: ports.newVersion(),
  };
  made.set(nameOf(target), job);
  return job;
}

function nameOf(target: Job['target']): string {
  return JSON.stringify(target);
}
