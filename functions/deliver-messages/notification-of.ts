import type { Destination } from '#shared/channels/destination.ts';
import { type Alert, byPlace } from '#shared/domain/alerting/alert.ts';
import {
  type AlertNotification,
  digestOf,
  type Notification,
} from '#shared/domain/alerting/notification.ts';
import type {
  ChannelRecord,
  NotificationUnderWay,
} from '#shared/domain/channels/channel-record.ts';
import type { ShownEpisodes } from '#shared/domain/channels/shown-episodes.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { ListReader } from './list-reader.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { receiverOf } from './receiver.ts';
import { type ShownNews, shownNews } from './shown-news.ts';
import type { Waiting } from './waiting-alerts.ts';

/** Maximum number of lists that are read to find the time zone of a digest. */
const LISTS_READ = 5;

/**
 * Adds to each alert its recipient, its links, and the time zone and number of contracts of its
 * list.
 * After a failure, a message for people is sent without its chart, because the service may have
 * timed out while it fetched the picture.
 */
export async function completed(
  ports: DeliverMessagesPorts,
  { failure }: ChannelRecord,
  destination: Destination,
  listBehind: ListReader,
  { notification, charted }: ShownNews,
  signal: AbortSignal,
): Promise<Notification> {
  const isForOperators = destination.kind !== 'channel';
  if (notification.kind === 'digest') {
    const lists = await waitForAll(notification.watchlists.slice(-LISTS_READ).map(listBehind));
    const { timeZone } = lists.findLast((list) => list?.timeZone !== undefined) ?? {};
    const [only] = notification.watchlists.length === 1 ? lists : [];
    const of = only && { name: only.name, contracts: only.members.length };
    const withAddresses = (alert: AlertNotification) =>
      withLinks(ports, destination, listBehind, { notification: alert }, signal);
    const singly =
      notification.singly && (await waitForAll(notification.singly.map(withAddresses)));
    return { ...notification, timeZone, of, singly, isForOperators };
  }
  const news = { notification, charted };
  const linked = await withLinks(ports, destination, listBehind, news, signal);
  const complete = { ...linked, isForOperators };
  const isWithoutChart = failure !== undefined && receiverOf(destination).isForPeople;
  return isWithoutChart ? { ...complete, chart: undefined } : complete;
}

async function withLinks(
  ports: DeliverMessagesPorts,
  destination: Destination,
  listBehind: ListReader,
  { notification, charted }: { notification: AlertNotification; charted?: Alert | undefined },
  signal: AbortSignal,
): Promise<AlertNotification> {
  const { alert } = notification;
  const { rules = [], timeZone } = (await listBehind(alert)) ?? {};
  const rule = rules.find(({ id }) => id === alert.rule);
  const channel = destination.kind === 'channel' ? destination.channel.id : undefined;
  const links = await ports.messageLinks(alert, { rule, channel, charted }, signal);
  return { ...notification, timeZone, ...links };
}

/** The notification for alerts: a single alert, a digest, or a batch for a program. */
export async function notificationOf(
  ports: DeliverMessagesPorts,
  { id }: NotificationUnderWay,
  shown: ShownEpisodes | undefined,
  destination: Destination,
  all: readonly Waiting[],
): Promise<ShownNews> {
  const alerts = all.map(({ record }) => record.alert).toSorted(byPlace);
  const [first, ...others] = alerts;
  if (first !== undefined && others.length === 0) return await shownNews(ports, shown, first);
  const isQuiet = all.some(({ entry }) => entry.held?.for === 'quiet');
  const digest = digestOf(id, alerts, isQuiet ? 'quiet' : undefined);
  if (receiverOf(destination).isForPeople) return { notification: digest };
  const singly = alerts.map((alert): AlertNotification => ({ kind: 'alert', alert }));
  return { notification: { ...digest, singly } };
}
