import { type Acknowledgement, isSilenced } from '#shared/domain/alerting/acknowledgement.ts';
import { type AlertKey, type AlertKind, byPlace, watchOf } from '#shared/domain/alerting/alert.ts';
import { ENDINGS } from '#shared/domain/alerting/episode.ts';
import { entriesOf } from '#shared/domain/entries-of.ts';
import { earliest, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { longestMute, type Mute } from '#shared/domain/watchlists/mute.ts';
import { type Quiet, quietUntil } from '#shared/domain/watchlists/quiet-hours.ts';
import type { Rule } from '#shared/domain/watchlists/watchlist.ts';
import {
  type HeldEntry,
  type Hold,
  type InboxEntry,
  inboxSortKey,
  type MutedEntry,
  type NextEntries,
} from './alert-record.ts';
import { type ChannelRecord, isPaced, PAUSE, paceOpensAt, ROUND } from './channel-record.ts';
import { closedBecause } from './channel-status.ts';
import { gatheredUntil, isBurst } from './grouping.ts';
import { wakesSomebody } from './shown-episodes.ts';

/** How a destination receives alerts: people get digests, programs get each alert. */
export type Receiver = {
  readonly isForPeople: boolean;
  /** Whether each alert is sent in its own request, several requests at a time. */
  readonly inRounds: boolean;
  /** The maximum number of alerts in one message or one round. */
  readonly most: number;
  /** The quiet hours of the channel itself. */
  readonly quiet: Quiet;
};

/** The settings of a list that affect its alerts. */
export type ListContext = {
  readonly quiet?: Quiet | undefined;
  /** The time zone of its quiet hours. */
  readonly timeZone?: string | undefined;
  readonly mutes?: readonly Mute[] | undefined;
  /** The current rules, whose severities decide which alerts a mute covers. */
  readonly rules?: readonly Pick<Rule, 'id' | 'severity'>[] | undefined;
};

export type PlanContext = {
  readonly receiver: Receiver;
  /** The lists whose alerts may be in the next message, by `listName`. */
  readonly lists: ReadonlyMap<string, ListContext>;
  /**
   * By episode name, the acknowledgements of episodes that have reminders or `worsened` alerts in
   * the next message.
   */
  readonly acknowledged: ReadonlyMap<string, Acknowledgement>;
  /** By watch, the muted entries of watches that have alerts in the next message. */
  readonly muted: ReadonlyMap<string, MutedEntry>;
};

/**
 * The key of an alert's list. It includes the tenant, because operators get alerts of all tenants.
 */
export function listName({ tenant, watchlist }: Pick<AlertKey, 'tenant' | 'watchlist'>): string {
  return `${tenant} ${watchlist}`;
}

/** The next action of a destination. */
export type Action =
  /** Waits until the first hold ends, because no alert is due earlier. */
  | { readonly kind: 'rest'; readonly until: Instant | undefined }
  /**
   * Waits until an instant. `pause` delays all alerts until then; `timer` only moves the timer,
   * because the channel is already paused.
   */
  | { readonly kind: 'wait'; readonly until: Instant; readonly as: 'pause' | 'timer' }
  | {
      readonly kind: 'giveUp';
      readonly entries: readonly InboxEntry[];
      readonly reason: string;
    }
  /** Alerts that are not sent, with the reason. */
  | { readonly kind: 'skip'; readonly entries: readonly (readonly [InboxEntry, string])[] }
  /** Checks all muted entries, because a mute may have ended. */
  | { readonly kind: 'review' }
  /** Releases the entries of muted watches. */
  | { readonly kind: 'unmute'; readonly entries: readonly MutedEntry[] }
  | { readonly kind: 'hold'; readonly entries: readonly (readonly [InboxEntry, Hold])[] }
  | {
      readonly kind: 'send';
      readonly entries: readonly InboxEntry[];
      /** The instant at which the rate limit allows the message, within a second. */
      readonly from: Instant;
      /** Whether the message includes all alerts that were delayed. */
      readonly isAll: boolean;
    };

/**
 * Whether a pause blocks all alerts now. A rate limit for people does not block critical alerts.
 */
export function isPaused(record: ChannelRecord, { isForPeople }: Receiver, now: Instant): boolean {
  const { notBefore = now } = record;
  return notBefore > now && !(isForPeople && isPaced(record, now));
}

/** Decides the next action of a destination. The stages are tried in order. */
export function plan(
  record: ChannelRecord,
  inbox: NextEntries,
  context: PlanContext,
  now: Instant,
): Action {
  const next = nextMessage(record, inbox, context.receiver, now);
  return (
    closed(record, inbox) ??
    reviewed(record, now) ??
    idle(record, inbox, now) ??
    skipped(next, context, now) ??
    unmutedBefore(next, context, now) ??
    held(record, next, inbox, context, now) ??
    paced(record, inbox, context, now) ??
    message(record, next, inbox, context, now)
  );
}

/**
 * Stage 1: a closed channel gives up its alerts. A test is sent even if the channel is off, because
 * a successful test turns the channel on again.
 */
function closed(record: ChannelRecord, { entries }: NextEntries): Action | undefined {
  const reason = closedBecause(record);
  const isWanted = ({ kind }: InboxEntry) => record.off !== undefined && kind === 'test';
  const unwanted = reason === undefined ? [] : entries.filter((entry) => !isWanted(entry));
  return reason === undefined || unwanted.length === 0
    ? undefined
    : { kind: 'giveUp', entries: unwanted, reason };
}

/** Stage 2: reviews the held alerts once one of their mutes has ended or was lifted. */
function reviewed({ mutedUntil }: ChannelRecord, now: Instant): Action | undefined {
  return mutedUntil !== undefined && mutedUntil <= now ? { kind: 'review' } : undefined;
}

/**
 * Stage 3: waits if the inbox has no alert that may be sent now. During a pause only critical
 * alerts may be sent.
 */
function idle(
  { notBefore = 0, mutedUntil }: ChannelRecord,
  { entries: [first], held: later }: NextEntries,
  now: Instant,
): Action | undefined {
  if (notBefore > now && first?.isUrgent !== true) {
    // A critical alert may have moved the timer, so set it again.
    return { kind: 'wait', until: notBefore, as: 'timer' };
  }
  return first === undefined
    ? { kind: 'rest', until: earliest([later[0]?.held.until, mutedUntil]) }
    : undefined;
}

/** Stage 4: skips alerts that an acknowledgement silences, and reminders that a mute covers. */
function skipped(
  next: readonly InboxEntry[],
  context: PlanContext,
  now: Instant,
): Action | undefined {
  const entries = next.flatMap((entry): readonly (readonly [InboxEntry, string])[] => {
    const acknowledgement = context.acknowledged.get(entry.episode ?? '');
    const isWanted = (kind: AlertKind) =>
      acknowledgement === undefined || !isSilenced(acknowledgement, kind);
    if (!kindsIn(entry).some(isWanted)) {
      return [[entry, 'the episode is acknowledged']];
    }
    const isReminder = entry.kind === 'reminder' && entry.heldBack === undefined;
    const isMuted = isReminder && muteOf(entry, context.lists, now) !== undefined;
    return isMuted ? [[entry, 'the rule is muted']] : [];
  });
  return entries.length === 0 ? undefined : { kind: 'skip', entries };
}

/** The kinds of alert in an entry; for a summary, all kinds that its mute held. */
function kindsIn({ kind, heldBack }: InboxEntry): readonly AlertKind[] {
  return heldBack === undefined ? [kind] : entriesOf(heldBack.counts).map(([held]) => held);
}

/**
 * Stage 5: after the mute of a watch has ended, releases its held alerts, so that they are sent
 * before newer ones. An alert that is older than the held ones does not release them: it belongs to
 * an earlier episode that the mute does not cover.
 */
function unmutedBefore(
  next: readonly InboxEntry[],
  { muted, lists }: PlanContext,
  now: Instant,
): Action | undefined {
  const entries = next.flatMap((entry) => {
    const before = muted.get(watchOf(entry.alert));
    const isNewer = before !== undefined && byPlace(before.alert, entry.alert) < 0;
    const isFree = isNewer && isMutable(entry) && muteOf(entry, lists, now) === undefined;
    return isFree ? [before] : [];
  });
  return entries.length === 0 ? undefined : { kind: 'unmute', entries: [...new Set(entries)] };
}

/**
 * Interval at which a mute that ends with an episode checks whether the episode has ended. The
 * check is needed because with `notifyRecovery: false` an episode ends without an alert.
 */
const LOOKS_AGAIN_AFTER = 5 * MINUTE;

/** The earliest instant at which mutes may release an alert; undefined if no mute covers it. */
export function muteOf(
  entry: InboxEntry,
  lists: PlanContext['lists'],
  now: Instant,
): Instant | undefined {
  const { mutes = [], rules = [] } = lists.get(listName(entry.alert)) ?? {};
  const { kind, rule, contract } = entry;
  if (mutes.length === 0 || rule === undefined || !isMutable(entry)) return undefined;
  const { severity } = rules.find(({ id }) => id === rule) ?? entry;
  const episode = ENDINGS.includes(kind) ? undefined : entry.episode;
  const mute = longestMute(mutes, { id: rule, severity, contract, episode }, now);
  return mute?.episodes === undefined ? mute?.until : Math.min(mute.until, now + LOOKS_AGAIN_AFTER);
}

/** Mutes hold only alerts of watches. */
function isMutable({ kind, contract }: InboxEntry): boolean {
  return contract !== undefined && MUTABLE.has(kind);
}

const MUTABLE: ReadonlySet<AlertKind> = new Set<AlertKind>([
  ...(['fired', 'worsened', 'reminder', 'recovered', 'closed', 'stale', 'fresh'] as const),
]);

/**
 * Stage 6: holds alerts. Mutes hold all alerts, quiet hours and gathering only alerts for people.
 */
function held(
  record: ChannelRecord,
  next: readonly InboxEntry[],
  inbox: NextEntries,
  context: PlanContext,
  now: Instant,
): Action | undefined {
  const isAtOnce = !context.receiver.isForPeople || next[0]?.isUrgent === true;
  const before = heldBeside(next, inbox.held);
  const muted = mutedAmong(inbox, context, now);
  const entries = next.flatMap((entry): readonly (readonly [InboxEntry, Hold])[] => {
    const ofWatch = before.get(watchOf(entry.alert)) ?? [];
    const hold =
      muted.get(entry) ?? (isAtOnce ? undefined : holdOf(record, entry, ofWatch, context, now));
    if (hold === undefined) return [];
    before.set(watchOf(entry.alert), [...ofWatch, { ...entry, held: hold }]);
    return [[entry, hold]];
  });
  return entries.length === 0 ? undefined : { kind: 'hold', entries };
}

/**
 * The entries that mutes hold. If a later alert of a watch is not held, the earlier ones are sent
 * before it.
 */
function mutedAmong(
  { entries, held }: NextEntries,
  { lists }: PlanContext,
  now: Instant,
): ReadonlyMap<InboxEntry, Hold> {
  const muted = new Map<InboxEntry, Hold>();
  const free = new Set<string>();
  const all = [...entries, ...held].filter(isMutable);
  for (const entry of all.toSorted((one, other) => byPlace(other.alert, one.alert))) {
    const watch = watchOf(entry.alert);
    const until = free.has(watch) ? undefined : muteOf(entry, lists, now);
    if (until === undefined) free.add(watch);
    else muted.set(entry, { for: 'mute', until });
  }
  return muted;
}

function holdOf(
  { shown, recentOfLists }: ChannelRecord,
  entry: InboxEntry,
  before: readonly HeldEntry[],
  { receiver, lists }: PlanContext,
  now: Instant,
): Hold | undefined {
  const { alert, kind, severity, postedAt } = entry;
  if (kind === 'test') return undefined;
  // Send held alerts that wake somebody before the edit that closes their episode. Otherwise the
  // edit would change an older message.
  if (isEdit({ shown }, entry)) return before.findLast(({ held }) => held.for !== 'mute')?.held;
  const { quiet = [], timeZone } = lists.get(listName(alert)) ?? {};
  const hours = [...receiver.quiet, ...quiet];
  const silentUntil = quietUntil(hours, { severity, timeZone }, postedAt, now);
  if (silentUntil !== undefined) return { for: 'quiet', until: silentUntil };
  if (entry.held !== undefined || entry.contract === undefined) return undefined;
  const until = gatheredUntil(recentOfLists, alert.watchlist, postedAt, now);
  return until === undefined ? undefined : { for: 'group', until };
}

/** Stage 7: waits for the rate limit of messages to people. */
function paced(
  record: ChannelRecord,
  { entries: [first] }: NextEntries,
  { receiver }: PlanContext,
  now: Instant,
): Action | undefined {
  if (!receiver.isForPeople) return undefined;
  const opensAt = paceOpensAt(record, first?.isUrgent === true);
  if (opensAt <= now + PAUSE) return undefined;
  const isHeldBack = (record.notBefore ?? now) > now;
  return { kind: 'wait', until: opensAt, as: isHeldBack ? 'timer' : 'pause' };
}

/** Stage 8: selects the entries of the message. */
function message(
  record: ChannelRecord,
  next: readonly InboxEntry[],
  inbox: NextEntries,
  { receiver }: PlanContext,
  now: Instant,
): Action {
  const isUrgent = next[0]?.isUrgent === true;
  const from = receiver.isForPeople ? paceOpensAt(record, isUrgent) : now;
  // Send the held alerts of these watches first, so that the alerts of a watch stay in order.
  const before = heldBeside(next, inbox.held);
  const free =
    isUrgent || !receiver.isForPeople
      ? next
      : next.flatMap((entry) => {
          const ofWatch = before.get(watchOf(entry.alert)) ?? [];
          before.delete(watchOf(entry.alert));
          return [...ofWatch, entry];
        });
  if (receiver.inRounds) return { kind: 'send', entries: free, from, isAll: true };
  const isPiledUp = hasPiledUp(record, receiver, now);
  const entries = isPiledUp ? withoutAcknowledgements(free) : withoutEdits(record, free);
  const isWhole =
    next.length < receiver.most &&
    next.length === inbox.entries.length &&
    entries.length === free.length;
  const isAll = isPiledUp ? isWhole : (record.notBefore ?? now) <= now;
  return { kind: 'send', entries, from, isAll };
}

/** The entries that may be in the next message. Later stages may skip or hold some of them. */
export function nextMessage(
  record: ChannelRecord,
  { entries, held: later }: NextEntries,
  receiver: Receiver,
  now: Instant,
): readonly InboxEntry[] {
  const isUrgent = entries[0]?.isUrgent === true;
  if (receiver.inRounds) return nextRound(record, entries);
  if (!receiver.isForPeople) return entries.slice(0, receiver.most);
  return hasPiledUp(record, receiver, now)
    ? entries.filter((entry) => entry.isUrgent === isUrgent)
    : oneMessageOf(entries, later, receiver.most);
}

/**
 * The entries of the next round: only the first entry of each watch, so that the alerts of a watch
 * stay in order.
 */
export function nextRound(
  { requestsAtOnce = ROUND.first }: ChannelRecord,
  entries: readonly InboxEntry[],
): readonly InboxEntry[] {
  const first = new Map(
    entries.map((entry) => [watchOf(entry.alert), entry] as const).toReversed(),
  );
  return entries
    .filter((entry) => first.get(watchOf(entry.alert)) === entry)
    .slice(0, requestsAtOnce);
}

/** Whether a pause has just ended, so that people get all waiting alerts in one message. */
function hasPiledUp(
  { notBefore }: ChannelRecord,
  { isForPeople }: Receiver,
  now: Instant,
): boolean {
  return isForPeople && notBefore !== undefined && notBefore <= now;
}

/**
 * The entries of one message. If the hold of the first entry has ended, the message has all entries
 * whose hold has ended, and the alerts that are still being gathered for the same lists. Older
 * alerts of the same watches are sent before these entries. Otherwise the message has one alert, or
 * all alerts of its list if many watches of the list wait.
 */
function oneMessageOf(
  next: readonly InboxEntry[],
  later: readonly HeldEntry[],
  most: number,
): readonly InboxEntry[] {
  const [first] = next;
  if (first === undefined) return [];
  if (first.held !== undefined) {
    const due = next.filter((entry) => entry.held !== undefined);
    const lists = new Set(due.filter(isGathered).map(({ alert }) => alert.watchlist));
    const along = later.filter((one) => isGathered(one) && lists.has(one.alert.watchlist));
    return [...waitingBefore(due, next), ...due, ...along].slice(0, most);
  }
  const ofList = next.filter(
    ({ isUrgent, alert }) =>
      isUrgent === first.isUrgent && alert.watchlist === first.alert.watchlist,
  );
  return isBurst(ofList.map(({ alert }) => alert)) ? ofList : [first];
}

/** Older alerts of the same watches that are not held. They exist after a pause of the channel. */
function waitingBefore(
  later: readonly InboxEntry[],
  next: readonly InboxEntry[],
): readonly InboxEntry[] {
  return next.filter(
    ({ held, alert }) =>
      held === undefined &&
      later.some((one) => watchOf(one.alert) === watchOf(alert) && byPlace(alert, one.alert) < 0),
  );
}

function isGathered(entry: InboxEntry): boolean {
  return entry.held?.for === 'group';
}

/** Held entries that are not part of a message, by watch. */
function heldBeside(
  next: readonly InboxEntry[],
  later: readonly HeldEntry[],
): Map<string, readonly HeldEntry[]> {
  const names = new Set(next.map(inboxSortKey));
  const others = later.filter((entry) => !names.has(inboxSortKey(entry)));
  return Map.groupBy(others, ({ alert }) => watchOf(alert));
}

/**
 * Removes acknowledgements from a digest. Each acknowledgement is sent separately, after the other
 * alerts.
 */
function withoutAcknowledgements(free: readonly InboxEntry[]): readonly InboxEntry[] {
  const news = free.filter(({ kind }) => kind !== 'acknowledged');
  return news.length > 0 ? news : free.slice(0, 1);
}

/**
 * The alerts for a new message; if there are none, a single edit of an older message. A digest
 * includes an edit only if it contains another alert of the same watch, because the two would
 * otherwise be out of order.
 */
function withoutEdits(record: ChannelRecord, free: readonly InboxEntry[]): readonly InboxEntry[] {
  const notified = new Set(
    free.filter((entry) => !isEdit(record, entry)).map(({ alert }) => watchOf(alert)),
  );
  const messages = free.filter(
    ({ alert, kind }) => notified.has(watchOf(alert)) && kind !== 'acknowledged',
  );
  return messages.length > 0 ? messages : free.slice(0, 1);
}

/** Whether an alert silently edits an existing message. Acknowledgements always do. */
function isEdit({ shown }: Pick<ChannelRecord, 'shown'>, entry: InboxEntry): boolean {
  const { kind, episode } = entry;
  const isShown = episode !== undefined && shown?.[episode] !== undefined;
  return (kind === 'acknowledged' || isShown) && !wakesSomebody(entry);
}
