import { acknowledgedBy } from '#shared/channels/channel.ts';
import { acknowledgedAlert } from '#shared/domain/alerting/acknowledged-alert.ts';
import type { EpisodeId } from '#shared/domain/alerting/acknowledgement.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  channelOf,
  destinationIdsOfEscalation,
  destinationIdsOfRule,
} from '#shared/domain/channels/destination-id.ts';
import { isInEpisode, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { settleIfDone } from '#shared/use-cases/settle-change-job.ts';
import { isEscalated } from './escalate-episode.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/**
 * Tells the channels of an open episode that it is acknowledged, where that wakes nobody. A mute does
 * not hold it back: it makes no sound.
 */
export async function reportAcknowledgement(
  ports: NotifyWatchersPorts,
  { tenant, list: id, rule, contract, generation, episode }: EpisodeId,
): Promise<void> {
  const list = { tenant, id };
  const target = { kind: 'acknowledgement', rule, contract, generation, episode } as const;
  const job = await ports.getChangeJob(list, target);
  if (job === undefined) return;
  const readAt = ports.now();
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
  await settleIfDone(ports.settleChangeJob, job, acknowledgement?.at ?? 0, readAt);
}

/** The channels that are told: also those to which the episode was escalated. */
async function destinationIdsTold(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  watch: Watch,
  about: EpisodeId,
): Promise<readonly DestinationId[]> {
  const isWider = await isEscalated(ports, list, about);
  return await destinationIdsShowing(
    ...([ports, list, watch, isWider ? destinationIdsOfEscalation(list) : []] as const),
  );
}

/** The channels of a watch's alerts, and others, that can show an acknowledgement. */
async function destinationIdsShowing(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  watch: Watch,
  others: readonly DestinationId[],
): Promise<readonly DestinationId[]> {
  const { tenant } = list;
  const rule = list.rules.find(({ id }) => id === ruleOf(watch)) ?? watch.presentation;
  const shared =
    list.contactPoints.length === 0
      ? undefined
      : await ports.getWatchlist({ tenant, id: CONTACT_POINTS });
  const lists = [list, ...(shared === undefined ? [] : [shared])];
  const destinationIds = new Set([...destinationIdsOfRule(list, rule, ports), ...others]);
  return [...destinationIds].filter((destinationId) => {
    const named = channelOf(destinationId);
    const channel = lists
      .find(({ id }) => id === named?.list.id)
      ?.channels.find(({ id }) => id === named?.channel);
    return channel !== undefined && acknowledgedBy(channel) !== 'nowhere';
  });
}
