import { expect, it } from 'vitest';
import { now, sleepUntil, takesTurns } from '#shared/runtime/clock.ts';

const { signal } = new AbortController();

it('waits for no moment that has passed', async () => {
  const begun = now();

  await sleepUntil(begun - 60_000, signal);
  await sleepUntil(begun, signal);

  expect(now() - begun).toBeLessThan(1000);
});

it('stops waiting when its caller goes away', async () => {
  const gone = AbortSignal.abort(new Error('gone'));

  await expect(sleepUntil(now() + 60_000, gone)).rejects.toThrow();
});

it('gives the first its turn at once, and the next after the pause', async () => {
  const takeTurn = takesTurns(40);
  const begun = performance.now();

  const turns: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await takeTurn(signal);
    turns.push(performance.now() - begun);
  }

  expect(turns[0]).toBeLessThan(35);
  expect(turns[1]).toBeGreaterThanOrEqual(39);
  expect(turns[2]).toBeGreaterThanOrEqual(78);
});
