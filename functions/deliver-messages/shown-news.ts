import { acknowledgedBy } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import {
  acknowledgedNews,
  withAcknowledgement,
} from '#shared/domain/alerting/acknowledged-alert.ts';
import { type Alert, alertAt } from '#shared/domain/alerting/alert.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { findShownEpisode, type ShownEpisodes } from '#shared/domain/channels/shown-episodes.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import { asDelivered } from './as-delivered.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** A notification to send. If its chart belongs to a different alert, `charted` is that alert. */
export type ShownNews = {
  readonly notification: Notification;
  readonly charted?: Alert | undefined;
};

/**
 * An alert with the facts that its message must keep, so that an edit removes nothing. Later alerts
 * keep the acknowledgement of the episode. An acknowledgement keeps the facts of the newest alert.
 */
export async function shownNews(
  ports: DeliverMessagesPorts,
  shown: ShownEpisodes | undefined,
  alert: Alert,
): Promise<ShownNews> {
  const known = findShownEpisode(shown, alert);
  const notification = { kind: 'alert', alert, shownBy: known?.message } as const;
  const read = async (place: string | undefined): Promise<Alert | undefined> => {
    if (place === undefined) return undefined;
    const { tenant, watchlist } = alert;
    const key = { tenant, watchlist, ...alertAt(place) };
    return (await tryRead({ kind: 'alert', id: key.id }, () => ports.getPosted(key))).found?.alert;
  };
  if (alert.kind === 'acknowledged') {
    const news = await read(known?.news);
    const newest = news === undefined ? alert : await asDelivered(ports, news, known?.heldBack);
    const merged = newest === alert ? alert : acknowledgedNews(alert, newest);
    return {
      notification: { ...notification, alert: merged, isAcknowledged: true },
      charted: newest,
    };
  }
  const acknowledged = await read(known?.acknowledged);
  if (acknowledged === undefined) return { notification };
  return {
    notification: {
      ...notification,
      alert: withAcknowledgement(alert, acknowledged),
      isAcknowledged: true,
    },
  };
}

/**
 * The reason why a notification is not sent. Acknowledgements are silent, so they are only added to
 * an existing message of the episode.
 */
export function whySkipped(
  destination: Destination,
  notification: Notification,
): string | undefined {
  if (notification.kind === 'digest' || notification.alert.kind !== 'acknowledged')
    return undefined;
  const how = destination.kind === 'channel' ? acknowledgedBy(destination.channel) : 'nowhere';
  if (how === 'nowhere') return 'messages of this channel cannot be edited';
  const isShown = how === 'as-event' || notification.shownBy !== undefined;
  return isShown ? undefined : 'the channel has no message about this episode';
}
