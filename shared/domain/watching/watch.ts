import type { AlertKind, RuleAlert } from '#shared/domain/alerting/alert.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { isLimit, type Manner, type Meaning } from './alert-rule.ts';
import { exitsOf, type Position } from './condition.ts';
import { GREATEST, type Ladder, type Waiting } from './ladder.ts';

/** The tenant's list, rule and contract that a watch is of: its name everywhere. */
export type WatchId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
};

/**
 * Where a watch stands: `unknown` until the first value after its creation, `disarmed` while a
 * `cross` rule waits for the good side, `pending` while it is beyond but not long or often enough,
 * `recovering` while it is back but not long enough, `ended` after the one episode of a `once` rule.
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

/** What a rule's messages say beside its numbers; an edit of it keeps the episode. */
type Wording = {
  readonly label?: string;
  readonly name?: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly notifyRecovery: boolean;
};

/** One rule on one contract: the thing that has a state. */
export type Watch = WatchId & {
  readonly version: number;
  /** The list's revision at which the rule's meaning last changed or the member joined. */
  readonly generation: number;
  readonly meaning: Meaning;
  readonly wording: Wording;
  readonly manner: Manner;
  readonly admin: 'enabled' | 'paused' | 'expired';
  readonly expiresAt?: Instant;
  /** When the watch came to be: it starts with the first answer asked for after that. */
  readonly since: Instant;
  readonly state: WatchState;
  /** The data time of the transition into `state`. */
  readonly stateSince?: Instant;
  /** Where the last judged value stood, for a band or a line to be crossed. */
  readonly position?: Position;
  /** Of the last observations, which were beyond; kept while a `confirm` rule is pending. */
  readonly ring?: readonly boolean[];
  /** The value that the last alert of the open episode told. */
  readonly lastTold?: Decimal;
  /** The instant of the last reminder of the open episode. */
  readonly remindedAt?: Instant;
  /** The number of the last observation that was judged. */
  readonly judgedSeq: number;
  /** Episodes so far within the generation; the last one is open while firing. */
  readonly episode: number;
  readonly firedAt?: Instant;
  /** Alerts so far within the generation. */
  readonly alerts: number;
  /** Alerts that the list's actor has not taken over yet, oldest first. */
  readonly outbox: readonly RuleAlert[];
  /** When the list's actor is sent again, while the outbox is not empty. */
  readonly outboxDueAt?: Instant;
  /** There while what the outbox holds is to be told in one summary. */
  readonly folded?: Folded;
};

/** Alerts that are held back: since when by data time, and how many of those not kept in full. */
export type Folded = {
  readonly since: string;
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
};

/** The numbers a watch waits for: those at which a look must read it, and no others. */
export function waitingOf(watch: Watch): Waiting {
  const { admin, state, meaning, position, ring } = watch;
  if (admin !== 'enabled' || state === 'ended') return {};
  // Every observation counts for a watch that is new, or that counts observations.
  if (state === 'unknown' || ring !== undefined) return { falling: GREATEST };
  const { condition } = meaning;
  if (!isLimit(condition)) {
    return position === undefined ? { falling: GREATEST } : exitsOf(condition, position);
  }
  // Told for `below`; `above` is its mirror image.
  const { threshold, recover } = condition;
  const away = condition.when === 'below' ? 1n : -1n;
  const [toward, back]: readonly [Ladder, Ladder] =
    condition.when === 'below' ? ['falling', 'rising'] : ['rising', 'falling'];
  const end = recover ?? threshold + away;
  switch (state) {
    case 'ok':
      return { [toward]: threshold };
    case 'disarmed':
    case 'pending':
      return { [back]: threshold + away };
    case 'firing': {
      const step = nextStep(watch);
      return { [back]: end, ...(step === undefined ? {} : { [toward]: step }) };
    }
    case 'recovering':
      return { [toward]: end - away };
  }
}

/** The number at which an open episode is told to have worsened; undefined for a rule without steps. */
export function nextStep({ meaning: { condition }, manner, lastTold }: Watch): Decimal | undefined {
  if (manner.steps === undefined || lastTold === undefined) return undefined;
  const change = (lastTold * manner.steps) / (100n * ONE);
  const least = change === 0n ? 1n : change;
  return condition.when === 'below' ? lastTold - least : lastTold + least;
}

/**
 * The instant of data time at which a watch moves by itself, should its value not change: the end
 * of `for` or `keepFor`, or the next reminder, which keeps the clock of its episode's beginning.
 */
export function nextInstant(watch: Watch): Instant | undefined {
  const { admin, state, stateSince, meaning, manner, firedAt, remindedAt } = watch;
  if (admin !== 'enabled' || stateSince === undefined) return undefined;
  if (state === 'pending' && meaning.for !== undefined) return stateSince + meaning.for;
  if (state === 'recovering' && meaning.keepFor !== undefined) return stateSince + meaning.keepFor;
  if (state !== 'firing' || manner.reminder === undefined || firedAt === undefined)
    return undefined;
  const passed = Math.floor(((remindedAt ?? firedAt) - firedAt) / manner.reminder);
  return firedAt + (passed + 1) * manner.reminder;
}

/** When the contract's actor is to look after a watch: an instant of its own, or an outbox unsent. */
export function dueAtOf(watch: Watch): Instant | undefined {
  const instants = [watch.outboxDueAt, nextInstant(watch)].filter((due) => due !== undefined);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Whether something has fired and not recovered yet. */
export function isEpisodeOpen({ state }: Watch): boolean {
  return state === 'firing' || state === 'recovering';
}

/** The name of a watch as one text, for keys and messages. */
export function watchPath({ tenant, list, rule }: Omit<WatchId, 'contract'>): string {
  return `${tenant}#${list}#${rule}`;
}
