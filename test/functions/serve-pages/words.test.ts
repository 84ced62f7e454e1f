import { describe, expect, it } from 'vitest';
import { dotsOn, layOut } from '#console/collection/points-on-screen.ts';
import { snapped } from '#console/collection/price-tick.ts';
import { amount, change, dollars, percentage } from '#console/words/amounts.ts';
import { ago, dayInWords, dayOf, span, spanOf } from '#console/words/times.ts';

it.each([
  { value: '13.1436', unit: 'eth', shown: '13.1436 ETH' },
  {
    value: '12345678901234567890.000000000000000001',
    unit: 'eth',
    shown: '12,345,678,901,234,567,890.000000000000000001 ETH',
  },
  { value: '132785', unit: 'usd', shown: '$132,785' },
  { value: '-3.5', unit: '%', shown: '−3.5 %' },
  { value: '90', unit: 'minutes', shown: '90 min' },
  { value: '8.003116666666666666', unit: 'minutes', shown: '8 min' },
])('shows $value $unit as "$shown", digit by digit', ({ value, unit, shown }) => {
  expect(amount(value, unit)).toBe(shown);
});

it.each([
  ['40244.914', '$40,244.91'],
  ['731', '$731'],
  ['0.5', '$0.50'],
  ['-12.3', '−$12.30'],
])('shows %s dollars as %s', (value, shown) => {
  expect(dollars(value)).toBe(shown);
});

it.each([
  ['1.49', '+1.4 %'],
  ['-0.463', '−0.46 %'],
  ['0', '0 %'],
  ['12', '+12.0 %'],
])('shows a change of %s as %s', (value, shown) => {
  expect(change(value)).toBe(shown);
});

it('shows a share without a sign', () => {
  expect(percentage('4.12')).toBe('4.1 %');
});

it.each([
  { seconds: 0, said: 'just now' },
  { seconds: 40, said: '40 s ago' },
  { seconds: 6 * 60, said: '6 min ago' },
  { seconds: 3 * 3600, said: '3 h ago' },
  { seconds: 3 * 86_400, said: '3 d ago' },
])('says "$said" after $seconds seconds', ({ seconds, said }) => {
  expect(ago(new Date(0).toISOString(), seconds * 1000)).toBe(said);
});

it.each([
  ['654s', '10 min'],
  ['90m', '90 min'],
  ['36h', '36 h'],
  ['2d', '2 d'],
])('says a duration of the interface, %s, as %s', (duration, said) => {
  expect(spanOf(duration)).toBe(said);
});

it('has no time before nothing', () => {
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
])('makes a price a person would write of the place %s: %s', (place, price) => {
  expect(snapped(place)).toBe(price);
});

describe('prices on the axis of time', () => {
  const valuesOf = (points: Parameters<typeof layOut>[0], from = 0, to = 100_000) =>
    layOut(points, from, to).flatMap(({ value }) => (value === undefined ? [] : [value]));

  it('are at even times, however they came', () => {
    const times = layOut([{ time: 10, value: 1 }], 0, 100_000).map(({ time }) => time);
    const steps = new Set(
      times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0))),
    );

    expect([...steps]).toEqual([50]);
  });

  it('keep the extremes where they are denser than the screen', () => {
    const points = Array.from({ length: 50 }, (_, index) => ({
      time: index,
      value: index === 20 ? 99 : index === 30 ? 1 : 50,
    }));

    expect(valuesOf(points)).toEqual([50, 99, 1, 50, 50]);
  });

  it('hold the last price until the end, and one of before at the beginning', () => {
    expect(valuesOf([{ time: -500, value: 7 }])).toEqual([7, 7]);
    expect(valuesOf([])).toEqual([]);
  });

  it('have dots of sales at their own times, of several at one place the lowest', () => {
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
  ])('calls $moment $shown', ({ moment, shown }) => {
    expect(dayInWords(moment, now)).toMatch(shown);
  });

  it('begins at midnight', () => {
    expect(dayOf(at(2026, 11, 29, 0))).toBe(dayOf(at(2026, 11, 29, 23)));
    expect(dayOf(at(2026, 11, 28, 23))).not.toBe(dayOf(at(2026, 11, 29, 0)));
  });
});
