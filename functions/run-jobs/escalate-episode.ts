import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import { destinationIdsOfEscalation } from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { EpisodeTarget, Job } from '#shared/domain/watchlists/job.ts';
import { coveringMutes } from '#shared/domain/watchlists/mute.ts';
import { muteSubject } from '#shared/domain/watchlists/muted-watch.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { readNewest } from '#shared/use-cases/read-newest.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/** Milliseconds until a job checks again whether its episode has ended. */
const LOOKS_AGAIN_AFTER = HOUR;

/**
 * Whether an episode was escalated, so that its later alerts are also sent to the escalation's
 * channels.
 */
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
 * Escalates a critical episode that nobody has acknowledged in time. A muted episode is escalated
 * after the mute. The transaction that ends the episode deletes its job.
 */
export async function escalateEpisode(
  ports: RunJobsPorts,
  job: Job,
  { rule, contract, generation, episode }: EpisodeTarget,
): Promise<JobOutcome> {
  const { tenant, id } = job.list;
  const about = { tenant, list: id, rule, contract, generation, episode };
  const now = ports.now();
  // The message may be a duplicate.
  if (job.dueAt > now) return 'unchanged';
  const [watch, list] = [await ports.getWatch(about), await ports.getWatchlist({ tenant, id })];
  if (watch === undefined || list === undefined || !isInEpisode(watch, about)) return 'done';
  if (job.escalatedAt !== undefined) {
    const alert = await alertOf(ports, watch, job, job.escalatedAt);
    if (alert !== undefined) await postAlerts(ports, [alert], destinationIdsOfEscalation(list));
    return { dueAt: ports.now() + LOOKS_AGAIN_AFTER };
  }
  const severity = list.rules.find((one) => one.id === ruleOf(watch))?.severity;
  const isWanted = list.escalate !== undefined && severity === 'critical';
  if (!isWanted || (await ports.getAcknowledgement(about)) !== undefined) return 'done';
  const { mutes } = await ports.getMutes({ tenant, id });
  const covering = coveringMutes(mutes, { ...muteSubject(watch), severity }, now);
  const until = Math.max(0, ...covering.map((mute) => mute.until));
  if (until > now) {
    // If people are notified of the episode only after the mute, they get the full delay to
    // acknowledge it.
    const isNew = covering.some(({ from }) => from < job.createdAt);
    return { dueAt: isNew ? until + escalationDelay(list) : until };
  }
  // Stored before the alert is posted, so that later alerts are sent to the escalation's channels
  // too.
  return { escalatedAt: now, dueAt: now };
}

/** Milliseconds in which people can acknowledge an episode. */
export function escalationDelay({ escalate }: Watchlist): number {
  return (escalate && readDuration(escalate.after)) ?? 0;
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

function targetOf({
  rule,
  contract,
  generation,
  episode,
}: Omit<EpisodeId, 'tenant' | 'list'>): EpisodeTarget {
  return { kind: 'escalation', rule, contract, generation, episode };
}
