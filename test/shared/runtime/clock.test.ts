import { expect, it, onTestFinished, vi } from 'vitest';
import { now, sleepUntil, wallClockOfLocalStack } from '#shared/runtime/clock.ts';

const { signal } = new AbortController();

it('reports the time outside of a local stack, whatever time is played within', () => {
  const begun = now();
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });

  expect(now()).toBe(0);
  expect(Math.abs(wallClockOfLocalStack() - begun)).toBeLessThan(60_000);
});

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
