import type { Actor } from '#shared/domain/access/actor.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { ChangeJob } from '#shared/domain/watchlists/change-job.ts';
import { type Mute, type Mutes, runningMutes } from '#shared/domain/watchlists/mute.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { changeNow, type Of, type RecordChangePorts, recordChange } from './record-change.ts';
import { retryingConflicts } from './retrying-conflicts.ts';

type KeepMutesPorts<Tenant extends string> = {
  readonly now: () => Instant;
  /** A number that no two change jobs and no two changes share. */
  readonly newVersion: () => number;
  readonly getMutes: (list: Of<Tenant, WatchlistId>) => Promise<Mutes>;
  readonly putMutes: (mutes: Mutes) => Promise<void>;
  readonly putChangeJobs: (...jobs: readonly ChangeJob[]) => Promise<void>;
};

export type ChangeMutesPorts<Tenant extends string> = KeepMutesPorts<Tenant> &
  RecordChangePorts<Tenant> & {
    readonly sendToLists: (messages: readonly Outgoing<ListMessage>[]) => Promise<void>;
    readonly report: (
      event: 'change_not_sent' | 'change_not_committed',
      fields: Readonly<Record<string, unknown>>,
    ) => void;
  };

/** Milliseconds that the first message has before the dispatcher repeats the job. */
const PATIENCE = MINUTE;

/** Adds a mute to the running ones of a list, once; returns whether there was room for it. */
export async function addMute<Tenant extends string>(
  ports: ChangeMutesPorts<Tenant>,
  by: Actor,
  list: Of<Tenant, WatchlistId>,
  mute: Mute,
  most: number,
): Promise<boolean> {
  const entry = changeNow(ports, list, by, 'mute_made', { subject: mute.id });
  return await retryingConflicts(async () => {
    const known = await ports.getMutes(list);
    const running = runningMutes(known.mutes, mute.from);
    if (running.some(({ id }) => id === mute.id)) return true;
    if (running.length >= most) return false;
    const made = { ...nextOf(known, [...running, mute]), change: entry.id };
    await recordChange(ports, entry, known.change, () => ports.putMutes(made));
    return true;
  });
}

/**
 * Ends a mute early; returns whether it was running. The list's channels send the alerts that it
 * held. The change job is written before the mute is removed, so this happens even if the message
 * is lost.
 */
export async function liftMute<Tenant extends string>(
  ports: ChangeMutesPorts<Tenant>,
  by: Actor,
  list: Of<Tenant, WatchlistId>,
  id: Mute['id'],
  now: Instant,
): Promise<boolean> {
  const entry = changeNow(ports, list, by, 'mute_lifted', { subject: id });
  const version = await retryingConflicts(async () => {
    const known = await ports.getMutes(list);
    const running = runningMutes(known.mutes, now);
    const left = running.filter((mute) => mute.id !== id);
    if (left.length === running.length) return undefined;
    const lifted = { ...nextOf(known, left), change: entry.id };
    await ports.putChangeJobs(jobOf(ports, lifted, now, now + PATIENCE));
    await recordChange(ports, entry, known.change, () => ports.putMutes(lifted));
    return lifted.version;
  });
  if (version === undefined) return false;
  const message = { kind: 'unmute' as const, tenant: list.tenant, list: list.id };
  try {
    await ports.sendToLists([
      { message, deduplication: `unmute ${list.tenant} ${list.id} ${version}` },
    ]);
  } catch (error) {
    ports.report('change_not_sent', { tenant: list.tenant, list: list.id, error });
  }
  return true;
}

/**
 * Removes the mutes of a list that is deleted, or about to be created again; what they held is sent
 * soon. The audit log has the change of the list alone.
 */
export async function removeMutes<Tenant extends string>(
  ports: KeepMutesPorts<Tenant>,
  list: Of<Tenant, WatchlistId>,
): Promise<void> {
  await retryingConflicts(async () => {
    const known = await ports.getMutes(list);
    if (known.mutes.length === 0) return;
    const removed = nextOf(known, []);
    await ports.putChangeJobs(jobOf(ports, removed, ports.now(), ports.now()));
    await ports.putMutes(removed);
  });
}

/** The job that has what earlier mutes held looked through. */
function jobOf<Tenant extends string>(
  { newVersion }: Pick<KeepMutesPorts<Tenant>, 'newVersion'>,
  { list, version: revision }: Mutes,
  createdAt: Instant,
  dueAt: Instant,
): ChangeJob {
  const version = newVersion();
  return { list, target: { kind: 'mutes' }, revision, createdAt, dueAt, version };
}

function nextOf(known: Mutes, mutes: readonly Mute[]): Mutes {
  return { ...known, version: known.version + 1, mutes };
}
