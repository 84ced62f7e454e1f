import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, GREATEST, ONE } from '#shared/domain/market/decimal.ts';
import {
  DAY,
  earliest,
  type Instant,
  LAST_INSTANT,
  MINUTE,
} from '#shared/domain/market/instant.ts';
import { PRICE_SERIES_NAMES, type PriceSeriesName } from '#shared/domain/market/price-series.ts';
import {
  isClock,
  isPercent,
  readsSales,
  seriesOfMetric,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import type { WakeKind } from '#shared/domain/polling/contract-record.ts';
import {
  clausesIn,
  type RepeatPolicy,
  type RuleCondition,
  type RuleConditionClause,
} from '#shared/domain/rules/alert-rule.ts';
import {
  type Condition,
  exitRanges,
  isLimit,
  isPlacedBeyond,
  type Position,
} from '#shared/domain/rules/condition.ts';
import type { Severity } from '#shared/domain/rules/severity.ts';
import {
  ALL,
  type ThresholdIndex,
  type ThresholdIndexName,
  thresholdIndexNameOf,
  type Waiting,
  waitingInIndex,
} from '#shared/domain/rules/threshold-index.ts';
import type { Unreadable } from '#shared/domain/unreadable.ts';

/** Identifies a watch by tenant, list, rule and contract. */
export type WatchId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
};

/**
 * A watch that cannot be parsed. It has only the members that every version writes in the same
 * format.
 */
export type UnreadableWatch = Unreadable & {
  readonly rule: string;
  readonly version?: number | undefined;
  readonly generation?: number | undefined;
};

/**
 * The state of a watch:
 * - `unknown`: no value since its creation
 * - `disarmed`: a rule with `arm: "cross"` waits for a value that is not beyond the threshold
 * - `pending`: beyond the threshold, but not yet for long enough or often enough to fire
 * - `recovering`: recovered, but not yet for long enough to end the episode
 * - `ended`: after the only episode of a `once` rule
 */
export const WATCH_STATES = [
  'unknown',
  'ok',
  'pending',
  'firing',
  'recovering',
  'disarmed',
  'ended',
] as const;
export type WatchState = (typeof WATCH_STATES)[number];

export const WATCH_ADMINS = ['enabled', 'paused', 'expired'] as const;

/** The texts and channels of a rule's messages. Editing them does not end an open episode. */
type Presentation = {
  readonly label?: string;
  readonly name?: string;
  readonly severity: Severity;
  /** The channels that the rule names in `notify`. */
  readonly notify?: readonly string[];
  readonly notifyRecovery: boolean;
};

/** One rule on one contract, with its state. */
export type Watch = WatchId & {
  readonly version: number;
  /** The list's revision at which the rule's condition last changed or the member joined. */
  readonly generation: number;
  readonly ruleCondition: RuleCondition;
  readonly presentation: Presentation;
  readonly repeatPolicy: RepeatPolicy;
  readonly admin: (typeof WATCH_ADMINS)[number];
  readonly expiresAt?: Instant;
  /**
   * When the watch was created or restarted. It starts with the first answer requested after this
   * time.
   */
  readonly since: Instant;
  readonly state: WatchState;
  /** The data time of the transition into `state`. */
  readonly stateSince?: Instant;
  /** Data time of the open `stale` alert about a missing first value. */
  readonly noValueSince?: Instant;
  /** Position of the last evaluated value relative to a band or to the line of `crosses`. */
  readonly position?: Position;
  /**
   * If several conditions must hold together: the index of the unmet one that the watch waits for.
   */
  readonly unmet?: number;
  /**
   * Recent points, and whether each was beyond the threshold; only while a `confirm` rule is
   * pending.
   */
  readonly recentSamples?: readonly { readonly time: Instant; readonly beyond: boolean }[];
  /** The value in the last alert of the open episode. */
  readonly lastReported?: Decimal;
  /** The time of the last reminder of the open episode. */
  readonly remindedAt?: Instant;
  /** The number of the last evaluated step. */
  readonly evaluatedSeq: number;
  /**
   * The moment from which a clock metric counts. If it is absent, the metric counts from `since`.
   */
  readonly countsFrom?: Instant;
  /**
   * For a clock metric: when the threshold or the end of the rule was edited. The next evaluation
   * removes this member.
   */
  readonly editedAt?: Instant;
  /** When the evaluation began to fail because of a bug in floorwatch. */
  readonly brokenSince?: Instant;
  /** Number of episodes in this generation. The last one is open while the watch is firing. */
  readonly episode: number;
  readonly firedAt?: Instant;
  /** Number of alerts in this generation, plus `NUMBERS_LEAP` for each restore of the table. */
  readonly alerts: number;
  /**
   * The destinations of the open episode's alerts. Each of these destinations gets the alert that
   * ends the episode.
   */
  readonly notified?: readonly DestinationId[];
};

