import {
  type Alert,
  type AlertKey,
  type AlertKind,
  alertAt,
  alertName,
  byPlace,
  placeOf,
  watchOf,
} from '#shared/domain/alerting/alert.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import { defined } from '#shared/domain/defined.ts';
import { entriesOf } from '#shared/domain/entries-of.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Severity } from '#shared/domain/rules/severity.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';

/**
 * The outcome of an alert at a destination; a topic returns `accepted`, never "read". `skipped` was
 * not to be sent: it could only have been written into a message that is not there.
 */
export type Outcome = {
  readonly state: 'accepted' | 'sent' | 'skipped' | 'failed';
  readonly at: Instant;
  readonly reason?: string | undefined;
  /** The end of the mute, quiet hours or gathering that held the alert. */
  readonly heldUntil?: Instant | undefined;
};

export type Delivery = { readonly state: 'pending' } | Outcome;

/** An alert as it was posted. It never changes: the outcome at each destination is an item of its own. */
export type PostedAlert = {
  readonly alert: Alert;
  /** The moment of posting. An alert that a mute held was made earlier. */
  readonly postedAt: Instant;
  /** When the poll asked for the price that made it; undefined where no new price did. */
  readonly seenAt?: Instant | undefined;
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
  /** The rule and the contract that it is about; undefined for an alert that is about none. */
  readonly rule?: string | undefined;
  readonly contract?: ContractKey | undefined;
  /** The name of the alert's episode; undefined for alerts without an episode. */
  readonly episode?: string | undefined;
  readonly postedAt: Instant;
  /** Where it is not sent at once. */
  readonly held?: Hold | undefined;
  /** Set if the entry replaces the alerts that a mute held back. Its own alert is the last of them. */
  readonly heldBack?: HeldBack | undefined;
};

/** An entry with the outcome of its alert, which is not recorded yet. */
export type Answered = { readonly entry: InboxEntry; readonly outcome: Outcome };

/**
 * The reason and the end of a hold. A mute holds alerts for everybody; quiet hours, and the gathering
 * of alerts of a list, hold alerts for people.
 */
export type Hold = { readonly for: 'mute' | 'quiet' | 'group'; readonly until: Instant };

/** An entry that is not sent at once. */
export type HeldEntry = InboxEntry & { readonly held: Hold };

/** The alerts of a watch that a mute held back. */
export type HeldBack = {
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** The first of them, oldest first. */
  readonly alerts: readonly Pick<AlertKey, 'at' | 'id'>[];
};

/** The one entry of a watch that is muted. */
export type MutedEntry = HeldEntry & { readonly heldBack: HeldBack; readonly version: number };

/** So many alerts of a muted watch are kept by name; the later ones are counted. */
const NAMED = 20;

/** What is to be sent next, and what is held for longer; as much as was asked for, in their order. */
export type NextEntries = {
  readonly entries: readonly InboxEntry[];
  readonly held: readonly HeldEntry[];
};

/** The three ranks of an inbox. A held alert goes before alerts that were posted later. */
const URGENT = '!';
const HELD = '+';
const ORDINARY = '-';
export const RANKS = [URGENT, HELD, ORDINARY] as const;
/** Behind all ranks: a mute may end at any time. */
export const MUTED = '~';

/**
 * An entry's name in its inbox, in the order of sending: urgent ones first, then held ones by the ends
 * of their holds, then the others by their moments. A muted watch has one entry.
 */
