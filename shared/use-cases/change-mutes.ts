import type { Actor } from '#shared/domain/access/actor.ts';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import { type Mute, type Mutes, runningMutes } from '#shared/domain/watchlists/mute.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { type CommitChangePorts, changeNow, type Of } from './commit-change.ts';
import { retryingConflicts } from './retrying-conflicts.ts';
import { type ReadMutesPorts, withoutRecovered } from './running-mutes.ts';
import { type SendJobsPorts, sendJobs } from './send-jobs.ts';

export type ChangeMutesPorts<Tenant extends string> = CommitChangePorts<Tenant> &
  SendJobsPorts &
  ReadMutesPorts<Tenant>;

/** Milliseconds until `wake-work` sends the job again. */
const RETRY_DELAY = MINUTE;

/** Adds a mute to a list, once; returns false if the list has the maximum number of mutes. */
export async function addMute<Tenant extends string>(
  ports: ChangeMutesPorts<Tenant>,
  by: Actor,
  list: Of<Tenant, WatchlistId>,
  mute: Mute,
  most: number,
  keyed?: KeyedRequest,
): Promise<boolean> {
  const entry = changeNow(ports, list, by, 'mute_made', { subject: mute.id });
  return await retryingConflicts(async () => {
    const known = await ports.getMutes(list);
    const running = await withoutRecovered(ports, list, runningMutes(known.mutes, mute.from));
    if (running.some(({ id }) => id === mute.id)) return true;
    if (running.length >= most) return false;
    const mutes = nextOf(known, [...running, mute]);
    await ports.commitChange({ entry, jobs: [], mutes, keyed });
    return true;
  });
}

/**
 * Ends a mute early; returns whether it was active. The list's channels then send the alerts that
 * the mute held.
 */
export async function liftMute<Tenant extends string>(
  ports: ChangeMutesPorts<Tenant>,
  by: Actor,
  list: Of<Tenant, WatchlistId>,
  id: Mute['id'],
  now: Instant,
): Promise<boolean> {
  const entry = changeNow(ports, list, by, 'mute_lifted', { subject: id });
  const job = await retryingConflicts(async () => {
    const known = await ports.getMutes(list);
    const running = runningMutes(known.mutes, now);
    const left = running.filter((mute) => mute.id !== id);
    if (left.length === running.length) return undefined;
    const mutes = nextOf(known, left);
    const made = jobOfMutes(ports, mutes, now, now + RETRY_DELAY);
    await ports.commitChange({ entry, jobs: [made], mutes });
    return made;
  });
  if (job === undefined) return false;
  await sendJobs(ports, [job]);
  return true;
}

/**
 * The removal of a deleted list's mutes, with the job that releases the alerts they held. Undefined
 * if the list has no mutes.
 */
export function mutesRemoved(
  ports: Pick<CommitChangePorts<string>, 'newVersion' | 'now'>,
  known: Mutes,
): { readonly mutes: Mutes; readonly job: Job } | undefined {
  if (known.mutes.length === 0) return undefined;
  const mutes = nextOf(known, []);
  return { mutes, job: jobOfMutes(ports, mutes, ports.now(), ports.now()) };
}

/** The job that checks the alerts held by earlier mutes. */
function jobOfMutes(
  { newVersion }: Pick<CommitChangePorts<string>, 'newVersion'>,
  { list, version: revision }: Mutes,
  createdAt: Instant,
  dueAt: Instant,
): Job {
  const version = newVersion();
  return { list, target: { kind: 'mutes' }, revision, createdAt, dueAt, version };
}

function nextOf(known: Mutes, mutes: readonly Mute[]): Mutes {
  return { ...known, version: known.version + 1, mutes };
}
