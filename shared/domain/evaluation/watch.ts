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
import { PARTS, type Part } from '#shared/domain/market/price-series.ts';
import {
  isClock,
  isPercent,
  partsOfMetric,
  readsSales,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import type { WakeKind } from '#shared/domain/polling/contract-record.ts';
import {
  clausesIn,
  type RepeatPolicy,
  type RuleCondition,
} from '#shared/domain/rules/alert-rule.ts';
import {
  type Condition,
  exitsOf,
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
} from '#shared/domain/rules/threshold-index.ts';
import type { Unreadable } from '#shared/domain/unreadable.ts';

/** The tenant's list, rule and contract that a watch is of: its name everywhere. */
export type WatchId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
};

/** A watch that cannot be read, but for what each version writes in the same way. */
export type UnreadableWatch = Unreadable & {
  readonly rule: string;
  readonly version?: number | undefined;
  readonly generation?: number | undefined;
};

/**
 * Where a watch stands: `unknown` until the first value after its creation, `disarmed` while a
 * `cross` rule waits for the good side, `pending` while it is beyond but not long or often enough,
 * `recovering` while it is back but not long enough, `ended` after the one episode of a `once`
 * rule.
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

/** What a rule's messages say beside its numbers; an edit of it keeps the episode. */
type Presentation = {
  readonly label?: string;
  readonly name?: string;
  readonly severity: Severity;
  /** The channels that the rule names for its alerts. */
  readonly notify?: readonly string[];
  readonly notifyRecovery: boolean;
};

/** One rule on one contract: the thing that has a state. */
export type Watch = WatchId & {
  readonly version: number;
  /** The list's revision at which the rule's condition last changed or the member joined. */
  readonly generation: number;
  readonly ruleCondition: RuleCondition;
  readonly presentation: Presentation;
  readonly repeatPolicy: RepeatPolicy;
  readonly admin: (typeof WATCH_ADMINS)[number];
  readonly expiresAt?: Instant;
  /** When the watch came to be: it starts with the first answer asked for after that. */
  readonly since: Instant;
  readonly state: WatchState;
  /** The data time of the transition into `state`. */
  readonly stateSince?: Instant;
  /** While it is reported that the watch has never had a value: the data time of that alert. */
  readonly noValueSince?: Instant;
  /** Where the last evaluated value stood, for a band or a line to be crossed. */
  readonly position?: Position;
  /** Of conditions that must hold together, the one that a resting watch waits for. */
  readonly unmet?: number;
  /** Of the last points, which were beyond; kept while a `confirm` rule is pending. */
  readonly ring?: readonly { readonly time: Instant; readonly beyond: boolean }[];
  /** The value that the last alert of the open episode reported. */
  readonly lastReported?: Decimal;
  /** The instant of the last reminder of the open episode. */
  readonly remindedAt?: Instant;
  /** The number of the last step that it has evaluated. */
  readonly evaluatedSeq: number;
  /** The moment from which a metric of the clock counts; before anything is reported, `since`. */
  readonly countsFrom?: Instant;
  /**
   * Of a metric of the clock: when its threshold or its end was edited, until the next evaluation.
   */
  readonly editedAt?: Instant;
  /** Since when its evaluation fails, by a mistake of ours. */
  readonly brokenSince?: Instant;
  /** Episodes so far within the generation; the last one is open while firing. */
  readonly episode: number;
  readonly firedAt?: Instant;
  /** Alerts so far within the generation; counted from a multiple of `NUMBERS_LEAP`. */
  readonly alerts: number;
  /** The destinations of the alerts of the open episode. Each gets its end. */
  readonly told?: readonly DestinationId[];
};

/** The numbers a watch waits for: those at which an evaluation must read it, and no others. */
export function waitingOf(watch: Watch): Waiting {
  const waiting = waitingForValues(watch);
  const { falling, rising } = waiting;
  // "No sale left" stands above every number: it moves each watch that is not at rest.
  const missesIt = falling !== undefined && falling !== GREATEST && rising === undefined;
  const isMovedByIt = watch.state !== 'ok' && readsSales(watch.ruleCondition.metric);
  return missesIt && isMovedByIt ? { falling, rising: GREATEST } : waiting;
}

