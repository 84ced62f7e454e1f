import { expect, it } from 'vitest';
import { now, sleepUntil } from '#shared/runtime/clock.ts';

const { signal } = new AbortController();

it('the clock does not wait for an instant in the past', async () => {
  const begun = now();

  await sleepUntil(begun - 60_000, signal);
  await sleepUntil(begun, signal);

  expect(now() - begun).toBeLessThan(60_000);
});

it('the clock stops waiting when the signal of the caller aborts', async () => {
  const gone = AbortSignal.abort(new Error('gone'));

  await expect(sleepUntil(now() + 60_000, gone)).rejects.toThrow();
});
