import { expect, it } from 'vitest';
import { barsOn, volumeBars } from '#console/collection/volume-bars.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (hour: number, price: string) => ({ time: hour * HOUR, price });

it('a bar has the last volume of its interval, which applies until the next volume', () => {
  const { width, bars } = volumeBars([at(1, '24.1'), at(1.1, '32.5'), at(2, '0')], [], 0, DAY);

  expect(width).toBe(15 * MINUTE);
  expect(bars[0]).toEqual({ time: HOUR, value: 32.5 });
  expect(bars.slice(3, 6).map(({ value }) => value)).toEqual([32.5, 0, 0]);
  expect(bars.at(-1)).toEqual({ time: DAY - width, value: 0 });
});

it('no bar is drawn before the first volume, or in a gap', () => {
  const gap = { from: 2 * HOUR, to: 4 * HOUR };
  const { bars } = volumeBars([at(1, '24.1'), at(5, '12')], [gap], 0, 6 * HOUR);
  const hours = new Set(bars.map(({ time }) => Math.floor(time / HOUR)));

  expect([...hours]).toEqual([1, 4, 5]);
});

it('a bar covers all points of the axis within its interval, except a space before the next bar', () => {
  const places = Array.from({ length: 12 }, (_, index) => ({ time: index * 5 * MINUTE }));
  const bars = [
    { time: 20 * MINUTE, value: 3 },
    { time: 40 * MINUTE, value: 0 },
  ];

  const drawn = barsOn({ width: 20 * MINUTE, bars }, places);

  expect(drawn.map(({ time, value }) => `${time / MINUTE}: ${value}`)).toEqual([
    ...['20: 3', '25: 3', '30: 3'],
    ...['40: 0', '45: 0', '50: 0'],
  ]);
});
