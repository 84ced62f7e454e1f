import { createHash } from 'node:crypto';
import type { Alert } from './alert.ts';
import { isGoodNews } from './alert-words.ts';

/** What a channel is given to send: one alert, or many at once. */
export type Notification =
  | {
      readonly kind: 'alert';
      readonly alert: Alert;
      /** The address of a picture of the prices before it, where there is one. */
      readonly chart?: string | undefined;
      /** What the channel's service calls the newest message of its episode. */
      readonly shownBy?: string | undefined;
      /** The address of what can be done about its open episode, where there is one. */
      readonly actions?: string | undefined;
    }
  | Digest;

/** Many alerts in one message: what came too fast for people, or piled up while a channel was down. */
export type Digest = {
  readonly kind: 'digest';
  readonly id: string;
  /** The newest of them, at most fifty, in the order in which they were made. */
  readonly alerts: readonly Alert[];
  /** How many it stands for. */
  readonly count: number;
  readonly byTone: Readonly<Record<Tone, number>>;
  /** The watchlists that it is of, also those whose alerts are not among the newest. */
  readonly watchlists: readonly Pick<Alert, 'tenant' | 'watchlist'>[];
};

/**
 * How a message sounds: by the severity of its alert, but for one that says that something is over,
 * or that it is not watched any more.
 */
export type Tone = Alert['severity'] | 'resolved';

const LISTED = 50;
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const TONES = [...SEVERITIES, 'resolved'] as const;

/** A digest of alerts, oldest first. */
export function digestOf(id: string, alerts: readonly Alert[]): Digest {
  const of = (wanted: Tone) => alerts.filter((alert) => toneOf(alert) === wanted).length;
  return {
    kind: 'digest',
    id,
    alerts: alerts.slice(-LISTED),
    count: alerts.length,
    byTone: {
      critical: of('critical'),
      warning: of('warning'),
      info: of('info'),
      resolved: of('resolved'),
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

/** The highest severity in a notification; of a digest, in what is not over. */
export function notificationSeverity(notification: Notification): Alert['severity'] {
  if (notification.kind === 'alert') return notification.alert.severity;
  return SEVERITIES.find((severity) => notification.byTone[severity] > 0) ?? 'info';
}

/** The most urgent tone in a notification. */
export function notificationTone(notification: Notification): Tone {
  if (notification.kind === 'alert') return toneOf(notification.alert);
  return TONES.find((tone) => notification.byTone[tone] > 0) ?? 'info';
}

function toneOf(alert: Alert): Tone {
  if (isGoodNews(alert)) return 'resolved';
  return alert.kind === 'closed' ? 'info' : alert.severity;
}

/** One line that says it all: an email's subject, the notification on a phone. */
export function notificationTitle(notification: Notification): string {
  if (notification.kind === 'alert') return notification.alert.title;
  const { count, byTone, watchlists } = notification;
  const counts = TONES.filter((tone) => byTone[tone] > 0).map((tone) => `${byTone[tone]} ${tone}`);
  const [list, ...others] = watchlists;
  const from = list === undefined || others.length > 0 ? '' : ` of watchlist "${list.watchlist}"`;
  return `${count} alerts${from}: ${counts.join(', ')}`;
}

/** Those of the newest alerts last. */
function listsOf(alerts: readonly Alert[]): Digest['watchlists'] {
  const lists = alerts.map(
    ({ tenant, watchlist }) => [`${tenant} ${watchlist}`, { tenant, watchlist }] as const,
  );
  return [...new Map(lists.toReversed()).values()].toReversed();
}
