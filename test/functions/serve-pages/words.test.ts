import { describe, expect, it } from 'vitest';
import { dotsOn, layOut } from '#console/collection/points-on-screen.ts';
import { snapped } from '#console/collection/price-tick.ts';
import { amount, change, dollars, percentage } from '#console/words/amounts.ts';
import { ago, calendarDay, dayInWords, span, spanInWords } from '#console/words/times.ts';

it.each([
  { value: '13.1436', unit: 'eth', shown: '13.1436 ETH' },
  {
    value: '12345678901234567890.000000000000000001',
    unit: 'eth',
    shown: '12,345,678,901,234,567,890.000000000000000001 ETH',
  },
  { value: '132785', unit: 'usd', shown: '$132,785' },
  { value: '-3.5', unit: '%', shown: '−3.5%' },
  { value: '90', unit: 'minutes', shown: '90 min' },
  { value: '8.003116666666666666', unit: 'minutes', shown: '8 min' },
])('the amount $value $unit is shown as "$shown", digit by digit', ({ value, unit, shown }) => {
  expect(amount(value, unit)).toBe(shown);
});

it.each([
  ['40244.914', '$40,244.91'],
  ['731', '$731'],
  ['0.5', '$0.50'],
  ['-12.3', '−$12.30'],
])('%s dollars are shown as %s', (value, shown) => {
  expect(dollars(value)).toBe(shown);
});

it.each([
  ['1.49', '+1.4%'],
  ['-0.463', '−0.46%'],
  ['0', '0%'],
  ['12', '+12.0%'],
])('a change of %s is shown as %s', (value, shown) => {
  expect(change(value)).toBe(shown);
});

it('a percentage is shown without a sign', () => {
  expect(percentage('4.12')).toBe('4.1%');
});

it.each([
  { seconds: 0, said: 'just now' },
  { seconds: 40, said: '40 s ago' },
  { seconds: 6 * 60, said: '6 min ago' },
  { seconds: 3 * 3600, said: '3 h ago' },
  { seconds: 3 * 86_400, said: '3 d ago' },
])('an age of $seconds seconds is shown as "$said"', ({ seconds, said }) => {
  expect(ago(new Date(0).toISOString(), seconds * 1000)).toBe(said);
});

it.each([
  ['654s', '10 min'],
  ['90m', '90 min'],
  ['36h', '36 h'],
  ['2d', '2 d'],
])('a duration of %s is shown as %s', (duration, said) => {
  expect(spanInWords(duration)).toBe(said);
});

it('a negative duration is shown as 0 s', () => {
  expect(span(-5)).toBe('0 s');
});

it.each([
  [13.463_41, '13.46'],
  [0.242_91, '0.2429'],
  [132_785.4, '132800'],
  [9.999_96, '10'],
  [1, '1'],
  [1e-7, '0.0000001'],
  [0, '0'],
  [-3, '0'],
])('the dragged price %s snaps to the rounded price %s', (place, price) => {
  expect(snapped(place)).toBe(price);
});

describe('prices on the time axis', () => {
  const valuesOf = (points: Parameters<typeof layOut>[0], from = 0, to = 100_000) =>
    layOut(points, from, to).flatMap(({ value }) => (value === undefined ? [] : [value]));

  it('points on the time axis have equal intervals, whatever the times of the prices', () => {
    const times = layOut([{ time: 10, value: 1 }], 0, 100_000).map(({ time }) => time);
    const steps = new Set(
      times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0))),
    );

    expect([...steps]).toEqual([50]);
  });

  it('the time axis keeps the extremes if there are more prices than pixels', () => {
    const points = Array.from({ length: 50 }, (_, index) => ({
      time: index,
      value: index === 20 ? 99 : index === 30 ? 1 : 50,
    }));

    expect(valuesOf(points)).toEqual([50, 99, 1, 50, 50]);
  });

  it('the time axis continues the last price to its end, and begins with the last price before its start', () => {
    expect(valuesOf([{ time: -500, value: 7 }])).toEqual([7, 7]);
    expect(valuesOf([])).toEqual([]);
  });

  it('the dot of a sale is on a point of the time axis, and several sales at a point are shown as the lowest', () => {
    const times = new Set(layOut([], 0, 100_000).map(({ time }) => time));

    const dots = dotsOn(
      [
        { time: 40_010, value: 3 },
        { time: 40_012, value: 2 },
        { time: 90_000, value: 5 },
        { time: 100_000, value: 6 },
        { time: -1, value: 1 },
      ],
      0,
      100_000,
    );

    expect(dots.map(({ value }) => value)).toEqual([2, 5, 6]);
    expect(dots.every(({ time }) => times.has(time))).toBe(true);
  });
});

describe('days, in the time zone of the reader', () => {
  const at = (year: number, month: number, day: number, hour: number) =>
    new Date(year, month - 1, day, hour).toISOString();
  const now = Date.parse(at(2026, 11, 29, 9));

  it.each([
    { moment: at(2026, 11, 29, 0), shown: /^Today$/ },
    { moment: at(2026, 11, 28, 23), shown: /^Yesterday$/ },
    { moment: at(2026, 11, 27, 12), shown: /^Fri.*27/ },
    { moment: at(2025, 11, 29, 9), shown: /^Sat.*2025/ },
  ])('the day of $moment is called $shown', ({ moment, shown }) => {
    expect(dayInWords(moment, now)).toMatch(shown);
  });

  it('a day begins at midnight', () => {
    expect(calendarDay(at(2026, 11, 29, 0))).toBe(calendarDay(at(2026, 11, 29, 23)));
    expect(calendarDay(at(2026, 11, 28, 23))).not.toBe(calendarDay(at(2026, 11, 29, 0)));
  });
});
