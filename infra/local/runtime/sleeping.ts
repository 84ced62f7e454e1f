import { subscribe } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { earliest } from '#shared/domain/market/instant.ts';

export type Sleeping = {
  /** Ends what was to end by now; called when the clock has jumped. */
  readonly wake: () => void;
};

/** Milliseconds without a request after which a thread that sleeps does nothing else. */
const SETTLED = 20;

/**
 * Lets awaited timers of this thread end by its clock, which jumps, and reports until when it does
 * nothing but sleep; undefined once it does.
 */
export function sleepByClock(report: (until: number | undefined) => void): Sleeping {
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const requests = new Set<object>();
  let reported: number | undefined;
  let settling: NodeJS.Timeout | undefined;

  const reportChange = (until: number | undefined) => {
    if (until !== reported) report(until);
    reported = until;
  };
  const look = () => {
    clearTimeout(settling);
    if (requests.size > 0 || sleepers.size === 0) return reportChange(undefined);
    const until = earliest([...sleepers].map((sleeper) => sleeper.until));
    settling = setTimeout(reportChange, SETTLED, until);
  };

  const requestOf = (message: unknown) => (message as { readonly request: object }).request;
  subscribe('http.client.request.start', (message) => {
    requests.add(requestOf(message));
    look();
  });
  for (const end of ['http.client.response.finish', 'http.client.request.error']) {
    subscribe(end, (message) => {
      requests.delete(requestOf(message));
      look();
    });
  }

  const sleepReally = timers.setTimeout;
  timers.setTimeout = async (milliseconds = 0, value, { signal, ...options } = {}) => {
    const woken = new AbortController();
    const sleeper = { until: Date.now() + milliseconds, wake: () => woken.abort() };
    sleepers.add(sleeper);
    look();
    try {
      const signals = signal === undefined ? [woken.signal] : [woken.signal, signal];
      await sleepReally(milliseconds, undefined, { ...options, signal: AbortSignal.any(signals) });
    } catch (error) {
      if (!woken.signal.aborted) throw error;
    } finally {
      sleepers.delete(sleeper);
      look();
    }
    return value as never;
  };
  syncBuiltinESMExports();

  return {
    wake: () => {
      // The runtime counts a thread that it wakes as busy again.
      reported = undefined;
      for (const { until, wake } of sleepers) if (until <= Date.now()) wake();
      look();
    },
  };
}