/**
 * The numbers that a watch waits for. An evaluation reads the watch from the threshold index only
 * when a value reaches one of them.
 */
export function waitingOf(watch: Watch): Waiting {
  const waiting = waitingForValues(watch);
  const { falling, rising } = waiting;
  // "No sale left" counts as a value above every number. It affects every watch whose state is not
  // `ok`.
  const missesIt = falling !== undefined && falling !== GREATEST && rising === undefined;
  const isMovedByIt = watch.state !== 'ok' && readsSales(watch.ruleCondition.metric);
  return missesIt && isMovedByIt ? { falling, rising: GREATEST } : waiting;
}

function waitingForValues(watch: Watch): Waiting {
  const { admin, state, ruleCondition, position, recentSamples, countsFrom } = watch;
  if (admin !== 'enabled' || state === 'ended') return {};
  // A new watch, and a watch that counts points, must be evaluated at every point.
  if (state === 'unknown' || recentSamples !== undefined) return { falling: GREATEST };
  if (ruleCondition.also !== undefined) {
    const unmet = unmetClause(watch);
    return unmet === undefined ? { falling: GREATEST } : entriesInto(unmet.condition, position);
  }
  const { condition } = ruleCondition;
  if (!isLimit(condition)) {
    // With `confirm`, the watch must count each further point beyond the line.
    const { confirm } = ruleCondition;
    const isCounted =
      state === 'ok' && confirm !== undefined && isPlacedBeyond(condition, position);
    return position === undefined || isCounted
      ? { falling: GREATEST }
      : exitRanges(condition, position);
  }
  // Written for `below`; `above` is its mirror image.
  const { threshold, recover } = condition;
  const away = condition.when === 'below' ? 1n : -1n;
  const [toward, back]: readonly [ThresholdIndex, ThresholdIndex] =
    condition.when === 'below' ? ['falling', 'rising'] : ['rising', 'falling'];
  const end = recover ?? threshold + away;
  switch (state) {
    case 'ok':
      // The first reported value may be older than the watch.
      return isClock(ruleCondition.metric) && countsFrom === undefined
        ? { [toward]: threshold, [back]: GREATEST }
        : { [toward]: threshold };
    case 'disarmed':
      return { [back]: threshold + away };
    case 'pending':
      // The first price after the end of `for` may already be far enough for a `worsened` alert.
      return {
        [back]: threshold + away,
        ...(watch.repeatPolicy.steps === undefined ? {} : { [toward]: threshold }),
      };
    case 'firing': {
      const step = nextStep(watch);
      return { [back]: end, ...(step === undefined ? {} : { [toward]: step }) };
    }
    case 'recovering':
      return { [toward]: end - away };
  }
}

/** The condition whose numbers a watch waits for; undefined if it waits for any step. */
export function awaitedClause(watch: Watch): RuleConditionClause | undefined {
  const { ruleCondition } = watch;
  return ruleCondition.also === undefined ? ruleCondition : unmetClause(watch);
}

/** The threshold index in which a watch waits. */
export function thresholdIndexOf(watch: Watch): ThresholdIndexName {
  const awaited = awaitedClause(watch);
  return awaited === undefined ? ALL : thresholdIndexNameOf(awaited);
}

/** The sort values of a watch in its threshold index. */
export function indexEntriesOf(watch: Watch): Waiting {
  const awaited = awaitedClause(watch);
  const waiting = waitingOf(watch);
  return awaited === undefined ? waiting : waitingInIndex(waiting, awaited);
}

/** All threshold indexes in which a watch may wait, in any of its states. */
export function thresholdIndexesOf({ ruleCondition }: Watch): readonly ThresholdIndexName[] {
  const clauses = clausesIn(ruleCondition).map(thresholdIndexNameOf);
  return ruleCondition.also === undefined ? clauses : [...clauses, ALL];
}

/** The unmet condition that a watch in the state `ok` waits for, if several must hold together. */
function unmetClause({ state, ruleCondition, unmet, recentSamples }: Watch) {
  return state === 'ok' && recentSamples === undefined && unmet !== undefined
    ? clausesIn(ruleCondition)[unmet]
    : undefined;
}

