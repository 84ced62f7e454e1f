import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

/** How an invocation ended for its caller. */
type Ending = 'done' | 'failed' | 'died';

/** Reasons why the work of an invocation may be done twice, or by another invocation. */
type Disturbance =
  | 'crash'
  | 'freeze'
  | 'zombie'
  | 'timeout'
  | 'refusal of the table'
  | 'unknown answer of the table'
  | 'failed send to a queue'
  | 'unknown answer of a destination';

/** One run of a function. Each call through a port may be its last. */
export type Invocation = {
  readonly id: number;
  readonly function: string;
  readonly startedAt: Instant;
  readonly deadline: Instant;
  /**
   * The first fault of the invocation, if any. The work of a disturbed invocation may be repeated.
   */
  disturbance: Disturbance | undefined;
  /** Whether the caller considers the invocation ended. A zombie invocation still continues. */
  isOver: boolean;
  /** Whether the invocation has stopped for good. */
  isDead: boolean;
  frozenUntil: Instant;
};

export type Sandboxes = {
  /** Starts a function. `ended` is called once, at its end or its timeout. */
  readonly start: (
    name: string,
    timeoutSeconds: number,
    work: (invocation: Invocation) => Promise<unknown>,
    ended: (how: Ending, error?: unknown) => void,
  ) => void;
  /**
   * Makes a call from an invocation. The effect happens after `latency`, and its result arrives at
   * once.
   */
  readonly call: <Result>(
    invocation: Invocation,
    port: string,
    effect: () => Promise<Result>,
    latency?: number,
  ) => Promise<Result>;
  readonly sleepUntil: (invocation: Invocation, instant: Instant) => Promise<void>;
  /** Invocations that can still do something. */
  readonly alive: () => number;
  /** End of the longest freeze of a running invocation. */
  readonly frozenUntil: () => Instant;
};

export type SandboxWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly trace: (line: string) => void;
  readonly broken: (invariant: string, what: string) => void;
  /** Called before each call of an invocation. */
  readonly called: (by: string, port: string) => void;
  /** Called when an invocation ends or freezes at a call. */
  readonly met: (what: 'crash' | 'freeze' | 'zombie' | 'timeout', port: string) => void;
};

const LONGEST_FREEZE_SECONDS = 400;

export function createSandboxes(world: SandboxWorld): Sandboxes {
  const { timeline, faults, schedule } = world;
  const alive = new Set<Invocation>();
  const zombies = new Set<Invocation>();
  const endings = new Map<Invocation, (how: Ending, error?: unknown) => void>();
  const underWay = new Map<Invocation, Set<symbol>>();
  let started = 0;

  const end = (invocation: Invocation, how: Ending, error?: unknown) => {
    if (invocation.isOver) return;
    invocation.isOver = true;
    world.trace(`${invocation.id} ${invocation.function} ${how}`);
    endings.get(invocation)?.(how, error);
    endings.delete(invocation);
  };
  const die = (invocation: Invocation) => {
    invocation.isDead = true;
    alive.delete(invocation);
    end(invocation, 'died');
  };
  const goesOn = (invocation: Invocation, { description }: symbol) =>
    world.broken(
      'no call outlives its invocation',
      `${invocation.id} ${invocation.function}: ${description}`,
    );
  const finish = (invocation: Invocation, how: Ending, error?: unknown) => {
    const calls = invocation.isDead ? [] : (underWay.get(invocation) ?? []);
    for (const call of calls) goesOn(invocation, call);
    underWay.delete(invocation);
    alive.delete(invocation);
    end(invocation, how, error);
  };

  /** Draws how a call ends for its caller. */
  const drawFate = (invocation: Invocation, port: string) => {
    const crash = (['crashBefore', 'crashAfter'] as const).find((name) => faults.strikes(name));
    const freeze = (['freeze', 'zombie'] as const).find((name) => faults.strikes(name));
    if (crash !== undefined) {
      world.met('crash', port);
      invocation.disturbance ??= 'crash';
    }
    if (freeze !== undefined) {
      world.met(freeze, port);
      invocation.disturbance ??= freeze;
      const seconds = schedule.between(10, LONGEST_FREEZE_SECONDS);
      invocation.frozenUntil = timeline.now() + seconds * SECOND;
      if (freeze === 'zombie') zombies.add(invocation);
    }
    return crash;
  };

  return {
    alive: () => alive.size,
    frozenUntil: () => Math.max(0, ...[...alive].map(({ frozenUntil }) => frozenUntil)),

    start: (name, timeoutSeconds, work, ended) => {
      started += 1;
      const deadline = timeline.now() + timeoutSeconds * SECOND;
      const invocation: Invocation = {
        id: started,
        function: name,
        startedAt: timeline.now(),
        deadline,
        disturbance: undefined,
        isOver: false,
        isDead: false,
        frozenUntil: 0,
      };
      alive.add(invocation);
      endings.set(invocation, ended);
      world.trace(`${invocation.id} ${name} starts`);
      timeline.at(deadline, () => {
        if (invocation.isOver) return false;
        invocation.disturbance ??= 'timeout';
        if (zombies.has(invocation)) {
          end(invocation, 'died');
        } else {
          world.met('timeout', name);
          die(invocation);
        }
        return false;
      });
      work(invocation).then(
        () => finish(invocation, 'done'),
        (error: unknown) => finish(invocation, 'failed', error),
      );
    },

    call: <Result>(
      invocation: Invocation,
      port: string,
      effect: () => Promise<Result>,
      latency = schedule.between(2, 12),
    ) => {
      const { promise, resolve } = Promise.withResolvers<{ readonly result: Promise<Result> }>();
      const jobFor = (how: string) => world.trace(`${invocation.id} ${port} ${how}`);
      const answer = promise.then(({ result }) => result);
      if (invocation.isDead) return answer;
      world.called(invocation.function, port);
      const fate = drawFate(invocation, port);
      const made = Symbol(port);
      const calls = underWay.get(invocation) ?? new Set();
      if (!isRead(port)) {
        underWay.set(invocation, calls.add(made));
        if (invocation.isOver && !zombies.has(invocation)) goesOn(invocation, made);
      }
      let hasStoodStill = false;
      const happen = () => {
        if (!invocation.isDead && timeline.now() < invocation.frozenUntil) {
          hasStoodStill = true;
          timeline.at(invocation.frozenUntil, happen);
          return false;
        }
        // A request of a terminated function may still arrive, but not minutes later.
        const isLost = invocation.isDead && (hasStoodStill || schedule.happens(0.5));
        if (fate === 'crashBefore' || isLost) {
          jobFor('lost');
          die(invocation);
          return false;
        }
        calls.delete(made);
        const result = effect();
        result.then(
          () => jobFor('done'),
          (error: unknown) => jobFor(error instanceof Error ? error.name : 'refused'),
        );
        if (fate === 'crashAfter') die(invocation);
        if (!invocation.isDead) resolve({ result });
        return true;
      };
      timeline.at(timeline.now() + latency, happen);
      return answer;
    },

    sleepUntil: (invocation, instant) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => {
        if (invocation.isDead) return false;
        if (timeline.now() < invocation.frozenUntil) {
          timeline.at(invocation.frozenUntil, wake);
          return false;
        }
        resolve();
        return true;
      };
      if (instant <= timeline.now()) resolve();
      else timeline.at(instant, wake);
      return promise;
    },
  };
}

/** Reads may outlive their invocation, because they change nothing. */
function isRead(port: string): boolean {
  return /^(get|query|thresholdIndex|due|parameter) /.test(`${port} `);
}
