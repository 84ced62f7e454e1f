import { createHash } from 'node:crypto';
import type { Alert } from './alert.ts';
import { BETWEEN_NAMES, isGoodNews, namesAbout } from './alert-words.ts';
import { type Burst, burstOf } from './burst.ts';
import { type Name, type TitlePart, titleText } from './title-parts.ts';

/** The content of a message: one alert, or a digest of several. */
export type Notification = AlertNotification | Digest;

/** An alert with its links for one channel. */
export type AlertNotification = {
  readonly kind: 'alert';
  readonly alert: Alert;
  /** The URL of a chart of the preceding prices. */
  readonly chart?: string | undefined;
  /** The id of the newest message of the episode at the service. */
  readonly shownBy?: string | undefined;
  /** Whether the channel was informed of an acknowledgement of the episode. */
  readonly isAcknowledged?: boolean | undefined;
  /** The URL of the actions on the open episode. */
  readonly actions?: string | undefined;
  /** Operators get messages of all tenants, so their messages name the tenant. */
  readonly isForOperators?: boolean | undefined;
  /** The time zone in which times are shown; UTC by default. */
  readonly timeZone?: string | undefined;
};

/**
 * Several alerts in one message, because people get few messages a minute or because the channel
 * was down.
 */
export type Digest = {
  readonly kind: 'digest';
  readonly id: string;
  /**
   * The newest alerts, at most fifty, in the order of their creation; in a burst, those furthest
   * past their thresholds.
   */
  readonly alerts: readonly Alert[];
  /** Set if many contracts of one list are past their thresholds. */
  readonly burst?: Omit<Burst, 'sorted'> | undefined;
  /** The list, if all alerts belong to one list and its name is known. */
  readonly of?: { readonly name: string; readonly contracts: number } | undefined;
  readonly isForOperators?: boolean | undefined;
  /** Set if quiet hours held the alerts. */
  readonly heldFor?: 'quiet' | undefined;
  /** The time zone in which times are shown; UTC by default. */
  readonly timeZone?: string | undefined;
  /** The alerts as single notifications, for programs that accept batches. */
  readonly singly?: readonly AlertNotification[] | undefined;
  /** The number of all alerts. */
  readonly count: number;
  readonly byTone: Readonly<Record<Tone, number>>;
  /** The watchlists of all alerts, including alerts that the message only counts. */
  readonly watchlists: readonly Pick<Alert, 'tenant' | 'watchlist'>[];
};

/**
 * The tone of a message: the severity of its alert, `resolved` after a recovery, and `info` if an
 * episode was closed for another reason.
 */
export type Tone = Alert['severity'] | 'resolved';

const LISTED = 50;
const SEVERITIES = ['critical', 'warning', 'info'] as const;
const TONES = [...SEVERITIES, 'resolved'] as const;

/** A digest of alerts, oldest first. */
export function digestOf(id: string, alerts: readonly Alert[], heldFor?: 'quiet'): Digest {
  const of = (wanted: Tone) => alerts.filter((alert) => toneOf(alert) === wanted).length;
  const { sorted, ...burst } = burstOf(alerts) ?? {};
  return {
    kind: 'digest',
    id,
    ...('contracts' in burst ? { burst } : {}),
    heldFor,
    alerts: sorted?.slice(0, LISTED) ?? alerts.slice(-LISTED),
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

/** The id of a digest, derived from its destination and its inbox entries. */
export function digestId(destinationId: string, entries: readonly string[]): string {
  const identity = JSON.stringify([destinationId, entries]);
  return `digest.${createHash('sha256').update(identity).digest('hex').slice(0, 20)}`;
}

/** The id of a notification, which is the same for every attempt. */
export function notificationId(notification: Notification): string {
  return notification.kind === 'alert' ? notification.alert.id : notification.id;
}

/** The highest severity in a notification; in a digest, resolved alerts are ignored. */
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

/** The title in one line, such as for the subject of an email or a notification on a phone. */
export function notificationTitle(notification: Notification): string {
  return titleText(titleParts(notification));
}

/** The title of a notification, split at its names. */
export function titleParts(notification: Notification): readonly TitlePart[] {
  if (notification.kind === 'alert') return partedAtNames(notification.alert);
  const { heldFor, burst } = notification;
  return [
    ...(heldFor === undefined ? [] : ['During quiet hours: ']),
    ...(burst === undefined ? [countsOf(notification)] : burstInWords(burst, notification)),
  ];
}

/** Splits the stored title, which another version may have written. */
function partedAtNames(alert: Alert): readonly TitlePart[] {
  const { title } = alert;
  const names = joined(namesIn(alert).map((name) => [name]));
  const start = title.indexOf(titleText(names));
  if (names.length === 0 || start < 0) return [title];
  return [title.slice(0, start), ...names, title.slice(start + titleText(names).length)];
}

function namesIn(alert: Alert): readonly Name[] {
  const { kind, label, name, rule, watchlist } = alert;
  if (kind === 'expired')
    return label === null ? [] : [{ name: label, otherwise: rule ?? watchlist }];
  return rule === null && name === null ? [] : namesAbout(alert);
}

function joined(parts: readonly (readonly TitlePart[])[]): readonly TitlePart[] {
  return parts.flatMap((part, index) => (index === 0 ? part : [BETWEEN_NAMES, ...part]));
}

/** The numbers of alerts in words: `14 alerts from watchlist "apes": 2 critical, 12 warning`. */
function countsOf({ count, byTone, watchlists }: Digest): string {
  const counts = TONES.filter((tone) => byTone[tone] > 0).map((tone) => `${byTone[tone]} ${tone}`);
  const [list, ...others] = watchlists;
  const from = list === undefined || others.length > 0 ? '' : ` from watchlist "${list.watchlist}"`;
  return `${count} ${count === 1 ? 'alert' : 'alerts'}${from}: ${counts.join(', ')}`;
}

/** A burst in words: `Blue chips: 14 of 40 below their thresholds: Punks 40.1 ETH (−31.2%), …`. */
function burstInWords(
  { contracts, side, worst }: Omit<Burst, 'sorted'>,
  { of, watchlists }: Digest,
): readonly TitlePart[] {
  const id = watchlists[0]?.watchlist ?? '';
  const list = { name: of?.name ?? id, otherwise: id };
  const all = of === undefined ? '' : ` of ${Math.max(of.contracts, contracts)}`;
  const unnamed = contracts - worst.length;
  const more = unnamed > 0 ? `, and ${unnamed} more` : '';
  return [list, `: ${contracts}${all} ${side} their thresholds: `, ...joined(worst), more];
}

/** The lists of some alerts, each once, in the order of their newest alerts. */
function listsOf(alerts: readonly Alert[]): Digest['watchlists'] {
  const lists = alerts.map(
    ({ tenant, watchlist }) => [`${tenant} ${watchlist}`, { tenant, watchlist }] as const,
  );
  return [...new Map(lists.toReversed()).values()].toReversed();
}
