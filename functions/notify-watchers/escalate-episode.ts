import { type EpisodeId, isOfEpisode } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert, RuleAlert } from '#shared/domain/alerting/alert.ts';
import { hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import { BEGINNINGS } from '#shared/domain/alerting/episode.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import {
  type DestinationId,
  destinationIdsOfEscalation,
} from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { ChangeJob, EpisodeTarget } from '#shared/domain/watchlists/change-job.ts';
import { mutedUntil } from '#shared/domain/watchlists/mute.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/** Milliseconds after which a job looks whether its episode is over. */
const LOOKS_AGAIN_AFTER = HOUR;

/**
 * Posts alerts of a watch. One that begins a critical episode of a list that escalates has its job
 * before it is posted; those of an episode that was escalated go where it was escalated to, too.
 */
export async function postWithEscalation(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  watch: Watch,
  alerts: readonly RuleAlert[],
  destinationIds: readonly DestinationId[],
): Promise<void> {
  if (list.escalate === undefined) return await postAlerts(ports, alerts, destinationIds);
  for (const alert of alerts) {
    const job = await escalationOf(ports, list, watch, alert);
    const others = job?.escalatedAt === undefined ? [] : destinationIdsOfEscalation(list);
    await postAlerts(ports, [alert], [...new Set([...destinationIds, ...others])]);
  }
}

/** The job of an alert's episode, which is made for the first alert of a critical one. */
async function escalationOf(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  { rule, contract }: Watch,
  alert: RuleAlert,
): Promise<ChangeJob | undefined> {
  const { escalate } = list;
  const { generation, episode } = alert;
  if (escalate === undefined || episode === null) return undefined;
  const target = targetOf({ rule, contract, generation, episode });
  const known = await ports.getChangeJob(list, target);
  const begins = BEGINNINGS.includes(alert.kind) && hasOpenEpisode(alert);
  if (known !== undefined || !begins || alert.severity !== 'critical') return known;
  const now = ports.now();
  // Another worker may have it by now, and may have noted there that it is escalated.
  return await ports.makeChangeJob({
    ...{ list: { tenant: list.tenant, id: list.id }, target, revision: 0, createdAt: now },
    dueAt: now + (readDuration(escalate.after) ?? 0),
    alert: { at: alert.at, id: alert.id },
    version: ports.newVersion(),
  });
}

/** Whether an episode was escalated: what becomes of it is told there, too. */
export async function isEscalated(
  ports: Pick<NotifyWatchersPorts, 'getChangeJob'>,
  list: Watchlist,
  episode: EpisodeId,
): Promise<boolean> {
  if (list.escalate === undefined) return false;
  const job = await ports.getChangeJob(list, targetOf(episode));
  return job?.escalatedAt !== undefined;
}

/**
 * Tells others of a critical episode that nobody has acknowledged in time; while it is muted, when
 * that ends. The job of an escalated episode stays until the last alert of the episode is posted.
 */
export async function escalateEpisode(
  ports: NotifyWatchersPorts,
  { tenant, list: id, rule, contract, generation, episode }: EpisodeId,
): Promise<void> {
  const about = { tenant, list: id, rule, contract, generation, episode };
  const job = await ports.getChangeJob({ tenant, id }, targetOf(about));
  // A message may come twice.
  if (job === undefined || job.dueAt > ports.now()) return;
  try {
    await escalate(ports, about, job);
  } catch (error) {
    // Another worker has the job.
    if (!(error instanceof VersionConflictError)) throw error;
  }
}

async function escalate(
  ports: NotifyWatchersPorts,
  about: EpisodeId,
  job: ChangeJob,
): Promise<void> {
  const { tenant, list: id } = about;
  const [watch, list] = [await ports.getWatch(about), await ports.getWatchlist({ tenant, id })];
  const now = ports.now();
  if (watch === undefined || list === undefined || !isInEpisode(watch, about)) {
    const isTold = job.escalatedAt === undefined || !hasMoreToTell(watch, about);
    return isTold
      ? await ports.settleChangeJob(job)
      : await putOff(ports, job, now + LOOKS_AGAIN_AFTER);
  }
  if (job.escalatedAt !== undefined) return await tell(ports, about, list, job, job.escalatedAt);
  const severity = list.rules.find((one) => one.id === ruleOf(watch))?.severity;
  const isWanted = list.escalate !== undefined && severity === 'critical';
  if (!isWanted || (await ports.getAcknowledgement(about)) !== undefined) {
    return await ports.settleChangeJob(job);
  }
  const { mutes } = await ports.getMutes({ tenant, id });
  const until = mutedUntil(mutes, { ...about, id: ruleOf(watch), severity }, now);
  if (until !== undefined) return await putOff(ports, job, until);
  // The alert may still be in the outbox of its watch, after a crash.
  if ((await alertOf(ports, about, job, now)) === undefined) {
    return await putOff(ports, job, now + MINUTE);
  }
  // Noted first: what is posted from now on goes to the others, too.
  const escalated = { ...job, escalatedAt: now, version: ports.newVersion() };
  await ports.replaceChangeJob(job, escalated);
  await tell(ports, about, list, escalated, now);
}

/** Posts that an episode was escalated, and keeps its job. A repetition posts nothing new. */
async function tell(
  ports: NotifyWatchersPorts,
  about: EpisodeId,
  list: Watchlist,
  job: ChangeJob,
  escalatedAt: Instant,
): Promise<void> {
  const alert = await alertOf(ports, about, job, escalatedAt);
  if (alert !== undefined) await postAlerts(ports, [alert], destinationIdsOfEscalation(list));
  await putOff(ports, job, ports.now() + LOOKS_AGAIN_AFTER);
}

async function alertOf(
  { getPosted }: NotifyWatchersPorts,
  about: EpisodeId,
  { alert, createdAt }: ChangeJob,
  escalatedAt: Instant,
): Promise<Alert | undefined> {
  const { tenant, list: watchlist } = about;
  const first = alert && (await getPosted({ tenant, watchlist, ...alert }));
  return first && escalatedAlert(first.alert, createdAt, escalatedAt);
}

async function putOff(ports: NotifyWatchersPorts, job: ChangeJob, until: Instant): Promise<void> {
  await ports.replaceChangeJob(job, { ...job, dueAt: until, version: ports.newVersion() });
}

/** Whether alerts of an episode are still to be posted. */
function hasMoreToTell(watch: Watch | undefined, about: EpisodeId): boolean {
  return watch?.outbox.some((alert) => isOfEpisode(alert, about)) ?? false;
}

function targetOf({
  rule,
  contract,
  generation,
  episode,
}: Omit<EpisodeId, 'tenant' | 'list'>): EpisodeTarget {
  return { kind: 'escalation', rule, contract, generation, episode };
}
