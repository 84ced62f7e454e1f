import { expect, it } from 'vitest';
import { replayWatch } from '#shared/domain/evaluation/replay-watch.ts';
import { DAY, formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { aPrice, NOON } from '#test/support/builders.ts';
import { aPolledWatch, timeOf } from '#test/support/polled-watch.ts';

const BOUNDS = { evaluations: 10_000, alerts: 100 };

/** The alerts of a replay from 12:00 on, with floors in the form `12:00 60`. */
function replayed(rule: Parameters<typeof aPolledWatch>[0], ...floors: readonly string[]) {
  const points = floors.map((line) => {
    const [clock = '', price = ''] = line.split(' ');
    return aPrice(price, { time: timeOf(clock) });
  });
  const past = new Map([['floor' as const, points]]);
  const span = { from: NOON, to: NOON + DAY };
  const { alerts } = replayWatch(aPolledWatch(rule).watch, past, span, BOUNDS);
  return alerts.map(({ dataTime, kind, value }) => `${dataTime.slice(11, 23)} ${kind} ${value}`);
}

/** Floors whose average falls by 0.1 per minute after 12:00. */
const AFTER_A_FALL = ['10:00 60', '12:00 54'] as const;
const fallen = { metric: 'floor_vs_average_pct.1h', when: 'below', threshold: '-5' } as const;

it('a replay finds the millisecond at which a moving average brings the value to the recovery threshold', () => {
  const alerts = replayed({ ...fallen, recover: '-4', keepFor: '1m' }, ...AFTER_A_FALL);

  // The average is 56.25 after 37.5 minutes.
  expect(alerts).toEqual([
    '12:00:00.000 fired -10',
    expect.stringMatching(/^12:38:30.000 recovered -3.8/),
  ]);
});

it('a replay finds the millisecond at which a rule without a recovery threshold recovers', () => {
  const alerts = replayed({ ...fallen, keepFor: '1m' }, ...AFTER_A_FALL);

  // The average is 54 / 0.95 after 31 minutes and 34.7368 seconds.
  expect(alerts).toEqual([
    '12:00:00.000 fired -10',
    expect.stringMatching(/^12:32:34.737 recovered -4.8/),
  ]);
});

it('a replay continues an episode if a moving average undoes its recovery during `keepFor`', () => {
  // The value is inside the band for ten minutes from 12:17, and again from 12:41.
  const rule = { metric: 'floor_vs_average_pct.1h', when: 'outside', low: '-2', high: '2' };
  const floors = ['11:00 100', '11:30 75', '12:00 80'];

  const endsOf = (keepFor: string) => replayed({ ...rule, keepFor }, ...floors).slice(1);
  expect(endsOf('3m')).toEqual([expect.stringMatching(/^12:20:\S+ recovered -/)]);
  expect(endsOf('20m')).toEqual([expect.stringMatching(/^13:01:\S+ recovered 0$/)]);
});

it('a replay of an average needs few evaluations, however long its episode is', () => {
  const hours = 30 * 24;
  const points = Array.from({ length: hours }, (_, hour) =>
    aPrice(hour % 2 === 0 ? '60' : '61', { time: NOON + hour * HOUR }),
  );
  const { watch } = aPolledWatch({ ...fallen, threshold: '50', made: '11:59' });
  const span = { from: NOON, to: NOON + hours * HOUR };

  const replay = replayWatch(watch, new Map([['floor', points]]), span, BOUNDS);

  expect(replay.counts).toEqual({ fired: 1 });
  expect(replay.evaluations).toBeLessThan(2 * hours);
  expect(formatInstant(replay.until)).toBe(formatInstant(span.to));
});
