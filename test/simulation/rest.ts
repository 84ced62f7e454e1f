import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import { GREEDY, isOfGreedyTenant } from '#test/simulation/actors/greedy-tenant.ts';
import { sourcesIn } from '#test/simulation/invariants/derived-invariants.ts';
import type { Invariants } from '#test/simulation/invariants/invariants.ts';
import type { FaultyTable } from '#test/simulation/services/faulty-table.ts';
import type { Sandboxes } from '#test/simulation/services/sandbox.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';
import type { Queues } from './functions.ts';

type RestWorld = {
  readonly timeline: Timeline;
  readonly table: FaultyTable;
  readonly queues: Queues;
  readonly sandboxes: Sandboxes;
  readonly invariants: Pick<Invariants, 'asking' | 'delivering'>;
  readonly cadenceMinutes: number;
  readonly broken: (invariant: string, what: string) => void;
};

/** Duration until the system was idle, in minutes. */
export type Healing = {
  /** Counted from the end of the faults. */
  readonly minutes: number;
  /** Counted from the end of the last back-off, lock or block that a fault caused. */
  readonly netMinutes: number;
};

/** The longest back-off of any kind. */
const LONGEST_BACK_OFF_MINUTES = 60;
/** Time in which all remaining work must be done. */
const HEALING_MINUTES = 5;
/** Periodic work never ends. Within this time, some minute must end without work in progress. */
const QUIET_MINUTES = 10;
/** Covers a back-off, and then the wait until a contract is due. */
export const LONGEST_HEALING_MINUTES =
  2 * LONGEST_BACK_OFF_MINUTES + HEALING_MINUTES + QUIET_MINUTES;
/** Maximum time until calls finish that were in progress when the faults ended. */
const LAST_CALLS = 10 * SECOND;

/** Advances the time without faults until no work is left. */
export async function heal(world: RestWorld): Promise<Healing | undefined> {
  const { timeline, broken } = world;
  const end = timeline.now();
  await timeline.runUntil(end + LAST_CALLS);
  const heldAtFirst = Math.max(0, Math.ceil((heldUntil(world) - end) / MINUTE));
  if (heldAtFirst > LONGEST_BACK_OFF_MINUTES)
    broken('nothing is delayed for long', `${heldAtFirst} minutes`);
  const waitsForTurn = itemsOf(world).some(waitsForItsTurn);
  let healed: number | undefined;
  for (let minute = 1; minute <= LONGEST_HEALING_MINUTES; minute += 1) {
    const now = end + minute * MINUTE;
    await timeline.runUntil(now - 1);
    // A low budget lengthens the cadence, even without faults, and allows no extra polls.
    const isShort = waitsForTurn || cadenceOf(world) > world.cadenceMinutes;
    const held = heldAtFirst + (isShort ? turnIn(world) : 0);
    const left = whatIsLeft(world);
    const old = left.filter(({ since }) => since <= end + heldAtFirst * MINUTE);
    if (old.length === 0) healed ??= minute;
    if (healed === undefined && minute === held + HEALING_MINUTES) {
      broken('the world heals within five minutes', reported(old));
    }
    const isHeard = !isSpent(world) || !isAnsweredSince(world, now - MINUTE);
    // With a low budget, reminders may wait for the next answer.
    const answeredIn = isShort ? turnIn(world) : 1;
    const isQuiet =
      isHeard &&
      left.every(({ since }) => since <= now) &&
      left.every(({ since, isOfAnswer }) => since > now - (isOfAnswer ? answeredIn : 1) * MINUTE);
    if (healed === undefined || minute < HEALING_MINUTES || !isQuiet) continue;
    return { minutes: healed, netMinutes: Math.max(0, healed - held) };
  }
  broken('the world comes to rest', reported(whatIsLeft(world)));
  return undefined;
}

function reported(left: readonly Left[]): string {
  return left
    .slice(0, 5)
    .map(({ what }) => what)
    .join('; ');
}

/** End of the last delay that a fault caused: a lock, a back-off or a block. */
function heldUntil(world: RestWorld): Instant {
  return Math.max(
    world.sandboxes.frozenUntil(),
    ...Object.values(world.queues).map((queue) => queue.heldUntil()),
    ...itemsOf(world).map(heldByItem),
  );
}

function heldByItem(item: Item): Instant {
  if (item.pk === 'UPSTREAM' && item.sk.startsWith('RATE_LIMITER#')) {
    const { blockedUntil = 0, breakers } = item as unknown as RateLimiterItem;
    return Math.max(blockedUntil, ...Object.values(breakers).map(({ probeAt }) => probeAt));
  }
  if (item.pk.startsWith('CONTRACTS#')) {
    const { series } = item as unknown as ContractItem;
    return Math.max(0, ...Object.values(series).map(({ retry = 0 }) => retry));
  }
  if (!item.sk.startsWith('CHANNEL#')) return 0;
  const { failure, notBefore = 0 } = item as unknown as ChannelItem;
  return failure === undefined ? 0 : notBefore;
}

/** Whether a series has failed so often that it is polled again only when its contract is due. */
function waitsForItsTurn(item: Item): boolean {
  if (!item.pk.startsWith('CONTRACTS#')) return false;
  const { series } = item as unknown as ContractItem;
  return Object.values(series).some(({ fails = 0, retry }) => fails > 0 && retry === undefined);
}

