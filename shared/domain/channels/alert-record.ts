import {
  type Alert,
  type AlertKey,
  type AlertKind,
  alertAt,
  alertName,
  alertSortKey,
  byPlace,
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
 * The outcome of an alert at a destination. A topic accepts alerts without a delivery receipt
 * (`accepted`). `skipped`: the alert only edits a message, and there was no message to edit.
 */
export type Outcome = {
  readonly state: 'accepted' | 'sent' | 'skipped' | 'failed';
  readonly at: Instant;
  readonly reason?: string | undefined;
  /** The end of the mute, quiet hours or gathering that held the alert. */
  readonly heldUntil?: Instant | undefined;
};

export type Delivery = { readonly state: 'pending' } | Outcome;

/** A posted alert. It never changes: each destination has its own item for the outcome. */
export type PostedAlert = {
  readonly alert: Alert;
  /** The time of posting. An alert that a mute held was created earlier. */
  readonly postedAt: Instant;
  /**
   * When the poll requested the price that caused the alert; undefined if no new price caused it.
   */
  readonly seenAt?: Instant | undefined;
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
  /** Whether the entry is critical, so that it is sent before ordinary and held entries. */
  readonly isUrgent: boolean;
  /** The rule and the contract of the alert; undefined if the alert has none. */
  readonly rule?: string | undefined;
  readonly contract?: ContractKey | undefined;
  /** The name of the alert's episode; undefined for alerts without an episode. */
  readonly episode?: string | undefined;
  readonly postedAt: Instant;
  /** Set if the entry is not sent immediately. */
  readonly held?: Hold | undefined;
  /**
   * Set if the entry stands for all alerts of a watch that a mute held. `alert` is then the last of
   * them.
   */
  readonly heldBack?: HeldBack | undefined;
};

/** An entry with the outcome of its alert, before the outcome is recorded. */
export type Answered = { readonly entry: InboxEntry; readonly outcome: Outcome };

/**
 * The reason and the end of a hold. Mutes hold alerts for all channels. Quiet hours and gathering
 * hold only alerts for people.
 */
export type Hold = { readonly for: 'mute' | 'quiet' | 'group'; readonly until: Instant };

/** An entry that is not sent immediately. */
export type HeldEntry = InboxEntry & { readonly held: Hold };

/** The alerts of a watch that a mute holds. */
export type HeldBack = {
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** The oldest alerts, in order. */
  readonly alerts: readonly Pick<AlertKey, 'at' | 'id'>[];
};

/** The only entry of a muted watch. */
export type MutedEntry = HeldEntry & { readonly heldBack: HeldBack; readonly version: number };

/** Number of alerts of a muted watch whose keys are stored; later alerts are only counted. */
const NAMED = 20;

/**
 * The next entries to send and the entries held for longer, each in sending order and up to the
 * requested number.
 */
export type NextEntries = {
  readonly entries: readonly InboxEntry[];
  readonly held: readonly HeldEntry[];
};

/**
 * The three ranks in which an inbox is sent, as prefixes of sort keys. A held alert precedes alerts
 * that were posted later.
 */
const URGENT = '!';
const HELD = '+';
const ORDINARY = '-';
export const RANKS = [URGENT, HELD, ORDINARY] as const;
/**
 * Prefix of the entries of muted watches. It sorts after all ranks, because a mute can end at any
 * time.
 */
export const MUTED = '~';

/**
 * The sort key of an entry in its inbox, in sending order: urgent entries first, then held entries
 * by the end of the hold, then the others by the time of the alert. A muted watch has one entry.
 */
export function inboxSortKey({ alert, isUrgent, held }: InboxEntry): string {
  if (held?.for === 'mute') return `${MUTED}${watchOf(alert)}`;
  if (held !== undefined) {
    return `${HELD}${formatInstant(held.until)} ${held.for} ${alertSortKey(alert)}`;
  }
  return `${isUrgent ? URGENT : ORDINARY}${alertSortKey(alert)}`;
}

/** Whether the entry with this sort key is urgent. */
export function isUrgentName(name: string): boolean {
  return name.startsWith(URGENT);
}

/** Parses the alert, the rank and the hold of an entry from its sort key. */
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
 * Adds alerts to the entry of a muted watch. Also returns the entries that are counted but whose
 * keys are not stored. An alert that quiet hours held may be older than the alerts of the mute.
 */
export function mutedWith(
  before: MutedEntry | undefined,
  entries: readonly InboxEntry[],
  until: Instant,
): { readonly muted: MutedEntry; readonly counted: readonly InboxEntry[] } {
  // If a worker crashed while it moved an entry, the inbox has the entry under two sort keys.
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
  // An entry may be the summary of an earlier mute, which represents all alerts of that mute.
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

/** The alerts of an entry: its single alert, or the alerts that an earlier mute held. */
function heldBackBy({ alert: { at, id }, kind, heldBack }: InboxEntry): HeldBack {
  return heldBack ?? { counts: { [kind]: 1 }, alerts: [{ at, id }] };
}

/**
 * The entry of a watch after its mute, as if it were posted now. It is urgent if its own alert or
 * the next alert of the watch is urgent.
 */
export function unmuted(
  { held: _hold, version: _version, ...entry }: MutedEntry,
  now: Instant,
  isBeforeUrgent = false,
): InboxEntry {
  return { ...entry, isUrgent: isBeforeUrgent || isUrgent(entry), postedAt: now };
}

/** The earliest time at which an alert could have been sent: its posting or the end of its hold. */
export function waitsSince({ held, postedAt }: Pick<InboxEntry, 'held' | 'postedAt'>): Instant {
  return Math.max(postedAt, held?.until ?? postedAt);
}

/** The end of an entry's hold; undefined if it was never held. */
export function endOfHold(entry: InboxEntry): Instant | undefined {
  const { held, heldBack } = entry;
  return held === undefined && heldBack === undefined ? undefined : waitsSince(entry);
}

/** The outcome of an entry's alert, with the end of its hold, if any. */
export function outcomeOfEntry(entry: InboxEntry, outcome: Outcome): Outcome {
  return { ...outcome, ...defined({ heldUntil: endOfHold(entry) }) };
}

/**
 * The start of an alert's delay: the end of its hold, or the request for its price. An `expired`
 * alert may have been held by a mute before it was posted, so its delay starts when it is posted.
 */
export function delayedSince(
  { alert, postedAt, seenAt }: Omit<PostedAlert, 'destinations'>,
  heldUntil: Instant | undefined,
): Instant {
  if (heldUntil !== undefined) return heldUntil;
  return alert.kind === 'expired' ? postedAt : (seenAt ?? Date.parse(alert.at));
}

function isUrgent({ severity }: Pick<Alert, 'severity'>): boolean {
  return severity === 'critical';
}

/** A posted alert with its deliveries; `pending` for destinations without an outcome. */
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

/** The path of an alert in the API. */
export function alertPath(alert: Pick<Alert, 'watchlist' | 'at' | 'id'>): `/v1/${string}` {
  const { watchlist } = alert;
  const name = alertName(alert);
  return watchlist === CONTACT_POINTS
    ? `/v1/alerts/${name}`
    : `/v1/watchlists/${watchlist}/alerts/${name}`;
}
