import { expect, it } from 'vitest';
import { candleWidth, groupIntoCandles } from '#console/collection/candles.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (hour: number, price: string) => ({ time: hour * HOUR, price });

it.each([
  { span: HOUR, width: MINUTE },
  { span: DAY, width: 15 * MINUTE },
  { span: 7 * DAY, width: 2 * HOUR },
  { span: 30 * DAY, width: 12 * HOUR },
  { span: 365 * DAY, width: 7 * DAY },
  { span: 3650 * DAY, width: 35 * DAY },
])('a span of $span ms has at most 120 candles, of $width ms each', ({ span, width }) => {
  expect(candleWidth(0, span)).toBe(width);
});

it('a candle has the first, highest, lowest and last floor, as exact text', () => {
  const quotes = [
    at(24.5, '10.10'),
    at(25, '12'),
    at(25.5, '9.000000000000000001'),
    at(25.9, '11'),
  ];

  const candles = groupIntoCandles(quotes, [], 0, 7 * DAY);

  expect(candles[12]).toEqual({
    ...{ time: DAY, open: '10.10', high: '12', low: '9.000000000000000001', close: '11' },
  });
  expect(candles[11]).toEqual({ time: 22 * HOUR });
});

it('a floor applies until the next floor, so a candle opens at the close of the previous candle', () => {
  const candles = groupIntoCandles([at(1, '10'), at(5, '8')], [], 0, 7 * DAY);

  expect(candles.slice(1, 3)).toEqual([
    { time: 2 * HOUR, open: '10', high: '10', low: '10', close: '10' },
    { time: 4 * HOUR, open: '10', high: '10', low: '8', close: '8' },
  ]);
});

it('a stretch without prices has no candle', () => {
  const gap = { from: 2 * HOUR, to: 6.5 * HOUR };

  const candles = groupIntoCandles([at(1, '10'), at(6.5, '8')], [gap], 0, 7 * DAY);

  expect(candles.slice(1, 4)).toEqual([
    { time: 2 * HOUR },
    { time: 4 * HOUR },
    { time: 6 * HOUR, open: '10', high: '10', low: '8', close: '8' },
  ]);
});

it('a floor from before the span opens its first candle', () => {
  const [first] = groupIntoCandles([at(-5, '10')], [], 0, DAY);

  expect(first).toMatchObject({ time: 0, open: '10', close: '10' });
});
