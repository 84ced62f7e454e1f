import type { Instant } from './points.ts';
import type { OracleRule } from './rule.ts';

type WatchStatus =
  | 'unknown'
  | 'ok'
  | 'disarmed'
  | 'pending'
  | 'firing'
  | 'recovering'
  | 'ended'
  | 'expired';

/** The expected state of a watch. */
export type WatchState = {
  readonly status: WatchStatus;
  /** Time of creation, edit or resumption. The watch starts with a later request. */
  readonly made: Instant;
  /** Start of `pending`, `firing` and `recovering`. */
  readonly since: Instant;
  readonly firedAt: Instant | undefined;
  /** The value from which `steps` are measured. */
  readonly lastReported: bigint | undefined;
  /** Reminders up to this moment were sent or skipped. */
  readonly remindedAt: Instant | undefined;
  /** Values of the episode by data time, for `below` and `above`. A revision replaces a value. */
  readonly seen: ReadonlyMap<Instant, bigint>;
  /** Side of the threshold, for `crosses`. */
  readonly side: 'under' | 'over' | undefined;
  /** Recent points for `confirm`, oldest first. */
  readonly recent: readonly { readonly time: Instant; readonly isBeyond: boolean }[];
  readonly episodes: number;
  readonly alerts: number;
  /** Data time of the open `stale` alert. */
  readonly staleSince: Instant | undefined;
};

/** An alert that a watch must make. */
export type ExpectedAlert = {
  readonly kind: 'fired' | 'worsened' | 'reminder' | 'recovered' | 'closed' | 'stale' | 'fresh';
  readonly value: bigint | undefined;
  /** Data time, which messages show. */
  readonly time: Instant;
  /** Time of the step, or of the poll for an alert by the clock. */
  readonly at: Instant;
  /** Undefined for an alert by the clock. */
  readonly seq: number | undefined;
  /** 0 before the first episode, and for a rule without episodes. */
  readonly episode: number;
  /** Time of the news that the alert may report late; undefined for the first evaluation. */
  readonly newsAt: Instant | undefined;
  /** Value before the step, if the step has a point for the first clause. */
  readonly previous: bigint | undefined;
  readonly line: bigint;
  readonly usd: bigint | undefined;
  /** Milliseconds from the start of the episode. */
  readonly lasted: number | undefined;
  readonly extreme: bigint | undefined;
};

/** A watch after an evaluation, and the alerts that the evaluation made. */
export type Transition = {
  readonly watch: WatchState;
  readonly alerts: readonly ExpectedAlert[];
};

export function createWatchState(made: Instant): WatchState {
  return {
    status: 'unknown',
    made,
    since: made,
    firedAt: undefined,
    lastReported: undefined,
    remindedAt: undefined,
    seen: new Map(),
    side: undefined,
    recent: [],
    episodes: 0,
    alerts: 0,
    staleSince: undefined,
  };
}

/** Whether the watch has ended and no longer changes. */
export function isOver({ status }: WatchState): boolean {
  return status === 'ended' || status === 'expired';
}

export function isInEpisode({ status }: WatchState): boolean {
  return status === 'firing' || status === 'recovering';
}

/** The time at which a watch changes without a new price. */
export function nextTimer(rule: OracleRule, watch: WatchState): Instant {
  if (watch.status === 'pending') return watch.since + rule.for;
  if (watch.status === 'recovering') return watch.since + rule.keepFor;
  return nextReminder(rule, watch);
}

/** Reminders are due at multiples of the interval after the start of the episode. */
export function nextReminder({ reminder }: OracleRule, watch: WatchState): Instant {
  const { status, firedAt, remindedAt = Number.NEGATIVE_INFINITY, since } = watch;
  if (status !== 'firing' || reminder === undefined || firedAt === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  const last = Math.max(firedAt, remindedAt, since);
  return firedAt + (Math.floor((last - firedAt) / reminder) + 1) * reminder;
}
