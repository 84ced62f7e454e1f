import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createClock, passTime } from '#infra/local/runtime/clock.ts';

const noon = Date.parse('2022-01-10T12:00:00Z');
const hour = 3_600_000;

describe('the clock', () => {
  it('the clock starts at the given time and never runs backwards', () => {
    const clock = createClock(noon);

    clock.advanceTo(noon + hour);
    clock.advanceTo(noon);

    expect(clock.now()).toBeGreaterThanOrEqual(noon + hour);
    expect(clock.now()).toBeLessThan(noon + hour + 10_000);
  });
});

describe('passing time', () => {
  it('at full speed time jumps from event to event, and ends after the last one', async () => {
    const clock = createClock(noon);
    const instants = [noon + hour, noon + 24 * hour];
    const seen: string[] = [];

    const end = await passTime(
      clock,
      {
        speed: Number.POSITIVE_INFINITY,
        next: async () => instants.shift(),
        quiet: async () => {},
        happen: () => seen.push(new Date(clock.now()).toISOString().slice(0, 16)),
      },
      new AbortController().signal,
    );

    expect(end).toBe('ended');
    expect(seen).toEqual(['2022-01-10T13:00', '2022-01-11T12:00']);
  });

  it('time does not jump while work is running', async () => {
    const clock = createClock(noon);
    const work = Promise.withResolvers<void>();
    const instants = [noon + hour];

    const passing = passTime(
      clock,
      {
        speed: Number.POSITIVE_INFINITY,
        next: async () => instants.shift(),
        quiet: () => work.promise,
        happen: () => {},
      },
      new AbortController().signal,
    );
    await delay(0);
    const during = clock.now();
    work.resolve();
    await passing;

    expect(during).toBeLessThan(noon + hour);
    expect(clock.now()).toBeGreaterThanOrEqual(noon + hour);
  });

  it('time does not jump at speed 1', async () => {
    const clock = createClock();
    const advanceTo = vi.fn();
    const instants = [clock.now() + 20];

    await passTime(
      { ...clock, advanceTo },
      { speed: 1, next: async () => instants.shift(), quiet: async () => {}, happen: () => {} },
      new AbortController().signal,
    );

    expect(advanceTo).not.toHaveBeenCalled();
  });

  it('time stops immediately when its signal is aborted', async () => {
    const stopping = new AbortController();

    const passing = passTime(
      createClock(noon),
      { speed: 60, next: async () => noon + hour, quiet: async () => {}, happen: () => {} },
      stopping.signal,
    );
    stopping.abort();

    expect(await passing).toBe('stopped');
  });
});
