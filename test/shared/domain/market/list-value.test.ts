import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { listValue, listValueKey } from '#shared/domain/market/list-value.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { APES, aPrice, eth, NOON, PUNKS } from '#test/support/builders.ts';

const inEth = (price: string, usd?: string) =>
  aPrice(price, { time: NOON, ...(usd !== undefined && { usd: eth(usd) }) });
const inPol = (price: string, usd?: string) => ({ ...inEth(price, usd), currency: 'pol' });

const shown = (value: ReturnType<typeof listValue>) => {
  if (typeof value === 'string') return value;
  const usd = value.usd === undefined ? 'no dollars' : `$${formatDecimal(value.usd)}`;
  return `${formatDecimal(value.price)} ${value.currency}, ${usd}`;
};

describe('the value of a list', () => {
  it.each<[what: string, floors: readonly (Point | undefined)[], amounts: number[], value: string]>(
    [
      [
        'adds each floor times its amount',
        [inEth('50'), inEth('4')],
        [2, 3],
        '112 eth, no dollars',
      ],
      ['is exact', [inEth('0.000000000000000001')], [1_000_000], '0.000000000001 eth, no dollars'],
      [
        'has dollars if all floors have them',
        [inEth('2', '6000'), inEth('1', '3000')],
        [1, 2],
        '4 eth, $12000',
      ],
      [
        'has no dollars if one floor has none',
        [inEth('2', '6000'), inEth('1')],
        [1, 1],
        '3 eth, no dollars',
      ],
      [
        'of several currencies is in dollars',
        [inEth('2', '6000'), inPol('1', '0.5')],
        [1, 4],
        '6002 usd, $6002',
      ],
      [
        'of several currencies needs dollars',
        [inEth('2', '6000'), inPol('1')],
        [1, 4],
        'currencies',
      ],
      ['is unknown without one of the floors', [inEth('2'), undefined], [1, 1], 'floors'],
      ['without tokens is unknown', [], [], 'floors'],
    ],
  )('a list value %s', (_what, floors, amounts, value) => {
    expect(shown(listValue(floors, amounts))).toBe(value);
  });

  it('a list value has the time of the latest floor', () => {
    const later = { ...inEth('4'), time: NOON + 7 };

    expect(listValue([inEth('5'), later], [1, 1])).toMatchObject({ time: NOON + 7 });
  });
});

describe('the key of a list value', () => {
  it('the key of a list value does not depend on the order of the tokens', () => {
    const [punks, apes] = [
      { contract: PUNKS, amount: 2 },
      { contract: APES, amount: 1 },
    ];

    expect(listValueKey([punks, apes])).toBe(listValueKey([apes, punks]));
  });

  it('the key of a list value differs for each amount of tokens', () => {
    const keys = [1, 2, 3].map((amount) => listValueKey([{ contract: PUNKS, amount }]));

    expect(new Set(keys).size).toBe(3);
  });

  it('a list value without tokens has no key', () => {
    expect(listValueKey([])).toBeUndefined();
  });
});
