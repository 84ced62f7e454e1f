import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { startLocalStack } from '#test/support/local-stack.ts';

/** A stack that has lived through some time, up to now, and does nothing more but answer. */
export type LivedStack = AsyncDisposable & { readonly url: string; readonly apiKey: string };

const Status = z.object({ time: z.iso.datetime() });

/** Starts one; gives up where it is not ready after some seconds. */
export async function openLivedStack(minutes: number, patience: number): Promise<LivedStack> {
  const end = Math.floor(Date.now() / 60_000) * 60_000;
  const from = new Date(end - minutes * 60_000).toISOString();
  const to = new Date(end).toISOString();
  const stack = startLocalStack(['--tour', '--from', from, '--to', to, '--speed', 'max']);
  try {
    const until = AbortSignal.timeout(patience * 1000);
    const { value } = await Promise.race([stack.events.next(), aborted(until)]);
    if (value?.event !== 'ready') throw new Error('the stack did not get ready');
    const { url, apiKey } = value;
    // Its lines are read, so that it is never kept waiting.
    void (async () => {
      for (let line = await stack.events.next(); line.done !== true; )
        line = await stack.events.next();
    })();
    while (Date.parse(await timeAt(url, until)) < end) await wait(250);
    // Nothing of it is kept.
    return { url, apiKey, [Symbol.asyncDispose]: async () => stack.kill() };
  } catch (error) {
    stack.kill();
    throw error;
  }
}

async function timeAt(url: string, signal: AbortSignal): Promise<string> {
  // While it is busy it may close a connection that is kept, just when it is asked again.
  const status = await fetch(`${url}/local/status`, { signal, headers: { connection: 'close' } });
  return Status.parse(await status.json()).time;
}

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the stack took too long')));
  });
}
