import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { startLocalStack } from '#test/support/local-stack.ts';

/** A stack that has simulated some hours up to now, and then only answers requests. */
export type LivedStack = AsyncDisposable & { readonly url: string; readonly apiKey: string };

const Status = z.object({ time: z.iso.datetime() });

/**
 * Starts a stack that has simulated this number of minutes. Throws if it is not ready after the
 * given number of seconds.
 */
export async function openLivedStack(minutes: number, timeoutSeconds: number): Promise<LivedStack> {
  const end = Math.floor(Date.now() / 60_000) * 60_000;
  const from = new Date(end - minutes * 60_000).toISOString();
  const to = new Date(end).toISOString();
  const stack = startLocalStack(['--tour', '--from', from, '--to', to, '--speed', 'max']);
  try {
    const until = AbortSignal.timeout(timeoutSeconds * 1000);
    const { value } = await Promise.race([stack.events.next(), aborted(until)]);
    if (value?.event !== 'ready') throw new Error('the stack did not get ready');
    const { url, apiKey } = value;
    // Reads the output continuously, so that the stack never blocks.
    void (async () => {
      for (let line = await stack.events.next(); line.done !== true; )
        line = await stack.events.next();
    })();
    while (Date.parse(await timeAt(url, until)) < end) await wait(250);
    // The stack stores nothing, so it may be killed.
    return { url, apiKey, [Symbol.asyncDispose]: async () => stack.kill() };
  } catch (error) {
    stack.kill();
    throw error;
  }
}

async function timeAt(url: string, signal: AbortSignal): Promise<string> {
  // A busy stack may close a keep-alive connection just when the next request is sent.
  const status = await fetch(`${url}/local/status`, { signal, headers: { connection: 'close' } });
  return Status.parse(await status.json()).time;
}

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the stack took too long')));
  });
}
