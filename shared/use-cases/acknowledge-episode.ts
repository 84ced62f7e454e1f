import type { Actor } from '#shared/domain/access/actor.ts';
import {
  type Acknowledgement,
  type AcknowledgementBody,
  type EpisodeId,
  isOfEpisode,
} from '#shared/domain/alerting/acknowledgement.ts';
import { type Alert, alertId, alertName } from '#shared/domain/alerting/alert.ts';
import {
  isEpisodeOpen,
  type Watch,
  type WatchId,
  watchNamesOf,
} from '#shared/domain/evaluation/watch.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Change } from '#shared/domain/watchlists/change.ts';
import { changeNow, type Of } from './record-change.ts';

export type OpenEpisodePorts<Tenant extends string> = {
  readonly getWatch: (id: Of<Tenant, WatchId>) => Promise<Watch | undefined>;
};

export type AcknowledgePorts<Tenant extends string> = {
  readonly now: () => Instant;
  /** A number that no two changes share. */
  readonly newVersion: () => number;
  readonly getAcknowledgement: (
    episode: Of<Tenant, EpisodeId>,
  ) => Promise<Acknowledgement | undefined>;
  readonly putAcknowledgement: (acknowledgement: Of<Tenant, Acknowledgement>) => Promise<void>;
  readonly putChange: (change: Of<Tenant, Change>) => Promise<void>;
};

/** The watch whose open episode an alert is of; undefined where it is of none, or of one that is over. */
export async function watchInEpisodeOf<Tenant extends string>(
  ports: OpenEpisodePorts<Tenant>,
  alert: Of<Tenant, Alert>,
): Promise<Of<Tenant, Watch> | undefined> {
  const { tenant, watchlist: list, contract, generation } = alert;
  if (alert.rule === null || contract === null || generation === null) return undefined;
  const about = { tenant, list, contract: ContractKey.parse(contract) };
  // The alerts of a no-data watch name its rule; their ids begin with the watch.
  const rule = watchNamesOf(alert.rule).find((name) =>
    alert.id.startsWith(alertId({ ...about, rule: name }, generation, '')),
  );
  const watch = rule === undefined ? undefined : await ports.getWatch({ ...about, rule });
  const isOpen = watch !== undefined && isEpisodeOpen(watch) && isOfEpisode(alert, watch);
  return isOpen ? { ...watch, tenant } : undefined;
}

/**
 * Acknowledges an open episode. What says nothing new changes nothing, and is not in the audit log.
 */
export async function acknowledgeEpisode<Tenant extends string>(
  ports: AcknowledgePorts<Tenant>,
  by: Actor,
  alert: Alert,
  { tenant, list, rule, contract, generation, episode }: Of<Tenant, EpisodeId>,
  given: AcknowledgementBody,
): Promise<Acknowledgement> {
  const about = { tenant, list, rule, contract, generation, episode };
  const before = await ports.getAcknowledgement(about);
  const { note = before?.note, silences = before?.silences ?? 'reminders' } = given;
  if (before?.note === note && before?.silences === silences) return before;
  const acknowledgement = { ...before, ...about, at: ports.now(), by, note, silences };
  await ports.putAcknowledgement(acknowledgement);
  const subject = alertName(alert);
  await ports.putChange(
    changeNow(ports, { tenant, id: list }, by, 'alert_acknowledged', { subject }),
  );
  return acknowledgement;
}