/** The minutes in which each contract is due once, if the budget allows it. */
function turnIn(world: RestWorld): number {
  return Math.min(cadenceOf(world), LONGEST_BACK_OFF_MINUTES - 1);
}

/** Whether the remaining budget allows no poll within an hour. */
function isSpent(world: RestWorld): boolean {
  return world.invariants.asking.isSpent() || cadenceOf(world) > LONGEST_BACK_OFF_MINUTES;
}

/** The longest time in minutes between two polls of a contract, with the current budget. */
function cadenceOf({ table, cadenceMinutes }: RestWorld): number {
  const noted = itemsOf({ table }).find(({ pk, sk }) => pk === 'UPSTREAM' && sk === 'CADENCES');
  const { [GREEDY]: _ownFault, ...stretched } = (noted?.stretched ?? {}) as Record<string, Pace>;
  const longest = ({ minutes, halfBefore }: Pace) =>
    halfBefore === undefined ? minutes : 2 * minutes;
  return Math.max(cadenceMinutes, ...Object.values(stretched).map(longest));
}

/**
 * Whether a contract was answered after an instant. The watches of the contract are evaluated
 * within a minute of an answer.
 */
function isAnsweredSince({ table }: RestWorld, instant: Instant): boolean {
  const records = itemsOf({ table }).filter(({ pk }) => pk.startsWith('CONTRACTS#'));
  return records
    .flatMap((item) => Object.values((item as unknown as ContractItem).series))
    .some(({ asked = 0 }) => asked >= instant);
}

/** The items that must become idle: all except those of the greedy tenant. */
function itemsOf({ table }: Pick<RestWorld, 'table'>): readonly Item[] {
  return table.items().filter((item) => !isOfGreedyTenant(item));
}

type Pace = { readonly minutes: number; readonly halfBefore?: string };

type RateLimiterItem = {
  readonly blockedUntil?: Instant;
  readonly breakers: Readonly<Record<string, { readonly probeAt: Instant }>>;
};
type ContractItem = {
  readonly series: Readonly<
    Record<string, { readonly asked?: Instant; readonly fails?: number; readonly retry?: Instant }>
  >;
  readonly steps?: unknown;
  readonly timers?: { readonly answer?: Instant; readonly refreshRequested?: Instant };
  readonly suspect?: unknown;
};
type ChannelItem = { readonly failure?: unknown; readonly notBefore?: Instant };

/** Unfinished work, when it became due, and whether it waits for an answer from the upstream. */
type Left = { readonly what: string; readonly since: Instant; readonly isOfAnswer: boolean };

function whatIsLeft(world: RestWorld): readonly Left[] {
  const { queues, sandboxes } = world;
  const waiting = Object.entries(queues).flatMap(([name, queue]) =>
    queue.waiting() > 0
      ? [{ what: `${queue.waiting()} messages of ${name}`, since: 0, isOfAnswer: false }]
      : [],
  );
  const running =
    sandboxes.alive() > 0
      ? [{ what: `${sandboxes.alive()} invocations`, since: 0, isOfAnswer: false }]
      : [];
  const overdue = itemsOf(world).flatMap((item) => {
    const since = leftSince(world, item);
    const isOfAnswer = needsAnswer(item);
    return since === undefined ? [] : [{ what: `${item.pk} ${item.sk}`, since, isOfAnswer }];
  });
  return [...waiting, ...running, ...overdue];
}

/** Whether all remaining work of an item needs an answer: a contract without steps, or a watch. */
function needsAnswer(item: Item): boolean {
  if (item.pk.startsWith('CONTRACTS#')) {
    return (item as unknown as ContractItem).steps === undefined;
  }
  return item.pk.startsWith('WATCHES#');
}

/** When the unfinished work of an item became due. */
function leftSince(world: RestWorld, item: Item): Instant | undefined {
  const { delivering } = world.invariants;
  if (item.pk.startsWith('CONTRACTS#')) {
    const { steps, timers = {}, suspect } = item as unknown as ContractItem;
    if (steps !== undefined) return 0;
    // A ratio or list value waits for the price that confirms or refutes a suspect among its
    // floors.
    const sources = sourcesIn(item);
    const floors = itemsOf(world).filter(({ sk }) => sources.includes(sk));
    if (floors.some((floor) => floor.suspect !== undefined)) return undefined;
    // A watch in doubt waits up to 25 hours for the price that confirms or refutes the suspect.
    const answer = suspect === undefined ? timers.answer : undefined;
    const due = [answer, timers.refreshRequested].filter(
      (at) => at !== undefined && at <= world.timeline.now(),
    );
    return due.length === 0 || isSpent(world) ? undefined : Math.min(...due.map(Number));
  }
  if (item.pk.startsWith('INBOX#')) {
    // The sort key starts with a mark for the rank. The time of the alert, or the end of its hold,
    // follows.
    const since = Date.parse(item.sk.slice(1).split(/[# ]/)[0] ?? '');
    // Entries held by a mute are checked once the system is idle.
    return item.sk.startsWith('~') || !delivering.isAwaited(item) ? undefined : since;
  }
  // An `apply` job may be new: the end of a rule creates one at any time.
  if (item.pk.startsWith('JOBS#') && item.sk === 'apply') return Number(item.createdAt);
  const { dueAt } = item;
  return typeof dueAt === 'number' && dueAt <= world.timeline.now() ? dueAt : undefined;
}
