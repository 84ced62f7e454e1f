import { describe, expect, it } from 'vitest';
import { nextMinuteWithWork } from '#infra/local/next-minute-with-work.ts';

const at = (time: string) => Date.parse(`2022-01-10T${time}Z`);

describe('the next tick at full speed', () => {
  it.each([
    { change: at('13:00'), timer: undefined, tick: '13:00', of: 'the next change' },
    {
      change: at('13:00:00.001'),
      timer: undefined,
      tick: '13:01',
      of: 'the first full minute after the next change',
    },
    {
      change: at('12:05'),
      timer: undefined,
      tick: '12:30',
      of: 'a cadence that ends after the next change',
    },
    { change: at('13:00'), timer: at('12:10'), tick: '12:10', of: 'a timer' },
    { change: undefined, timer: 0, tick: '12:01', of: 'a timer that has passed' },
  ])('at full speed the next tick is at $tick because of $of', ({ change, timer, tick }) => {
    const ahead = { cadenceMinutes: 30, start: at('11:30'), change, timer };

    const next = nextMinuteWithWork(at('12:00'), ahead);

    expect(next).toBe(at(tick));
  });

  it('at full speed there is no next tick if no event is left', () => {
    const nothing = { start: at('11:30'), change: undefined, timer: undefined };

    const next = nextMinuteWithWork(at('12:00'), { cadenceMinutes: 30, ...nothing });

    expect(next).toBeUndefined();
  });

  it('at full speed every minute has a tick until all contracts were polled and the next change is known', () => {
    const nothing = { start: at('11:31'), change: undefined, timer: undefined };

    const next = nextMinuteWithWork(at('12:00'), { cadenceMinutes: 30, ...nothing });

    expect(next).toBe(at('12:01'));
  });
});
