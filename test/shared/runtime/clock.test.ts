import { expect, it } from 'vitest';
import { now, sleepUntil } from '#shared/runtime/clock.ts';

const { signal } = new AbortController();

it('waits for no moment that has passed', async () => {
  const begun = now();

  await sleepUntil(begun - 60_000, signal);
  await sleepUntil(begun, signal);

  expect(now() - begun).toBeLessThan(60_000);
});

it('stops waiting when its caller goes away', async () => {
  const gone = AbortSignal.abort(new Error('gone'));

  await expect(sleepUntil(now() + 60_000, gone)).rejects.toThrow();
});
