import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import { GREEDY, isOfGreedyTenant } from '#test/simulation/actors/greedy-tenant.ts';
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

/** How the world came to rest, in minutes. */
export type Healing = {
  /** From the end of the faults. */
  readonly minutes: number;
  /** From when the last thing that had gone wrong held nothing up any more. */
  readonly netMinutes: number;
};

/** The longest that anything is put off, whatever goes wrong. */
const LONGEST_BACK_OFF_MINUTES = 60;
/** By then all that was to be done is done. */
const HEALING_MINUTES = 5;
/** Work goes on: by then there was a minute at whose end nothing was under way. */
const QUIET_MINUTES = 10;
/** A back-off, and after it a contract's turn. */
export const LONGEST_HEALING_MINUTES =
  2 * LONGEST_BACK_OFF_MINUTES + HEALING_MINUTES + QUIET_MINUTES;
/** What was under way when the faults ended has come to its end by then. */
const LAST_CALLS = 10 * SECOND;

/** Lets time go on until nothing is to be done any more; nothing goes wrong meanwhile. */
export async function heal(world: RestWorld): Promise<Healing | undefined> {
  const { timeline, broken } = world;
  const end = timeline.now();
  await timeline.runUntil(end + LAST_CALLS);
  const heldAtFirst = Math.max(0, Math.ceil((heldUntil(world) - end) / MINUTE));
  if (heldAtFirst > LONGEST_BACK_OFF_MINUTES)
    broken('nothing is put off for long', `${heldAtFirst} minutes`);
  const waitsForTurn = itemsOf(world).some(waitsForItsTurn);
  let healed: number | undefined;
  for (let minute = 1; minute <= LONGEST_HEALING_MINUTES; minute += 1) {
    const now = end + minute * MINUTE;
    await timeline.runUntil(now - 1);
    // A budget that runs low puts the turns further apart, also when nothing goes wrong any more, and
    // lets nothing be asked out of turn.
    const isShort = waitsForTurn || cadenceOf(world) > world.cadenceMinutes;
    const held = heldAtFirst + (isShort ? turnIn(world) : 0);
    const left = whatIsLeft(world);
    const old = left.filter(({ since }) => since <= end + heldAtFirst * MINUTE);
    if (old.length === 0) healed ??= minute;
    if (healed === undefined && minute === held + HEALING_MINUTES) {
      broken('the world heals within five minutes', reported(old));
    }
    const isHeard = !isSpent(world) || !isAnsweredSince(world, now - MINUTE);
    // Where the budget is short, reminders may always wait for the next answer.
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

/** Until when something is held up because of what went wrong: by a lock, a back-off, a block. */
function heldUntil(world: RestWorld): Instant {
  return Math.max(
    world.sandboxes.frozenUntil(),
    ...Object.values(world.queues).map((queue) => queue.heldUntil()),
    ...itemsOf(world).map(heldByItem),
  );
}

function heldByItem(item: Item): Instant {
  if (item.pk === 'UPSTREAM' && item.sk.startsWith('GOVERNOR#')) {
    const { blockedUntil = 0, breakers } = item as unknown as GovernorItem;
    return Math.max(blockedUntil, ...Object.values(breakers).map(({ probeAt }) => probeAt));
  }
  if (item.pk.startsWith('CONTRACTS#')) {
    const { parts } = item as unknown as ContractItem;
    return Math.max(0, ...Object.values(parts).map(({ retry = 0 }) => retry));
  }
  if (!item.sk.startsWith('CHANNEL#')) return 0;
  const { failure, notBefore = 0 } = item as unknown as ChannelItem;
  return failure === undefined ? 0 : notBefore;
}

/** Whether a part has failed so often that it is asked again in its contract's turn only. */
function waitsForItsTurn(item: Item): boolean {
  if (!item.pk.startsWith('CONTRACTS#')) return false;
  const { parts } = item as unknown as ContractItem;
  return Object.values(parts).some(({ fails = 0, retry }) => fails > 0 && retry === undefined);
}

/** The minutes after which each contract had its turn, if the budget lets it have one. */
function turnIn(world: RestWorld): number {
  return Math.min(cadenceOf(world), LONGEST_BACK_OFF_MINUTES - 1);
}

/** Whether what is left of the budget lets no contract be asked before long. */
function isSpent(world: RestWorld): boolean {
  return world.invariants.asking.isSpent() || cadenceOf(world) > LONGEST_BACK_OFF_MINUTES;
}

/** The most minutes between two polls of a contract, as the budget allows it. */
function cadenceOf({ table, cadenceMinutes }: RestWorld): number {
  const noted = itemsOf({ table }).find(({ pk, sk }) => pk === 'UPSTREAM' && sk === 'CADENCES');
  const { [GREEDY]: _ownFault, ...stretched } = (noted?.stretched ?? {}) as Record<string, Pace>;
  const longest = ({ minutes, halfBefore }: Pace) =>
    halfBefore === undefined ? minutes : 2 * minutes;
  return Math.max(cadenceMinutes, ...Object.values(stretched).map(longest));
}

/** Whether some contract was answered after an instant: its watches are looked at within a minute. */
function isAnsweredSince({ table }: RestWorld, instant: Instant): boolean {
  const records = itemsOf({ table }).filter(({ pk }) => pk.startsWith('CONTRACTS#'));
  return records
    .flatMap((item) => Object.values((item as unknown as ContractItem).parts))
    .some(({ asked = 0 }) => asked >= instant);
}

/** What is to come to rest: of a tenant that watches more than it gets, nothing has to. */
function itemsOf({ table }: Pick<RestWorld, 'table'>): readonly Item[] {
  return table.items().filter((item) => !isOfGreedyTenant(item));
}

type Pace = { readonly minutes: number; readonly halfBefore?: string };

type GovernorItem = {
  readonly blockedUntil?: Instant;
  readonly breakers: Readonly<Record<string, { readonly probeAt: Instant }>>;
};
type ContractItem = {
  readonly parts: Readonly<
    Record<string, { readonly asked?: Instant; readonly fails?: number; readonly retry?: Instant }>
  >;
  readonly steps?: unknown;
  readonly timers?: { readonly answer?: Instant; readonly awaited?: Instant };
  readonly suspect?: unknown;
};
type ChannelItem = { readonly failure?: unknown; readonly notBefore?: Instant };

/** Work that is not done, since when, and whether it waits for an answer of the upstream. */
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

/** Whether all that an item has to do needs an answer: a contract without steps, a watch. */
function needsAnswer(item: Item): boolean {
  if (item.pk.startsWith('CONTRACTS#')) {
    return (item as unknown as ContractItem).steps === undefined;
  }
  return item.pk.startsWith('WATCHES#');
}

/** Since when an item says that something is to be done. */
function leftSince(world: RestWorld, item: Item): Instant | undefined {
  const { delivering } = world.invariants;
  if (item.pk.startsWith('CONTRACTS#')) {
    const { steps, timers = {}, suspect } = item as unknown as ContractItem;
    if (steps !== undefined) return 0;
    // A watch in doubt waits for the price that decides about the suspect: up to 25 hours.
    const answer = suspect === undefined ? timers.answer : undefined;
    const due = [answer, timers.awaited].filter(
      (at) => at !== undefined && at <= world.timeline.now(),
    );
    return due.length === 0 || isSpent(world) ? undefined : Math.min(...due.map(Number));
  }
  if (item.pk.startsWith('INBOX#')) {
    // The key has a mark of the rank, then the time of the alert or the end of its hold.
    const since = Date.parse(item.sk.slice(1).split(/[# ]/)[0] ?? '');
    // How long a mute holds what it does is checked when all has come to rest.
    return item.sk.startsWith('~') || !delivering.isAwaited(item) ? undefined : since;
  }
  // The end of a rule makes a job, too, whenever it comes.
  if (item.pk.startsWith('JOBS#') && item.sk === 'apply') return Number(item.createdAt);
  const { dueAt } = item;
  return typeof dueAt === 'number' && dueAt <= world.timeline.now() ? dueAt : undefined;
}
