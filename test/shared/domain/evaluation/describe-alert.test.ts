import { expect, it } from 'vitest';
import { describeAlert } from '#shared/domain/evaluation/describe-alert.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { aPrice, aWatch, eth, NOON } from '#test/support/builders.ts';

it.each([
  ['180000', 'In dollars: $180,000.00, 0.0 %'],
  ['189000', 'In dollars: $189,000.00, +5.0 % (the price of ETH +5.0 %)'],
])('reports how much of a move is the exchange rate, where it has moved: to $%s', (usd, line) => {
  const known = (price: PricePoint) => new Map([['floor' as const, [price]]]);
  const now = known(aPrice('60', { usd: eth(usd) }));
  const before = { known: known(aPrice('60', { usd: eth('180000') })), time: NOON };
  const cause = { time: NOON, known: now, before, late: false, now: NOON, all: now };

  const { text } = describeAlert(aWatch(), 'fired', 1, cause);

  expect(text.split('\n')).toContain(line);
});
