import { acknowledgedAlert } from '#shared/domain/alerting/acknowledged-alert.ts';
import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { destinationIdsOfEscalation } from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, type Watch } from '#shared/domain/evaluation/watch.ts';
import type { EpisodeTarget, Job } from '#shared/domain/watchlists/job.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { destinationIdsShowing } from '#shared/use-cases/destinations-showing.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { isEscalated } from './escalate-episode.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * Posts the acknowledgement of an open episode to the channels that can show it silently. Mutes do
 * not hold these messages.
 */
export async function reportAcknowledgement(
  ports: RunJobsPorts,
  { list: { tenant, id }, alert: posted }: Job,
  { rule, contract, generation, episode }: EpisodeTarget,
): Promise<JobOutcome> {
  const about = { tenant, list: id, rule, contract, generation, episode };
  const acknowledgement = await ports.getAcknowledgement(about);
  const watch = await ports.getWatch(about);
  const found = posted && (await ports.getPosted({ tenant, watchlist: id, ...posted }));
  const document = await ports.getWatchlist({ tenant, id });
  if (acknowledgement && found && document && watch && isInEpisode(watch, about)) {
    const alert = acknowledgedAlert(acknowledgement, found.alert);
    const destinationIds = await notifiedDestinations(ports, document, watch, about);
    if (destinationIds.length > 0) await postAlerts(ports, [alert], destinationIds);
  }
  return 'done';
}

/** The channels that got an alert of the episode or its escalation. */
async function notifiedDestinations(
  ports: RunJobsPorts,
  list: Watchlist,
  watch: Watch,
  about: EpisodeId,
): Promise<readonly DestinationId[]> {
  const showing = await destinationIdsShowing(ports, list, watch);
  if (await isEscalated(ports, list, about)) return showing;
  const later = new Set(destinationIdsOfEscalation(list));
  return showing.filter((one) => !later.has(one) || watch.notified?.includes(one) === true);
}
