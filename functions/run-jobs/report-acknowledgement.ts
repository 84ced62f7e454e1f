import { acknowledgedAlert } from '#shared/domain/alerting/acknowledged-alert.ts';
import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { destinationIdsOfEscalation } from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, type Watch } from '#shared/domain/evaluation/watch.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { destinationIdsShowing } from '#shared/use-cases/destinations-showing.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { isEscalated } from './escalate-episode.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * Tells the channels of an open episode that it is acknowledged, where that wakes nobody. A mute does
 * not hold it back: it makes no sound.
 */
export async function reportAcknowledgement(
  ports: RunJobsPorts,
  { tenant, list: id, rule, contract, generation, episode }: EpisodeId,
): Promise<void> {
  const list = { tenant, id };
  const target = { kind: 'acknowledgement', rule, contract, generation, episode } as const;
  const job = await ports.getJob(list, target);
  if (job === undefined) return;
  const about = { tenant, list: id, rule, contract, generation, episode };
  const acknowledgement = await ports.getAcknowledgement(about);
  const watch = await ports.getWatch(about);
  const found = job.alert && (await ports.getPosted({ tenant, watchlist: id, ...job.alert }));
  const document = await ports.getWatchlist(list);
  if (acknowledgement && found) {
    const alert = acknowledgedAlert(acknowledgement, found.alert);
    const destinationIds =
      document && watch && isInEpisode(watch, about)
        ? await destinationIdsTold(ports, document, watch, about)
        : [];
    if (destinationIds.length > 0) await postAlerts(ports, [alert], destinationIds);
  }
  await unlessConflict(() => ports.settleJob(job));
}

/** The channels that got an alert of the episode, or its escalation. */
async function destinationIdsTold(
  ports: RunJobsPorts,
  list: Watchlist,
  watch: Watch,
  about: EpisodeId,
): Promise<readonly DestinationId[]> {
  const showing = await destinationIdsShowing(ports, list, watch);
  if (await isEscalated(ports, list, about)) return showing;
  const later = new Set(destinationIdsOfEscalation(list));
  return showing.filter((one) => !later.has(one) || watch.told?.includes(one) === true);
}
