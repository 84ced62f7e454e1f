import { acknowledgedBy } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import {
  acknowledgedNews,
  withAcknowledgement,
} from '#shared/domain/alerting/acknowledged-alert.ts';
import { type Alert, alertAt } from '#shared/domain/alerting/alert.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { type ShownEpisodes, shownOf } from '#shared/domain/channels/shown-episodes.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import { asTold } from './as-told.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** A notification, and the news whose picture it has where that is of another alert. */
export type ShownNews = {
  readonly notification: Notification;
  readonly pictured?: Alert | undefined;
};

/**
 * An alert as the channel shows its episode: who has acknowledged it stands beside all later news,
 * and an acknowledgement beside the newest news, so that no edit takes anything away.
 */
export async function shownNews(
  ports: DeliverMessagesPorts,
  shown: ShownEpisodes | undefined,
  alert: Alert,
): Promise<ShownNews> {
  const known = shownOf(shown, alert);
  const notification = { kind: 'alert', alert, shownBy: known?.message } as const;
  const read = async (place: string | undefined): Promise<Alert | undefined> => {
    if (place === undefined) return undefined;
    const { tenant, watchlist } = alert;
    const key = { tenant, watchlist, ...alertAt(place) };
    return (await orUnreadable({ kind: 'alert', id: key.id }, () => ports.getPosted(key))).found
      ?.alert;
  };
  if (alert.kind === 'acknowledged') {
    const news = await read(known?.news);
    const newest = news === undefined ? alert : await asTold(ports, news, known?.heldBack);
    const merged = newest === alert ? alert : acknowledgedNews(alert, newest);
    return {
      notification: { ...notification, alert: merged, isAcknowledged: true },
      pictured: newest,
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
 * Why a notification is not sent: an acknowledgement wakes nobody, so it is only written into the
 * message that shows its episode, where a channel has one.
 */
export function whySkipped(
  destination: Destination,
  notification: Notification,
): string | undefined {
  if (notification.kind === 'digest' || notification.alert.kind !== 'acknowledged')
    return undefined;
  const how = destination.kind === 'channel' ? acknowledgedBy(destination.channel) : 'nowhere';
  if (how === 'nowhere') return 'its messages are not changed';
  const isShown = how === 'as-event' || notification.shownBy !== undefined;
  return isShown ? undefined : 'no message of its shows the episode';
}
