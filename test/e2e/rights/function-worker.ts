import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { earliest } from '#shared/domain/market/instant.ts';

/** The thread of one function: it imports the handler, and answers events in virtual time. */

/** The shortest wait in virtual time, in milliseconds. Shorter waits pass in real time. */
const LONG = 1000;
/** Milliseconds between two reads of the virtual clock. */
const LOOKED_AGAIN_AFTER = 10;

const { handlerUrl, offset } = z
  .object({ handlerUrl: z.string(), offset: z.instanceof(BigInt64Array) })
  .parse(workerData);
const Handler = z.object({
  handler: z.custom<(event: unknown, context: object) => Promise<unknown>>(
    (value) => typeof value === 'function',
    'the module exports no handler',
  ),
});
const Call = z.object({
  id: z.number(),
  event: z.unknown(),
  context: z.record(z.string(), z.unknown()),
  timeoutMs: z.number(),
});

const realNow = Date.now.bind(Date);
const sleepReally = timers.setTimeout;
const sleepers = new Set<number>();
useVirtualDate(() => realNow() + Number(Atomics.load(offset, 0)));
useVirtualSleep();

const { handler } = Handler.parse(await import(handlerUrl));
parentPort?.on('message', (message: unknown) => {
  const { id, event, context, timeoutMs } = Call.parse(message);
  const deadline = realNow() + timeoutMs;
  const getRemainingTimeInMillis = () => deadline - realNow();
  handler(event, { ...context, getRemainingTimeInMillis }).then(
    (result) => parentPort?.postMessage({ id, result: JSON.stringify(result) }),
    (error: unknown) => {
      const said = error instanceof Error ? error.stack : String(error);
      parentPort?.postMessage({ id, error: said });
    },
  );
});

function useVirtualDate(now: () => number): void {
  Date.now = now;
  const virtual = new Proxy(Date, {
    apply: () => new Date().toString(),
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  });
  Date.prototype.constructor = virtual;
  globalThis.Date = virtual;
}

/** A long wait ends when the virtual clock, which the test advances, passes the end of the wait. */
function useVirtualSleep(): void {
  timers.setTimeout = async (milliseconds = 0, value, options = {}) => {
    if (milliseconds < LONG) return await sleepReally(milliseconds, value, options);
    const until = Date.now() + milliseconds;
    sleepers.add(until);
    reportSleep();
    try {
      while (Date.now() < until) await sleepReally(LOOKED_AGAIN_AFTER, undefined, options);
    } finally {
      sleepers.delete(until);
      reportSleep();
    }
    return value as never;
  };
  syncBuiltinESMExports();
}

function reportSleep(): void {
  parentPort?.postMessage({ asleepUntil: earliest([...sleepers]) });
}
