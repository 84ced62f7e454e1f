import type { Actor } from '#shared/domain/access/actor.ts';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import {
  type Acknowledgement,
  type AcknowledgementBody,
  type EpisodeId,
  isOfEpisode,
} from '#shared/domain/alerting/acknowledgement.ts';
import { type Alert, alertName } from '#shared/domain/alerting/alert.ts';
import { isEpisodeOpen, type Watch, type WatchId } from '#shared/domain/evaluation/watch.ts';
import { watchIdOf } from '#shared/domain/evaluation/watch-of-alert.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { type CommitChangePorts, changeNow, type Of } from './commit-change.ts';
import { destinationIdsShowing } from './destinations-showing.ts';
import { retryingConflicts } from './retrying-conflicts.ts';
import { type SendJobsPorts, sendJobs } from './send-jobs.ts';

export type OpenEpisodePorts<Tenant extends string> = {
  readonly getWatch: (id: Of<Tenant, WatchId>) => Promise<Watch | undefined>;
};

export type AcknowledgePorts<Tenant extends string> = CommitChangePorts<Tenant> &
  SendJobsPorts & {
    readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined>;
    readonly getAcknowledgement: (
      episode: Of<Tenant, EpisodeId>,
    ) => Promise<Acknowledgement | undefined>;
  };

/** Milliseconds until `wake-work` sends the job again. */
const RETRY_DELAY = MINUTE;

/** The watch of an alert's episode; undefined if the alert has none or the episode has ended. */
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
 * Acknowledges the open episode of a watch. A repeated acknowledgement writes nothing, not even to
 * the audit log. If a message can show the acknowledgement, a job of the list updates that message.
 */
export async function acknowledgeEpisode<Tenant extends string>(
  ports: AcknowledgePorts<Tenant>,
  by: Actor,
  alert: Alert,
  watch: Of<Tenant, Watch>,
  given: AcknowledgementBody,
  keep: (made: Acknowledgement) => KeyedRequest | undefined = () => undefined,
): Promise<Acknowledgement> {
  const { tenant, list, rule, contract, generation, episode } = watch;
  const about = { tenant, list, rule, contract, generation, episode };
  const document = await ports.getWatchlist({ tenant, id: list });
  const showing = document && (await destinationIdsShowing<Tenant>(ports, document, watch));
  const isShown = showing !== undefined && showing.length > 0;
  // Most episodes are acknowledged once, so an earlier acknowledgement is read only after a conflict.
  let before: Acknowledgement | undefined;
  return await retryingConflicts(async () => {
    const { note = before?.note, silences = before?.silences ?? 'reminders' } = given;
    if (before?.note === note && before?.silences === silences) return before;
    const at = Math.max(ports.now(), (before?.at ?? 0) + 1);
    const after = { ...before, ...about, at, by, note, silences };
    const target = { kind: 'acknowledgement', rule, contract, generation, episode } as const;
    const job: Job = {
      ...{
        list: { tenant, id: list },
        target,
        revision: at,
        createdAt: at,
        dueAt: at + RETRY_DELAY,
      },
      ...{ alert: { at: alert.at, id: alert.id }, version: ports.newVersion() },
    };
    const jobs = isShown ? [job] : [];
    try {
      await ports.commitChange({
        entry: changeNow<Tenant>(ports, { tenant, id: list }, by, 'alert_acknowledged', {
          subject: alertName(alert),
        }),
        jobs,
        acknowledgement: { after, before },
        keyed: keep(after),
      });
    } catch (error) {
      if (error instanceof VersionConflictError) before = await ports.getAcknowledgement(about);
      throw error;
    }
    await sendJobs(ports, jobs);
    return after;
  });
}
