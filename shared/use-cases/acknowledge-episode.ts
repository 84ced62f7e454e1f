import type { Actor } from '#shared/domain/access/actor.ts';
import {
  type Acknowledgement,
  type AcknowledgementBody,
  type EpisodeId,
  isOfEpisode,
} from '#shared/domain/alerting/acknowledgement.ts';
import { type Alert, alertName } from '#shared/domain/alerting/alert.ts';
import { isEpisodeOpen, type Watch, type WatchId } from '#shared/domain/evaluation/watch.ts';
import { watchIdOf } from '#shared/domain/evaluation/watch-of-alert.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { type Change, changeId } from '#shared/domain/watchlists/change.ts';
import type { ChangeJob } from '#shared/domain/watchlists/change-job.ts';
import type { Of } from './record-change.ts';
import { retryingConflicts } from './retrying-conflicts.ts';

export type OpenEpisodePorts<Tenant extends string> = {
  readonly getWatch: (id: Of<Tenant, WatchId>) => Promise<Watch | undefined>;
};

export type AcknowledgePorts<Tenant extends string> = {
  readonly now: () => Instant;
  /** A number that no two change jobs and no two changes share. */
  readonly newVersion: () => number;
  readonly getAcknowledgement: (
    episode: Of<Tenant, EpisodeId>,
  ) => Promise<Acknowledgement | undefined>;
  /** Throws VersionConflictError unless `before` is what is stored. */
  readonly putAcknowledgement: (
    acknowledgement: Of<Tenant, Acknowledgement>,
    before: Acknowledgement | undefined,
  ) => Promise<void>;
  readonly putChange: (change: Of<Tenant, Change>) => Promise<void>;
  readonly putChangeJobs: (...jobs: readonly ChangeJob[]) => Promise<void>;
  readonly sendToLists: (messages: readonly Outgoing<ListMessage>[]) => Promise<void>;
  readonly report: (event: 'change_not_sent', fields: Readonly<Record<string, unknown>>) => void;
};

/** Milliseconds that the first message has before the dispatcher repeats the job. */
const PATIENCE = MINUTE;

/** The watch in whose open episode an alert was made; undefined if there is none, or if it is over. */
export async function watchInEpisodeOf<Tenant extends string>(
  ports: OpenEpisodePorts<Tenant>,
  alert: Of<Tenant, Alert>,
): Promise<Of<Tenant, Watch> | undefined> {
  const { tenant } = alert;
  const id = watchIdOf(alert);
  const watch = id === undefined ? undefined : await ports.getWatch({ ...id, tenant });
  const isOpen = watch !== undefined && isEpisodeOpen(watch) && isOfEpisode(alert, watch);
  return isOpen ? { ...watch, tenant } : undefined;
}

/**
 * Acknowledges an open episode. What says nothing new changes nothing, and is not in the audit log.
 * The list's actor tells its channels; the change job is written before the acknowledgement, so this
 * happens even if the message is lost.
 */
export async function acknowledgeEpisode<Tenant extends string>(
  ports: AcknowledgePorts<Tenant>,
  by: Actor,
  alert: Alert,
  { tenant, list, rule, contract, generation, episode }: Of<Tenant, EpisodeId>,
  given: AcknowledgementBody,
): Promise<Acknowledgement> {
  const about = { tenant, list, rule, contract, generation, episode };
  const { isNew, acknowledgement } = await retryingConflicts(async () => {
    const before = await ports.getAcknowledgement(about);
    const { note = before?.note, silences = before?.silences ?? 'reminders' } = given;
    if (before?.note === note && before?.silences === silences) {
      return { isNew: false, acknowledgement: before };
    }
    const at = Math.max(ports.now(), (before?.at ?? 0) + 1);
    const change = changeId(at, ports.newVersion());
    const made = { ...before, ...about, at, by, note, silences, change };
    await ports.putChangeJobs({
      list: { tenant, id: list },
      target: { kind: 'acknowledgement', rule, contract, generation, episode },
      ...{ revision: at, createdAt: at, dueAt: at + PATIENCE },
      alert: { at: alert.at, id: alert.id },
      version: ports.newVersion(),
    });
    await ports.putAcknowledgement(made, before);
    return { isNew: true, acknowledgement: made };
  });
  const { change, at, by: who = by } = acknowledgement;
  const subject = alertName(alert);
  // Also of what was said before: a request that was cut short may not have come to it.
  if (change !== undefined) {
    const entry = { tenant, watchlist: list, id: change, at, by: who };
    await ports.putChange({ ...entry, kind: 'alert_acknowledged', subject });
  }
  if (isNew) await sendHint(ports, acknowledgement);
  return acknowledgement;
}

async function sendHint<Tenant extends string>(
  ports: AcknowledgePorts<Tenant>,
  { tenant, list, rule, contract, generation, episode, at }: Acknowledgement,
): Promise<void> {
  const about = { tenant, list, rule, contract, generation, episode };
  const message = { kind: 'acknowledgement' as const, ...about };
  try {
    await ports.sendToLists([{ message, deduplication: JSON.stringify([message, at]) }]);
  } catch (error) {
    ports.report('change_not_sent', { tenant, list, error });
  }
}
