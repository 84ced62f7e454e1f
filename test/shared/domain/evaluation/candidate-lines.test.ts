import { describe, expect, it } from 'vitest';
import { candidateLines, valuesIn } from '#shared/domain/evaluation/candidate-lines.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { aPrice, eth, NOON } from '#test/support/builders.ts';

const linesOf = (when: 'below' | 'above', ...values: readonly string[]) =>
  candidateLines(values.map(eth), when).map(formatDecimal);

describe('candidate lines', () => {
  it('offers round candidate lines for "below" from the lowest value up to, but excluding, the last one', () => {
    expect(linesOf('below', '70', '52.3', '60', '60')).toEqual([
      ...['52.3', '53', '54', '55', '56', '57', '58', '59'],
    ]);
  });

  it('offers round candidate lines for "above" from the highest value down to, but excluding, the last one', () => {
    expect(linesOf('above', '10', '13.1', '12')).toEqual([
      '13.1',
      '13',
      '12.8',
      '12.6',
      '12.4',
      '12.2',
    ]);
  });

  it('starts the candidate lines at the extreme, rounded inward to a thousandth of the range', () => {
    expect(linesOf('below', '50.123456', '60')[0]).toBe('50.13');
    expect(linesOf('below', '50', '58')).toEqual([
      ...['50', '51', '52', '53', '54', '55', '56', '57'],
    ]);
  });

  it.each([
    ['a price that never moved', ['60', '60']],
    ['a price at its minimum', ['70', '60']],
    ['no prices', []],
  ])('offers no candidate lines for %s', (_, values) => {
    expect(linesOf('below', ...values)).toEqual([]);
  });

  it('rounds candidate lines toward the last value, also for negative numbers', () => {
    expect(linesOf('below', '-8.5', '-1')).toEqual([
      ...['-8.5', '-8', '-7', '-6', '-5', '-4', '-3', '-2'],
    ]);
    expect(linesOf('above', '-1.5', '-9')).toEqual([
      ...['-1.5', '-2', '-3', '-4', '-5', '-6', '-7', '-8'],
    ]);
  });
});

describe('the values of a time range', () => {
  const hours = (...prices: readonly string[]) =>
    new Map([
      ['floor', prices.map((price, hour) => aPrice(price, { time: NOON + hour * HOUR }))] as const,
    ]);

  it('measures a metric at each price of the range, and reads its window from earlier prices', () => {
    const quantity = { metric: 'floor_change_pct.1h', unit: 'eth' } as const;
    const span = { from: NOON + HOUR, to: NOON + 2 * HOUR };

    const values = valuesIn(quantity, hours('10', '20', '30', '60'), span);

    expect(values.map(formatDecimal)).toEqual(['100', '50']);
  });

  it('omits the times of a range at which a metric has no value', () => {
    const span = { from: NOON, to: NOON + 3 * HOUR };

    expect(valuesIn({ metric: 'floor_price', unit: 'usdc' }, hours('10', '20'), span)).toEqual([]);
  });

  it('samples the values of very many prices, and always includes the last one', () => {
    const prices = Array.from({ length: 1400 }, (_, index) => `${index + 1}`);
    const span = { from: NOON, to: NOON + 1400 * HOUR };

    const values = valuesIn({ metric: 'floor_price', unit: 'eth' }, hours(...prices), span);

    expect(values.length).toBeLessThan(510);
    expect(values.at(-1)).toBe(eth('1400'));
  });
});
