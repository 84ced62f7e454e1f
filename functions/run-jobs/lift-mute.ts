import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { withMuteLifted } from '#shared/domain/channels/channel-record.ts';
import { allDestinationIdsOf } from '#shared/domain/channels/destination-id.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import { changeChannel } from '#shared/use-cases/change-channel.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { escalationDelay } from './escalate-episode.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * Makes the destinations of a list check their held alerts after a mute was lifted early. All
 * contact points are included, because a contact point may hold alerts of a list that no longer
 * uses it.
 */
export async function liftMute(ports: RunJobsPorts, job: Job): Promise<JobOutcome> {
  const { list: id } = job;
  const readAt = ports.now();
  const getWatchlist = oncePerList(ports.getWatchlist);
  const [list, shared] = await waitForAll([
    getWatchlist(id),
    getWatchlist({ tenant: id.tenant, id: CONTACT_POINTS }),
  ]);
  if (list === undefined) return 'done';
  const destinationIds = new Set([
    ...allDestinationIdsOf(list, ports),
    ...(shared === undefined ? [] : allDestinationIdsOf(shared, ports)),
  ]);
  const holding = await waitForAll([...destinationIds].map((one) => liftAt(ports, one, readAt)));
  const messages = await createMessagesTo(getWatchlist)(holding.flat());
  await ports.sendToChannels(
    messages.map((message) => ({
      message,
      deduplication: `mutes ${message.destinationId} ${job.version}`,
    })),
  );
  await wakeJobs(ports, await ports.jobsOfKind(id, 'escalation'), readAt + escalationDelay(list));
  const ends = await ports.jobsOfKind(id, 'expiry');
  await wakeJobs(ports, ends.filter(hasEndedBy(readAt)), readAt);
  return 'done';
}

/** Makes jobs due at an instant if a mute had postponed them. */
async function wakeJobs(ports: RunJobsPorts, jobs: readonly Job[], dueAt: Instant): Promise<void> {
  for (const job of jobs) {
    if (job.escalatedAt !== undefined || job.dueAt <= dueAt) continue;
    const sooner = { ...job, dueAt, version: ports.newVersion() };
    // A conflict means that another worker has changed the job.
    await unlessConflict(() => ports.replaceJob(job, sooner));
  }
}

function hasEndedBy(now: Instant) {
  return ({ target }: Job) => target.kind === 'expiry' && target.end <= now;
}

/**
 * Makes a destination check its held alerts. Returns the id of the destination if it has a record.
 * A destination without a record has no alerts.
 */
async function liftAt(
  ports: RunJobsPorts,
  destinationId: DestinationId,
  now: Instant,
): Promise<readonly DestinationId[]> {
  const known = await ports.getChannel(destinationId);
  if (known === undefined) return [];
  await changeChannel(ports, known, (record) => withMuteLifted(record, now));
  return [destinationId];
}
