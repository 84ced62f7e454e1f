import { expect, it } from 'vitest';
import { describeAlert } from '#shared/domain/evaluation/describe-alert.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { aPrice, aWatch, eth, linesSaid, NOON } from '#test/support/builders.ts';

it.each([
  ['180000', 'In dollars: $180,000.00, 0.0%'],
  ['189000', 'In dollars: $189,000.00, +5.0% (ETH itself +5.0%)'],
])(
  'shows how much of a move in dollars the exchange rate caused, if the rate moved: to $%s',
  (usd, line) => {
    const known = (price: PricePoint) => new Map([['floor' as const, [price]]]);
    const now = known(aPrice('60', { usd: eth(usd) }));
    const before = { known: known(aPrice('60', { usd: eth('180000') })), windowEnd: NOON };
    const about = { time: NOON, windowEnd: NOON, late: false, now: NOON };
    const cause = { ...about, known: now, before, all: now };

    expect(linesSaid(describeAlert(aWatch(), 'fired', 1, cause))).toContain(line);
  },
);

it.each([
  ['61', '61 ETH'],
  ['59.5', '59.5 ETH, not yet recovered'],
])(
  'shows "not yet recovered" in a reminder at %s ETH only between the threshold and the recovery threshold',
  (price, words) => {
    const watch = aWatch({ ruleCondition: { when: 'above', recover: eth('59') } });
    const known = new Map([['floor' as const, [aPrice(price)]]]);
    const cause = { time: NOON, windowEnd: NOON, known, late: false, now: NOON, all: known };

    const { title } = describeAlert(watch, 'reminder', 1, cause);

    expect(title).toBe(`Reminder: eth:0xb47e3c…3bbb above 60 ETH: now ${words}`);
  },
);
