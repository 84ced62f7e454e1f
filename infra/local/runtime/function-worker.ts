import { enableCompileCache, flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { nowOf } from './clock.ts';
import { sleepByClock } from './sleeping.ts';

/** One instance of a function: imports its handler and answers one event after another. */

const { handlerUrl, clock } = z
  .object({ handlerUrl: z.string(), clock: z.instanceof(SharedArrayBuffer) })
  .parse(workerData);

const Handler = z.object({
  handler: z.custom<(event: unknown, context: object) => Promise<unknown>>(
    (value) => typeof value === 'function',
    'the module exports no handler',
  ),
});

const Call = z.object({
  event: z.unknown(),
  context: z.record(z.string(), z.unknown()),
  /** Real time, as timers are. */
  deadline: z.number(),
});
const Message = z.union([Call, z.literal('wake')]);

const realNow = Date.now.bind(Date);
setDate(nowOf(clock, realNow));
const sleeping = sleepByClock((asleepUntil) => parentPort?.postMessage({ asleepUntil }));

// The instances of a function, and the next run, spare each other the compiling.
enableCompileCache();
const handling = import(handlerUrl).then((module: unknown) => Handler.parse(module).handler);
handling
  .then(
    () => flushCompileCache(),
    () => {},
  )
  .finally(() => parentPort?.postMessage({ isImported: true }));

parentPort?.on('message', (message: unknown) => {
  const call = Message.parse(message);
  if (call === 'wake') return sleeping.wake();
  const { event, context, deadline } = call;
  const getRemainingTimeInMillis = () => deadline - realNow();
  handling
    .then((handler) => handler(event, { ...context, getRemainingTimeInMillis }))
    .then(
      (result) => parentPort?.postMessage({ result: JSON.stringify(result) }),
      (error: unknown) => parentPort?.postMessage({ error: describe(error) }),
    );
});

function describe(error: unknown): { name: string; message: string; stack: string } {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack: stack ?? '' };
}

/** Gives this thread the virtual clock: `new Date()` and `Date.now()`. Timers with callbacks stay real. */
function setDate(now: () => number): void {
  Date.now = now;
  const virtual = new Proxy(Date, {
    apply: () => new Date().toString(),
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  });
  Date.prototype.constructor = virtual;
  globalThis.Date = virtual;
}