/** The first numbers at which an unmet condition holds. */
function entriesInto(condition: Condition, position: Position | undefined): Waiting {
  if (isLimit(condition)) {
    return { [condition.when === 'below' ? 'falling' : 'rising']: condition.threshold };
  }
  return position === undefined ? { falling: GREATEST } : exitRanges(condition, position);
}

/** The price series of its contract that a watch needs. */
export function seriesOfWatch({ ruleCondition }: Watch): readonly PriceSeriesName[] {
  return [...new Set(clausesIn(ruleCondition).flatMap(({ metric }) => seriesOfMetric(metric)))];
}

/** The longest window of a watch, in milliseconds; zero without one. */
export function lookBackOf({ ruleCondition }: Watch): number {
  return Math.max(...clausesIn(ruleCondition).map(({ metric }) => windowOf(metric) ?? 0));
}

/** The number at which an open episode has worsened; undefined for a rule without `steps`. */
export function nextStep({
  ruleCondition,
  repeatPolicy,
  lastReported,
}: Watch): Decimal | undefined {
  const { condition, metric } = ruleCondition;
  if (repeatPolicy.steps === undefined || lastReported === undefined) return undefined;
  const whole = 100n * ONE;
  // Rounded up: a value that misses the step even by the smallest unit has not worsened.
  const size = lastReported < 0n ? -lastReported : lastReported;
  const share = (size * repeatPolicy.steps + whole - 1n) / whole;
  const change = isPercent(metric) ? repeatPolicy.steps : share;
  const least = change === 0n ? 1n : change;
  return condition.when === 'below' ? lastReported - least : lastReported + least;
}

/**
 * The next timer of a watch if nothing new is reported. For a clock metric, it includes the time
 * at which the metric reaches its next threshold. After an edit of the threshold or of the rule's
 * end, the timer is the time of the edit, so the watch is due immediately.
 */
export function nextTimer(watch: Watch): Instant | undefined {
  const { state, since, ruleCondition } = watch;
  if (!isGoing(watch)) return undefined;
  if (state === 'unknown') return isClock(ruleCondition.metric) ? since : undefined;
  return earliest([watch.editedAt, wakeAt(watch), reachedByClock(watch)]);
}

/** When a watch expires, if it expires no later than a timer; undefined otherwise. */
export function endBefore({ expiresAt }: Watch, timer: Instant | undefined): Instant | undefined {
  return expiresAt !== undefined && timer !== undefined && expiresAt <= timer
    ? expiresAt
    : undefined;
}

/**
 * When a watch must be evaluated if nothing new is reported; undefined if it waits only for prices.
 *
 * The kind is `window` during an open episode of a rule with a window: each answer may end the
 * episode, since old prices leave the window. If such a watch has no timer, `at` is the last
 * instant.
 */
export function nextWake(
  watch: Watch,
): { readonly kind: WakeKind; readonly at: Instant } | undefined {
  if (!isGoing(watch)) return undefined;
  if (isClock(watch.ruleCondition.metric)) {
    const at = earliest([nextTimer(watch), watch.expiresAt]);
    return at === undefined ? undefined : { kind: 'clock', at };
  }
  const own = earliest([wakeAt(watch), watch.expiresAt]);
  if (isEpisodeOpen(watch) && lookBackOf(watch) > 0) {
    return { kind: 'window', at: own ?? LAST_INSTANT };
  }
  const firstValue = firstValueDueAt(watch);
  if (firstValue !== undefined && firstValue < (own ?? LAST_INSTANT)) {
    return { kind: 'clock', at: firstValue };
  }
  return own === undefined ? undefined : { kind: 'answer', at: own };
}

/**
 * When a watch changes even if its value stays the same: at the end of `for` or `keepFor`, or at
 * the next reminder.
 */
export function wakeAt(watch: Watch): Instant | undefined {
  const { admin, state, stateSince, ruleCondition } = watch;
  if (admin !== 'enabled' || stateSince === undefined) return undefined;
  if (state === 'pending' && ruleCondition.for !== undefined) return stateSince + ruleCondition.for;
  if (state === 'recovering' && ruleCondition.keepFor !== undefined)
    return stateSince + ruleCondition.keepFor;
  return nextReminder(watch);
}

/**
 * When the next reminder is due. Reminders are counted from the beginning of the episode, and sent
 * only while the watch is firing and enabled.
 */
