import { createHash } from 'node:crypto';
import type { Alert } from './alert.ts';
import { BETWEEN_NAMES, isGoodNews, namesAbout } from './alert-words.ts';
import { type Crowd, crowdOf } from './crowd.ts';
import { type Name, type TitlePart, titleText } from './title-parts.ts';

/** What a channel is given to send: one alert, or many at once. */
export type Notification = AlertNotification | Digest;

/** One alert as it is sent. */
export type AlertNotification = {
  readonly kind: 'alert';
  readonly alert: Alert;
  /** The address of a picture of the prices before it, where there is one. */
  readonly chart?: string | undefined;
  /** What the channel's service calls the newest message of its episode. */
  readonly shownBy?: string | undefined;
  /** Whether its episode is acknowledged, as far as the channel was told. */
  readonly isAcknowledged?: boolean | undefined;
  /** The address of what can be done about its open episode, where there is one. */
  readonly actions?: string | undefined;
  /** Operators get messages of all tenants, so theirs name the tenant. */
  readonly isForOperators?: boolean | undefined;
  /** In which times are told; UTC where it says nothing. */
  readonly timeZone?: string | undefined;
};

/** Many alerts in one message: what came too fast for people, or piled up while a channel was down. */
export type Digest = {
  readonly kind: 'digest';
  readonly id: string;
  /** The newest of them, at most fifty, in the order in which they were made; of a crowd the worst. */
  readonly alerts: readonly Alert[];
  /** Set where many contracts of one list are past their thresholds. */
  readonly crowd?: Omit<Crowd, 'sorted'> | undefined;
  /** The one list that it is of, where that is known. */
  readonly of?: { readonly name: string; readonly contracts: number } | undefined;
  readonly isForOperators?: boolean | undefined;
  /** Set where quiet hours have held it. */
  readonly heldFor?: 'quiet' | undefined;
  /** In which times are told; UTC where it says nothing. */
  readonly timeZone?: string | undefined;
  /** Of a program that takes many in one request: each as it would be sent by itself. */
  readonly singly?: readonly AlertNotification[] | undefined;
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
export function digestOf(id: string, alerts: readonly Alert[], heldFor?: 'quiet'): Digest {
  const of = (wanted: Tone) => alerts.filter((alert) => toneOf(alert) === wanted).length;
  const { sorted, ...crowd } = crowdOf(alerts) ?? {};
  return {
    kind: 'digest',
    id,
    ...('contracts' in crowd ? { crowd } : {}),
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
  return titleText(titleParts(notification));
}

/** The title of a notification, parted at the names in it. */
export function titleParts(notification: Notification): readonly TitlePart[] {
  if (notification.kind === 'alert') return partedAtNames(notification.alert);
  const { heldFor, crowd } = notification;
  return [
    ...(heldFor === undefined ? [] : ['During quiet hours: ']),
    ...(crowd === undefined ? [countsOf(notification)] : crowdInWords(crowd, notification)),
  ];
}

/** The title as the alert has it, which another version may have written. */
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

/** `14 alerts of watchlist "apes": 2 critical, 12 warning` */
function countsOf({ count, byTone, watchlists }: Digest): string {
  const counts = TONES.filter((tone) => byTone[tone] > 0).map((tone) => `${byTone[tone]} ${tone}`);
  const [list, ...others] = watchlists;
  const from = list === undefined || others.length > 0 ? '' : ` of watchlist "${list.watchlist}"`;
  return `${count} ${count === 1 ? 'alert' : 'alerts'}${from}: ${counts.join(', ')}`;
}

/** `Blue chips: 14 of 40 below their thresholds: Punks 40.1 ETH (−31.2 %), …` */
function crowdInWords(
  { contracts, side, worst }: Omit<Crowd, 'sorted'>,
  { of, watchlists }: Digest,
): readonly TitlePart[] {
  const id = watchlists[0]?.watchlist ?? '';
  const list = { name: of?.name ?? id, otherwise: id };
  const all = of === undefined ? '' : ` of ${Math.max(of.contracts, contracts)}`;
  const unnamed = contracts - worst.length;
  const more = unnamed > 0 ? `, and ${unnamed} more` : '';
  return [list, `: ${contracts}${all} ${side} their thresholds: `, ...joined(worst), more];
}

/** Those of the newest alerts last. */
function listsOf(alerts: readonly Alert[]): Digest['watchlists'] {
  const lists = alerts.map(
    ({ tenant, watchlist }) => [`${tenant} ${watchlist}`, { tenant, watchlist }] as const,
  );
  return [...new Map(lists.toReversed()).values()].toReversed();
}