function waitingForValues(watch: Watch): Waiting {
  const { admin, state, ruleCondition, position, ring, countsFrom } = watch;
  if (admin !== 'enabled' || state === 'ended') return {};
  // Every observation counts for a watch that is new, or that counts observations.
  if (state === 'unknown' || ring !== undefined) return { falling: GREATEST };
  if (ruleCondition.also !== undefined) {
    const unmet = unmetClause(watch);
    return unmet === undefined ? { falling: GREATEST } : entriesInto(unmet.condition, position);
  }
  const { condition } = ruleCondition;
  if (!isLimit(condition)) {
    // With `confirm`, each further point beyond the line counts.
    const { confirm } = ruleCondition;
    const isCounted =
      state === 'ok' && confirm !== undefined && isPlacedBeyond(condition, position);
    return position === undefined || isCounted
      ? { falling: GREATEST }
      : exitsOf(condition, position);
  }
  // Reported for `below`; `above` is its mirror image.
  const { threshold, recover } = condition;
  const away = condition.when === 'below' ? 1n : -1n;
  const [toward, back]: readonly [ThresholdIndex, ThresholdIndex] =
    condition.when === 'below' ? ['falling', 'rising'] : ['rising', 'falling'];
  const end = recover ?? threshold + away;
  switch (state) {
    case 'ok':
      // The first that is reported may be older than the watch.
      return isClock(ruleCondition.metric) && countsFrom === undefined
        ? { [toward]: threshold, [back]: GREATEST }
        : { [toward]: threshold };
    case 'disarmed':
      return { [back]: threshold + away };
    case 'pending':
      // What comes after the end of its wait may be a step already.
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

/** The threshold indexes in which a watch waits. */
export function thresholdIndexOf(watch: Watch): ThresholdIndexName {
  const { ruleCondition } = watch;
  if (ruleCondition.also === undefined) return thresholdIndexNameOf(ruleCondition);
  const unmet = unmetClause(watch);
  return unmet === undefined ? ALL : thresholdIndexNameOf(unmet);
}

/** All threshold indexes that have to be asked for a watch to be reached in each of its states. */
export function thresholdIndexesOf({ ruleCondition }: Watch): readonly ThresholdIndexName[] {
  const clauses = clausesIn(ruleCondition).map(thresholdIndexNameOf);
  return ruleCondition.also === undefined ? clauses : [...clauses, ALL];
}

/** The unmet condition that a resting watch waits for. */
function unmetClause({ state, ruleCondition, unmet, ring }: Watch) {
  return state === 'ok' && ring === undefined && unmet !== undefined
    ? clausesIn(ruleCondition)[unmet]
    : undefined;
}

/** The first numbers at which an unmet condition is met. */
function entriesInto(condition: Condition, position: Position | undefined): Waiting {
  if (isLimit(condition)) {
    return { [condition.when === 'below' ? 'falling' : 'rising']: condition.threshold };
  }
  return position === undefined ? { falling: GREATEST } : exitsOf(condition, position);
}

/** The parts of its contract that a watch needs. */
export function partsOfWatch({ ruleCondition }: Watch): readonly Part[] {
  return [...new Set(clausesIn(ruleCondition).flatMap(({ metric }) => partsOfMetric(metric)))];
}

/** The longest window of a watch, in milliseconds; zero without one. */
export function lookBackOf({ ruleCondition }: Watch): number {
  return Math.max(...clausesIn(ruleCondition).map(({ metric }) => windowOf(metric) ?? 0));
}

/**
 * The number at which an open episode is asked to have worsened; undefined for a rule without
 * steps.
 */
export function nextStep({
  ruleCondition,
  repeatPolicy,
  lastReported,
}: Watch): Decimal | undefined {
  const { condition, metric } = ruleCondition;
  if (repeatPolicy.steps === undefined || lastReported === undefined) return undefined;
  const whole = 100n * ONE;
  // Rounded up: what is the finest unit short of a step is none.
  const share = (lastReported * repeatPolicy.steps + whole - 1n) / whole;
  const change = isPercent(metric) ? repeatPolicy.steps : share;
  const least = change === 0n ? 1n : change;
  return condition.when === 'below' ? lastReported - least : lastReported + least;
}

/**
 * The next timer of a watch, should nothing new be reported: one of its own, or the moment at which a
 * metric of the clock reaches its next line, or at which its line or its end was moved.
 */
export function nextTimer(watch: Watch): Instant | undefined {
  const { state, since, ruleCondition } = watch;
  if (!isGoing(watch)) return undefined;
  if (state === 'unknown') return isClock(ruleCondition.metric) ? since : undefined;
  return earliest([watch.editedAt, wakeAt(watch), reachedByClock(watch)]);
}

/**
 * When a watch must be evaluated, should nothing be reported; undefined for one that waits for prices
 * alone. `window` is an episode of a rule with a window: each answer may end it, since old prices
 * leave the window. Without a timer of its own it has none until the end of time.
 */
export function wakeOf(
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
 * The instant at which a watch moves by itself, should its value not change: the end of `for` or
 * `keepFor`, or the next reminder, which keeps the clock of its episode's beginning.
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
 * Reminders are counted from the beginning of the episode, and sent only while the watch fires and is
 * enabled.
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
 * When a metric of the clock reaches the number that a watch waits for. One that is pending has
 * passed it, and waits for the end of that alone.
 */
function reachedByClock(watch: Watch): Instant | undefined {
  const { state, ruleCondition, since, countsFrom = since } = watch;
  const { rising } = isClock(ruleCondition.metric) && state !== 'pending' ? waitingOf(watch) : {};
  if (rising === undefined) return undefined;
  const passing = countsFrom + Number((rising * BigInt(MINUTE) + ONE - 1n) / ONE);
  // Steps upon steps lead beyond every date that can be written.
  return passing <= LAST_INSTANT ? passing : undefined;
}

/**
 * More than any number has grown since an earlier state of the table: numbers go on behind it once
 * that state is restored, so that none is used twice.
 */
export const NUMBERS_LEAP = 1_000_000;

/** A watch that has had no value for so long reports that. */
const FIRST_VALUE_WITHIN = DAY;

/**
 * When a watch reports that it has never had a value: once in a generation, and only if no no-data
 * watch of its rule does.
 */
export function firstValueDueAt(watch: Watch): Instant | undefined {
  const { admin, state, alerts, since, expiresAt, repeatPolicy } = watch;
  const isNew = admin === 'enabled' && state === 'unknown' && alerts % NUMBERS_LEAP === 0;
  const dueAt = since + FIRST_VALUE_WITHIN;
  const isPastEnd = expiresAt !== undefined && dueAt >= expiresAt;
  return isNew && !isPastEnd && repeatPolicy.hasNoDataWatches === undefined ? dueAt : undefined;
}

/**
 * The coming end of a watch: it ends with an answer asked for then or later. Undefined for a watch
 * that sends nothing any more.
 */
export function endOf(watch: Watch): Instant | undefined {
  return isGoing(watch) ? watch.expiresAt : undefined;
}

/** Whether a watch may still say something. */
export function isGoing({ admin, state }: Watch): boolean {
  return admin === 'enabled' && state !== 'ended';
}

/** Without an answer for so long after its end a rule ends all the same, and says so. */
export const PATIENCE_AFTER_END = DAY;

/** Whether something has fired and not recovered yet. */
export function isEpisodeOpen({ state }: Watch): boolean {
  return state === 'firing' || state === 'recovering';
}

/** Whether a watch is in an episode. */
export function isInEpisode(
  watch: Watch,
  { generation, episode }: Pick<Watch, 'generation' | 'episode'>,
): boolean {
  return watch.generation === generation && watch.episode === episode && isEpisodeOpen(watch);
}

/** The name of a watch as one text, for keys and messages. */
export function watchPath({ tenant, list, rule }: Omit<WatchId, 'contract'>): string {
  return `${tenant}#${list}#${rule}`;
}

/**
 * The no-data watches of a rule: one for each part of the contract that it needs.
 */
export function noDataWatchName(rule: string, part: Part): string {
  return `${rule}~${part}`;
}

/** The names that the watches of a rule may have: its own, and those of its no-data watches. */
export function watchNamesOf(rule: string): readonly string[] {
  return [rule, ...PARTS.map((part) => noDataWatchName(rule, part))];
}

/** The rule of a watch, also of a no-data watch. */
export function ruleOf({ rule }: Pick<WatchId, 'rule'>): string {
  return rule.split('~', 1).join('');
}

/** Whether a watch is a no-data watch. */
export function isNoDataWatch({ rule }: Pick<WatchId, 'rule'>): boolean {
  return rule.includes('~');
}