export function entryName({ alert, isUrgent, held }: InboxEntry): string {
  if (held?.for === 'mute') return `${MUTED}${watchOf(alert)}`;
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

/**
 * The entry of a muted watch with more of its alerts. Also returns those that it only counts from now
 * on. An alert that quiet hours held may be older than what the mute holds.
 */
export function mutedWith(
  before: MutedEntry | undefined,
  entries: readonly InboxEntry[],
  until: Instant,
): { readonly muted: MutedEntry; readonly counted: readonly InboxEntry[] } {
  // After a crash an entry may stand in two places.
  const held = before === undefined ? [] : [before.alert, ...before.heldBack.alerts];
  const known = new Set(held.map(({ id }) => id));
  const more = [...new Map(entries.map((entry) => [entry.alert.id, entry])).values()].filter(
    ({ alert }) => !known.has(alert.id),
  );
  const all = [...(before === undefined ? [] : [before]), ...more].toSorted((one, other) =>
    byPlace(one.alert, other.alert),
  );
  const last = all.at(-1);
  if (last === undefined) throw new RangeError('no alert is muted');
  const counts: Partial<Record<AlertKind, number>> = {};
  // A summary that waits again stands for all that an earlier mute held.
  const heldBack = [before?.heldBack, ...more.map(heldBackBy)].filter((one) => one !== undefined);
  for (const [kind, count] of heldBack.flatMap((one) => entriesOf(one.counts))) {
    counts[kind] = (counts[kind] ?? 0) + count;
  }
  const alerts = new Map(heldBack.flatMap((one) => one.alerts).map((key) => [key.id, key]));
  const named = [...alerts.values()].toSorted(byPlace).slice(0, NAMED);
  const kept = new Set([...named, last.alert].map(({ id }) => id));
  const about = omit(last, 'isUrgent', 'heldBack', 'held');
  return {
    muted: {
      ...about,
      isUrgent: false,
      held: { for: 'mute', until },
      heldBack: { counts, alerts: named },
      version: before?.version ?? 0,
    },
    counted: all.filter(({ alert }) => !kept.has(alert.id)),
  };
}

/** The alerts behind an entry: those that an earlier mute held, or its own alert. */
function heldBackBy({ alert: { at, id }, kind, heldBack }: InboxEntry): HeldBack {
  return heldBack ?? { counts: { [kind]: 1 }, alerts: [{ at, id }] };
}

/**
 * The entry of a watch after its mute: it waits as if its alert were posted now, as urgent as what
 * comes after it.
 */
export function unmuted(
  { held: _hold, version: _version, ...entry }: MutedEntry,
  now: Instant,
  isBeforeUrgent = false,
): InboxEntry {
  return { ...entry, isUrgent: isBeforeUrgent || isUrgent(entry), postedAt: now };
}

/** Since when an alert could have been sent: what was held is no older than the end of its hold. */
export function waitsSince({ held, postedAt }: Pick<InboxEntry, 'held' | 'postedAt'>): Instant {
  return Math.max(postedAt, held?.until ?? postedAt);
}

/** The end of the hold of an entry; undefined if nothing held it. */
export function endOfHold(entry: InboxEntry): Instant | undefined {
  const { held, heldBack } = entry;
  return held === undefined && heldBack === undefined ? undefined : waitsSince(entry);
}

/** The outcome of an entry's alert, with the end of its hold if it was held. */
export function outcomeOfEntry(entry: InboxEntry, outcome: Outcome): Outcome {
  return { ...outcome, ...defined({ heldUntil: endOfHold(entry) }) };
}

/**
 * The instant from which an alert's delay counts: the end of its hold, or the moment its price was
 * seen. The alert of a rule's end counts from its posting, because a mute may have held it back.
 */
export function delayedSince(
  { alert, postedAt, seenAt }: Omit<PostedAlert, 'destinations'>,
  heldUntil: Instant | undefined,
): Instant {
  if (heldUntil !== undefined) return heldUntil;
  return alert.kind === 'expired' ? postedAt : (seenAt ?? Date.parse(alert.at));
}

/** Whether an alert goes before others. */
function isUrgent({ severity }: Pick<Alert, 'severity'>): boolean {
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
  const { tenant, watchlist, at, id, kind, severity, rule, contract } = alert;
  return destinations.map((destinationId) => ({
    ...{ destinationId, alert: { tenant, watchlist, at, id }, kind, severity, postedAt },
    ...defined({
      isUrgent: isUrgent(alert),
      rule: rule ?? undefined,
      contract: contract === null ? undefined : ContractKey.parse(contract),
      episode: episodeName(alert),
    }),
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
