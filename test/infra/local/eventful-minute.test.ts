import { describe, expect, it } from 'vitest';
import { nextEventfulMinute } from '#infra/local/eventful-minute.ts';

const at = (time: string) => Date.parse(`2022-01-10T${time}Z`);

describe('at full speed the next tick comes', () => {
  it.each([
    { change: at('13:00'), timer: undefined, tick: '13:00', of: 'the next change' },
    { change: at('13:00:00.001'), timer: undefined, tick: '13:01', of: 'a minute not begun' },
    { change: at('12:05'), timer: undefined, tick: '12:30', of: 'what no poll sees sooner' },
    { change: at('13:00'), timer: at('12:10'), tick: '12:10', of: 'a timer' },
    { change: undefined, timer: 0, tick: '12:01', of: 'a timer that has passed' },
  ])('at $tick because of $of', ({ change, timer, tick }) => {
    const ahead = { cadenceMinutes: 30, start: at('11:30'), change, timer };

    const next = nextEventfulMinute(at('12:00'), ahead);

    expect(next).toBe(at(tick));
  });

  it('never when nothing is left to come', () => {
    const nothing = { start: at('11:30'), change: undefined, timer: undefined };

    const next = nextEventfulMinute(at('12:00'), { cadenceMinutes: 30, ...nothing });

    expect(next).toBeUndefined();
  });

  it('each minute until every contract has had its poll: before, no change is known', () => {
    const nothing = { start: at('11:31'), change: undefined, timer: undefined };

    const next = nextEventfulMinute(at('12:00'), { cadenceMinutes: 30, ...nothing });

    expect(next).toBe(at('12:01'));
  });
});
