import { createHash } from 'node:crypto';
import { momentInWords } from '#shared/domain/market/instant.ts';
import type { Alert } from './alert.ts';
import { alertSubject, isGoodNews } from './alert-text.ts';

/** What a channel is given to send: one alert, or many at once. */
export type Notification = { readonly kind: 'alert'; readonly alert: Alert } | Digest;

/** Many alerts in one message: what came too fast for people, or piled up while a channel was down. */
export type Digest = {
  readonly kind: 'digest';
  readonly id: string;
  /** The newest of them, at most fifty, in the order in which they were made. */
  readonly alerts: readonly Alert[];
  /** How many it stands for. */
  readonly count: number;
  readonly bySeverity: Readonly<Record<Alert['severity'], number>>;
  /** The watchlists that it is of, also those whose alerts are not among the newest. */
  readonly watchlists: readonly Pick<Alert, 'tenant' | 'watchlist'>[];
};

const LISTED = 50;
/** So many watchlists a notification names, with where to read on. */
const NAMED = 20;
const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** A digest of alerts, oldest first. */
export function digestOf(id: string, alerts: readonly Alert[]): Digest {
  const ofSeverity = (wanted: Alert['severity']) =>
    alerts.filter(({ severity }) => severity === wanted).length;
  return {
    kind: 'digest',
    id,
    alerts: alerts.slice(-LISTED),
    count: alerts.length,
    bySeverity: {
      critical: ofSeverity('critical'),
      warning: ofSeverity('warning'),
      info: ofSeverity('info'),
    },
    watchlists: listsOf(alerts),
  };
}

/**
 * The id of a digest for a destination: the same for the same entries of its inbox, and for no
 * others.
 */
export function digestId(destinationId: string, entries: readonly string[]): string {
  const identity = JSON.stringify([destinationId, entries]);
  return `digest.${createHash('sha256').update(identity).digest('hex').slice(0, 20)}`;
}

/** Identifies a notification: the same id however often it is sent. */
export function notificationId(notification: Notification): string {
  return notification.kind === 'alert' ? notification.alert.id : notification.id;
}

/** The highest severity in a notification. */
export function notificationSeverity(notification: Notification): Alert['severity'] {
  if (notification.kind === 'alert') return notification.alert.severity;
  return SEVERITIES.find((severity) => notification.bySeverity[severity] > 0) ?? 'info';
}

/** How a notification is coloured: by its severity, but for an alert that says that something is over. */
export function notificationTone(notification: Notification): Alert['severity'] | 'good' {
  const isGood = notification.kind === 'alert' && isGoodNews(notification.alert);
  return isGood ? 'good' : notificationSeverity(notification);
}

/** One line that says it all: an email's subject, the notification on a phone. */
export function notificationSubject(notification: Notification): string {
  if (notification.kind === 'alert') return alertSubject(notification.alert);
  const { count, bySeverity, watchlists } = notification;
  const urgent = bySeverity.critical > 0 ? '[critical] ' : '';
  const counts = SEVERITIES.filter((severity) => bySeverity[severity] > 0).map(
    (severity) => `${bySeverity[severity]} ${severity}`,
  );
  const [list, ...others] = watchlists;
  const from = list === undefined || others.length > 0 ? '' : ` of watchlist "${list.watchlist}"`;
  return `${urgent}${count} alerts${from}: ${counts.join(', ')}`;
}

/**
 * A notification as the text of an email: its subject, its facts, and its id.
 */
export function notificationText(notification: Notification): string {
  if (notification.kind === 'alert') return notification.alert.text;
  const { alerts, count, id, watchlists } = notification;
  const unlisted = count - alerts.length;
  const unnamed = watchlists.length - NAMED;
  return [
    notificationSubject(notification),
    '',
    ...(unlisted === 0
      ? []
      : [`The newest ${alerts.length}; ${unlisted} earlier ones are not listed.`]),
    ...alerts.map((alert) => `${momentInWords(Date.parse(alert.at))}  ${alertSubject(alert)}`),
    '',
    ...watchlists
      .slice(-NAMED)
      .map(
        ({ tenant, watchlist }) =>
          `Watchlist: ${watchlist} of ${tenant}, read them all: GET /v1/watchlists/${watchlist}/alerts`,
      ),
    ...(unnamed > 0 ? [`And ${unnamed} other watchlists.`] : []),
    `Digest: ${id}`,
  ].join('\n');
}

/** Those of the newest alerts last. */
function listsOf(alerts: readonly Alert[]): Digest['watchlists'] {
  const lists = alerts.map(
    ({ tenant, watchlist }) => [`${tenant} ${watchlist}`, { tenant, watchlist }] as const,
  );
  return [...new Map(lists.toReversed()).values()].toReversed();
}