export function nextReminder({
  state,
  stateSince = 0,
  since,
  repeatPolicy,
  firedAt,
  remindedAt = 0,
}: Watch): Instant | undefined {
  if (state !== 'firing' || repeatPolicy.reminder === undefined || firedAt === undefined) {
    return undefined;
  }
  const after = Math.max(firedAt, remindedAt, stateSince, since);
  const passed = Math.floor((after - firedAt) / repeatPolicy.reminder);
  return firedAt + (passed + 1) * repeatPolicy.reminder;
}

/**
 * When a clock metric reaches the number that a watch waits for. In a pending watch the metric has
 * passed the number, and the watch waits only for the end of `for`.
 */
function reachedByClock(watch: Watch): Instant | undefined {
  const { state, ruleCondition, since, countsFrom = since } = watch;
  const { rising } = isClock(ruleCondition.metric) && state !== 'pending' ? waitingOf(watch) : {};
  if (rising === undefined) return undefined;
  const passing = countsFrom + Number((rising * BigInt(MINUTE) + ONE - 1n) / ONE);
  // After many `worsened` steps, the time may be later than the last valid date.
  return passing <= LAST_INSTANT ? passing : undefined;
}

/**
 * Added to versions and to the numbers of alerts and episodes when the table is restored to an
 * earlier state. No number grows by this much between a backup and its restore, so no number is
 * used twice.
 */
export const NUMBERS_LEAP = 1_000_000;

/** Time after which a new watch without a value reports that its first value is missing. */
const FIRST_VALUE_WITHIN = DAY;

/**
 * When a watch reports that it has never had a value. It reports this once in a generation, and not
 * at all if no-data watches of its rule report missing data.
 */
export function firstValueDueAt(watch: Watch): Instant | undefined {
  const { admin, state, alerts, since, expiresAt, repeatPolicy } = watch;
  const isNew = admin === 'enabled' && state === 'unknown' && alerts % NUMBERS_LEAP === 0;
  const dueAt = since + FIRST_VALUE_WITHIN;
  const isPastEnd = expiresAt !== undefined && dueAt >= expiresAt;
  return isNew && !isPastEnd && repeatPolicy.hasNoDataWatches === undefined ? dueAt : undefined;
}

/**
 * When a watch ends: with the first answer requested at this time or later. Undefined for a watch
 * that sends no more alerts.
 */
export function ruleEnd(watch: Watch): Instant | undefined {
  return isGoing(watch) ? watch.expiresAt : undefined;
}

/** Whether a watch may still send alerts. */
export function isGoing({ admin, state }: Watch): boolean {
  return admin === 'enabled' && state !== 'ended';
}

/** Whether the watch has fired and not recovered yet. */
export function isEpisodeOpen({ state }: Watch): boolean {
  return state === 'firing' || state === 'recovering';
}

/** Whether the given episode is the open episode of a watch. */
export function isInEpisode(
  watch: Watch,
  { generation, episode }: Pick<Watch, 'generation' | 'episode'>,
): boolean {
  return watch.generation === generation && watch.episode === episode && isEpisodeOpen(watch);
}

/** The name of a watch within its contract, for keys and messages. */
export function watchPath({ tenant, list, rule }: Omit<WatchId, 'contract'>): string {
  return `${tenant}#${list}#${rule}`;
}

/**
 * The name of a rule's no-data watch for a price series. There is one for each price series that
 * the rule needs.
 */
export function noDataWatchName(rule: string, series: PriceSeriesName): string {
  return `${rule}~${series}`;
}

/**
 * The name of a rule's source watches. They cause the polls of the floors from which a derived
 * contract is computed.
 */
export function sourceWatchName(rule: string): string {
  return `${rule}${SOURCE}`;
}

/**
 * Whether a watch only causes polls of a floor for a derived contract. People do not see such
 * watches.
 */
export function isSourceWatch({ rule }: Pick<WatchId, 'rule'>): boolean {
  return rule.endsWith(SOURCE);
}

/** No price series has this name. */
const SOURCE = '~of';

/** The names of a rule's watches that may send alerts: its own watch and its no-data watches. */
export function watchNamesOf(rule: string): readonly string[] {
  return [rule, ...PRICE_SERIES_NAMES.map((series) => noDataWatchName(rule, series))];
}

/** The id of a watch's rule, also for a no-data watch or a source watch. */
export function ruleOf({ rule }: Pick<WatchId, 'rule'>): string {
  return rule.split('~', 1).join('');
}

/** Whether a watch is a no-data watch. */
export function isNoDataWatch({ rule }: Pick<WatchId, 'rule'>): boolean {
  return rule.includes('~') && !isSourceWatch({ rule });
}
