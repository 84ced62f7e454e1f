import {
  type Alert,
  type AlertKey,
  type AlertKind,
  alertAt,
  alertName,
  placeOf,
} from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Severity } from '#shared/domain/rules/severity.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { DestinationId } from './destination-id.ts';

/**
 * The outcome of an alert at a destination; a topic returns `accepted`, never "read". `skipped` was
 * not to be sent: it could only have been written into a message that is not there.
 */
export type Outcome = {
  readonly state: 'accepted' | 'sent' | 'skipped' | 'failed';
  readonly at: Instant;
  readonly reason?: string | undefined;
};

export type Delivery = { readonly state: 'pending' } | Outcome;

/** An alert as it was posted. It never changes: the outcome at each destination is an item of its own. */
export type PostedAlert = {
  readonly alert: Alert;
  /** The moment of posting. An alert that a mute held was made earlier. */
  readonly postedAt: Instant;
  /** The destinations that get it. */
  readonly destinations: readonly DestinationId[];
};

export type Outcomes = Readonly<Partial<Record<DestinationId, Outcome>>>;

/** A posted alert with its delivery to each destination. */
export type AlertRecord = Omit<PostedAlert, 'destinations'> & {
  readonly deliveries: Readonly<Partial<Record<DestinationId, Delivery>>>;
};

/** An alert in the inbox of a destination, with all facts that planning needs. */
export type InboxEntry = {
  readonly destinationId: DestinationId;
  readonly alert: AlertKey;
  readonly kind: AlertKind;
  readonly severity: Severity;
  /** Critical: it goes before all that is not. */
  readonly isUrgent: boolean;
  /** Whether it is about a contract, not about a channel or a rule. */
  readonly isOfContract: boolean;
  /** The name of the alert's episode; undefined for alerts without an episode. */
  readonly episode?: string | undefined;
  readonly postedAt: Instant;
  /** Where it is not sent at once. */
  readonly held?: Hold | undefined;
};

/** Why and until when an alert for people is held: for quiet hours, or to go with others of its list. */
export type Hold = { readonly for: 'quiet' | 'group'; readonly until: Instant };

/** An entry that is not sent at once. */
export type HeldEntry = InboxEntry & { readonly held: Hold };

/** What is to be sent next, and what is held for longer; as much as was asked for, in their order. */
export type NextEntries = {
  readonly entries: readonly InboxEntry[];
  readonly held: readonly HeldEntry[];
};

/** The three ranks of an inbox. What was held goes before what has come since. */
const URGENT = '!';
const HELD = '+';
const ORDINARY = '-';
export const RANKS = [URGENT, HELD, ORDINARY] as const;

/**
 * An entry's name in its inbox, in the order of sending: urgent ones first, then held ones by the ends
 * of their holds, then the others by their moments.
 */
export function entryName({ alert, isUrgent, held }: InboxEntry): string {
  if (held !== undefined) {
    return `${HELD}${formatInstant(held.until)} ${held.for} ${placeOf(alert)}`;
  }
  return `${isUrgent ? URGENT : ORDINARY}${placeOf(alert)}`;
}

/** Whether an entry of that name is urgent. */
export function isUrgentName(name: string): boolean {
  return name.startsWith(URGENT);
}

/** Reads the alert, the rank and the hold of an entry from its name. */
export function namedEntry(
  name: string,
  of: Pick<AlertKey, 'tenant' | 'watchlist'>,
): Pick<InboxEntry, 'alert' | 'isUrgent' | 'held'> {
  const [, until = '', why, held = ''] = HELD_NAME.exec(name) ?? [];
  if (why !== undefined) {
    const hold: Hold = { for: why === 'quiet' ? 'quiet' : 'group', until: Date.parse(until) };
    return { alert: { ...of, ...alertAt(held) }, isUrgent: false, held: hold };
  }
  return { alert: { ...of, ...alertAt(name.slice(1)) }, isUrgent: isUrgentName(name) };
}

const HELD_NAME = /^\+(\S+) (quiet|group) (.*)$/;

/** Since when an alert could have been sent: what was held is no older than the end of its hold. */
export function waitsSince({ held, postedAt }: Pick<InboxEntry, 'held' | 'postedAt'>): Instant {
  return Math.max(postedAt, held?.until ?? postedAt);
}

/** Whether an alert goes before others. */
export function isUrgent({ severity }: Pick<Alert, 'severity'>): boolean {
  return severity === 'critical';
}

/** A posted alert with its deliveries. A destination without an outcome is pending. */
export function withOutcomes(
  { destinations, ...posted }: PostedAlert,
  outcomes: Outcomes,
): AlertRecord {
  const pending: Delivery = { state: 'pending' };
  return {
    ...posted,
    deliveries: Object.fromEntries(
      destinations.map((destinationId) => [destinationId, outcomes[destinationId] ?? pending]),
    ),
  };
}

/** The entries of an alert in the inboxes of its destinations. */
export function inboxEntries({
  alert,
  postedAt,
  destinations,
}: PostedAlert): readonly InboxEntry[] {
  const { tenant, watchlist, at, id, kind, severity, contract } = alert;
  const episode = episodeName(alert);
  return destinations.map((destinationId) => ({
    ...{ destinationId, alert: { tenant, watchlist, at, id }, kind, severity, postedAt },
    ...{ isUrgent: isUrgent(alert), isOfContract: contract !== null },
    ...(episode === undefined ? {} : { episode }),
  }));
}

/** The path at which an alert is read. */
export function alertPath(alert: Pick<Alert, 'watchlist' | 'at' | 'id'>): `/v1/${string}` {
  const { watchlist } = alert;
  const name = alertName(alert);
  return watchlist === CONTACT_POINTS
    ? `/v1/alerts/${name}`
    : `/v1/watchlists/${watchlist}/alerts/${name}`;
}
