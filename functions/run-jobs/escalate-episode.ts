import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import { destinationIdsOfEscalation } from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { EpisodeTarget, Job } from '#shared/domain/watchlists/job.ts';
import { coveringMutes } from '#shared/domain/watchlists/mute.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { readNewest } from '#shared/use-cases/read-newest.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { RunJobsPorts } from './ports.ts';

/** Milliseconds after which a job looks whether its episode is over. */
const LOOKS_AGAIN_AFTER = HOUR;

/** Whether an episode was escalated: what becomes of it is told there, too. */
export async function isEscalated(
  ports: Pick<RunJobsPorts, 'getJob'>,
  list: Watchlist,
  episode: EpisodeId,
): Promise<boolean> {
  if (list.escalate === undefined) return false;
  const job = await ports.getJob(list, targetOf(episode));
  return job?.escalatedAt !== undefined;
}

/**
 * Tells others of a critical episode that nobody has acknowledged in time; while it is muted, when
 * that ends. The end of the episode takes its job away.
 */
export async function escalateEpisode(
  ports: RunJobsPorts,
  { tenant, list: id, rule, contract, generation, episode }: EpisodeId,
): Promise<void> {
  const about = { tenant, list: id, rule, contract, generation, episode };
  const job = await ports.getJob({ tenant, id }, targetOf(about));
  // A message may come twice.
  if (job === undefined || job.dueAt > ports.now()) return;
  // After a conflict another worker has the job.
  await unlessConflict(() => escalate(ports, about, job));
}

async function escalate(ports: RunJobsPorts, about: EpisodeId, job: Job): Promise<void> {
  const { tenant, list: id } = about;
  const [watch, list] = [await ports.getWatch(about), await ports.getWatchlist({ tenant, id })];
  const now = ports.now();
  if (watch === undefined || list === undefined || !isInEpisode(watch, about)) {
    return await ports.settleJob(job);
  }
  if (job.escalatedAt !== undefined) return await tell(ports, watch, list, job, job.escalatedAt);
  const severity = list.rules.find((one) => one.id === ruleOf(watch))?.severity;
  const isWanted = list.escalate !== undefined && severity === 'critical';
  if (!isWanted || (await ports.getAcknowledgement(about)) !== undefined) {
    return await ports.settleJob(job);
  }
  const { mutes } = await ports.getMutes({ tenant, id });
  const covering = coveringMutes(mutes, { ...about, id: ruleOf(watch), severity }, now);
  const until = Math.max(0, ...covering.map((mute) => mute.until));
  if (until > now) {
    // People have the whole time to acknowledge an episode that they learn of after the mute.
    const isNew = covering.some(({ from }) => from < job.createdAt);
    return await putOff(ports, job, isNew ? until + waitOf(list) : until);
  }
  // Noted first: what is posted from now on goes to the others, too.
  const escalated = { ...job, escalatedAt: now, version: ports.newVersion() };
  await ports.replaceJob(job, escalated);
  await tell(ports, watch, list, escalated, now);
}

/** Posts that an episode was escalated, and keeps its job. A repetition posts nothing new. */
async function tell(
  ports: RunJobsPorts,
  watch: Watch,
  list: Watchlist,
  job: Job,
  escalatedAt: Instant,
): Promise<void> {
  const alert = await alertOf(ports, watch, job, escalatedAt);
  if (alert !== undefined) await postAlerts(ports, [alert], destinationIdsOfEscalation(list));
  await putOff(ports, job, ports.now() + LOOKS_AGAIN_AFTER);
}

/** Milliseconds that people have to acknowledge an episode. */
function waitOf({ escalate }: Watchlist): number {
  return (escalate && readDuration(escalate.after)) ?? 0;
}

/** Has the escalations of a list wait no longer than from now on: a mute of it was lifted. */
export async function escalateSooner(ports: RunJobsPorts, list: Watchlist): Promise<void> {
  const latest = ports.now() + waitOf(list);
  for (const job of await ports.escalationJobs(list)) {
    if (job.escalatedAt === undefined && job.dueAt > latest) await putOff(ports, job, latest);
  }
}

async function alertOf(
  ports: RunJobsPorts,
  watch: Watch,
  { alert, createdAt }: Job,
  escalatedAt: Instant,
): Promise<Alert | undefined> {
  if (alert === undefined) return undefined;
  const { tenant, list: watchlist } = watch;
  const [first, newest] = await waitForAll([
    ports.getPosted({ tenant, watchlist, ...alert }),
    readNewest(ports, watch),
  ]);
  return first && escalatedAlert(first.alert, newest, createdAt, escalatedAt);
}

async function putOff(ports: RunJobsPorts, job: Job, until: Instant): Promise<void> {
  await ports.replaceJob(job, { ...job, dueAt: until, version: ports.newVersion() });
}

function targetOf({
  rule,
  contract,
  generation,
  episode,
}: Omit<EpisodeId, 'tenant' | 'list'>): EpisodeTarget {
  return { kind: 'escalation', rule, contract, generation, episode };
}
