import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outside } from '#shared/outside/outside.ts';

/** Tracks work in progress and work that waits for a later time. The caller moves the clock. */
export type WorldTime = {
  /** Runs an invocation. */
  readonly during: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Makes a call from an invocation to another service. */
  readonly calling: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly sleepUntil: Outside['sleepUntil'];
  /** Runs a callback at a point in time. */
  readonly at: (instant: Instant, work: () => void) => void;
  /** Resolves when no invocation is in progress, except those that only sleep. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /** The earliest time for which work waits. */
  readonly asleepUntil: () => Instant | undefined;
  /** Resumes all work that is due. */
  readonly wake: () => void;
};

type Invocation = { calls: number; sleeping: number };
type Sleeper = { readonly instant: Instant; readonly wake: () => void };

/**
 * With `clockRuns`, the clock runs by itself, at least as fast as real time, so sleeping
 * invocations resume without a call to `wake`.
 */
export function createWorldTime(now: () => Instant, clockRuns = false): WorldTime {
  const invocations = new Set<Invocation>();
  const current = new AsyncLocalStorage<Invocation>();
  const sleepers = new Set<Sleeper>();
  let changed = Promise.withResolvers<void>();

  const add = (sleeper: Sleeper) => {
    sleepers.add(sleeper);
    if (!clockRuns) return;
    const timer = setTimeout(() => {
      if (sleepers.delete(sleeper)) sleeper.wake();
    }, sleeper.instant - now());
    timer.unref();
  };

  const noticeChange = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  /**
   * A sleeping invocation counts as idle only if it has no call in progress: the sleep may be just
   * the timeout of that call.
   */
  const isQuiet = () =>
    [...invocations].every(({ calls, sleeping }) => sleeping > 0 && calls === 0);

  return {
    during: async (work) => {
      const invocation = { calls: 0, sleeping: 0 };
      invocations.add(invocation);
      try {
        return await current.run(invocation, work);
      } finally {
        invocations.delete(invocation);
        noticeChange();
      }
    },

    calling: async (work) => {
      const invocation = current.getStore();
      if (invocation === undefined) return await work();
      invocation.calls += 1;
      try {
        return await work();
      } finally {
        invocation.calls -= 1;
        noticeChange();
      }
    },

    sleepUntil: async (instant, signal) => {
      signal.throwIfAborted();
      if (instant <= now()) return;
      const invocation = current.getStore();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { instant, wake: resolve };
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      add(sleeper);
      if (invocation !== undefined) invocation.sleeping += 1;
      noticeChange();
      try {
        await promise;
      } finally {
        sleepers.delete(sleeper);
        if (invocation !== undefined) invocation.sleeping -= 1;
        signal.removeEventListener('abort', abort);
      }
    },

    at: (instant, work) => {
      add({ instant, wake: work });
    },

    quiet: async (signal) => {
      while (!signal.aborted) {
        const change = changed.promise;
        // First runs all code that waits for neither a call nor the clock.
        await setImmediate();
        if (isQuiet()) return;
        const aborted = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => aborted.resolve(), { once: true });
        await Promise.race([change, aborted.promise]);
      }
    },

    asleepUntil: () => {
      const instants = [...sleepers].map(({ instant }) => instant);
      return instants.length === 0 ? undefined : Math.min(...instants);
    },

    wake: () => {
      const due = [...sleepers].filter(({ instant }) => instant <= now());
      for (const sleeper of due.toSorted((one, other) => one.instant - other.instant)) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
