import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenParentEnds } from '#infra/local/parent-process.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('whenParentEnds calls back once, when the parent process has ended', () => {
  const onEnd = vi.fn();
  let parent = 7;
  whenParentEnds(onEnd, () => parent, 500);

  vi.advanceTimersByTime(5000);
  const whileItLived = onEnd.mock.calls.length;
  parent = 1;
  vi.advanceTimersByTime(5000);

  expect(whileItLived).toBe(0);
  expect(onEnd).toHaveBeenCalledTimes(1);
});
