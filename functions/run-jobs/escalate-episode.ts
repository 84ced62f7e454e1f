import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import { destinationIdsOfEscalation } from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { EpisodeTarget, Job } from '#shared/domain/watchlists/job.ts';
import { coveringMutes } from '#shared/domain/watchlists/mute.ts';
import { muteableOf } from '#shared/domain/watchlists/muted-watch.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { readNewest } from '#shared/use-cases/read-newest.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/** Milliseconds after which a job looks whether its episode is over. */
const LOOKS_AGAIN_AFTER = HOUR;

/** Whether an episode was escalated: its later alerts go to the escalation's channels, too. */
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
 * Informs others of a critical episode that nobody has acknowledged in time; while it is muted, when
 * the mute ends. The transaction that ends the episode deletes its job.
 */
export async function escalateEpisode(
  ports: RunJobsPorts,
  job: Job,
  { rule, contract, generation, episode }: EpisodeTarget,
): Promise<JobOutcome> {
  const { tenant, id } = job.list;
  const about = { tenant, list: id, rule, contract, generation, episode };
  const now = ports.now();
  // A message may come twice.
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
  const covering = coveringMutes(mutes, { ...muteableOf(watch), severity }, now);
  const until = Math.max(0, ...covering.map((mute) => mute.until));
  if (until > now) {
    // People have the whole time to acknowledge an episode that they learn of after the mute.
    const isNew = covering.some(({ from }) => from < job.createdAt);
    return { dueAt: isNew ? until + escalationDelay(list) : until };
  }
  // Stored before the alert is posted: later alerts go to the others, too.
  return { escalatedAt: now, dueAt: now };
}

/** Milliseconds that people have to acknowledge an episode. */
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
