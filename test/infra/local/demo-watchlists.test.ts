import { describe, expect, it } from 'vitest';
import { demoWatchlist, MUTED, tourWatchlists } from '#infra/local/demo-watchlists.ts';
import type { Floor } from '#infra/local/upstream/market-source.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';

const from = Date.UTC(2026, 10, 21, 12);
const starts = Array.from({ length: 20 }, (_, index) => from + index * 7_919 * 61_331);

const decimal = (text: string | undefined) => {
  const value = parseDecimal(text ?? '');
  if (value === undefined) throw new Error(`no decimal ${text}`);
  return value;
};

/** The list of the tour with an id. */
function tourList(market: ReturnType<typeof createSimulatedMarket>, start: number, id: string) {
  const list = tourWatchlists(market, start).find((one) => one.id === id);
  if (list === undefined) throw new Error(`the tour has no list ${id}`);
  return list;
}

describe('the demo watchlist', () => {
  it('is a document with four plain rules that the interface accepts', () => {
    const watchlist = demoWatchlist(createSimulatedMarket(1, from), from);

    expect(WatchlistBody.safeParse(watchlist).error).toBeUndefined();
    expect(watchlist.rules).toHaveLength(4);
    for (const { id, on, metric, when, threshold, label, ...more } of watchlist.rules) {
      expect(more, id).toEqual({});
    }
  });

  it.each(starts)('from %i on fires first below a round floor, near the first price', (start) => {
    const market = createSimulatedMarket(start % 1000, start);
    const [rule] = demoWatchlist(market, start).rules;
    if (rule?.on === undefined) throw new Error('the first rule has no contract');

    const [floor] = market.floors(rule.on, start - HOUR, start);

    const price = decimal(floor?.record.floor_price);
    expect(rule).toMatchObject({ metric: 'floor_price', when: 'below' });
    expect(rule.threshold).toMatch(/^\d+(\.5)?$/);
    expect(decimal(rule.threshold)).toBeGreaterThanOrEqual(price);
    expect(decimal(rule.threshold) * 100n).toBeLessThan(price * 106n);
  });

  it.each(starts)('from %i on has two floors that cross their thresholds later', (start) => {
    const market = createSimulatedMarket(start % 1000, start);
    const [, ...others] = demoWatchlist(market, start).rules;

    const crossings = others
      .filter(({ metric }) => /^floor/.test(metric))
      .map(crossing(market, start));

    expect(crossings).toHaveLength(2);
    expect(crossings.every(({ known, fires }) => !known && fires)).toBe(true);
  });
});

describe('the tour of metrics', () => {
  it('is a document that the interface accepts', () => {
    const watchlist = tourList(createSimulatedMarket(1, from), from, 'demo');

    expect(WatchlistBody.safeParse(watchlist).error).toBeUndefined();
    expect(watchlist.contracts).toHaveLength(7);
    expect(watchlist.contracts.at(-1)).toMatchObject({
      contract: expect.stringMatching(/^eth:0x[0-9a-f]{40}\?Body=Gold$/),
      name: 'Moonlit Apes (Body: Gold)',
    });
    expect(watchlist.rules).toHaveLength(8);
    for (const { id, label, threshold } of watchlist.rules) {
      expect(id).toMatch(/^[a-z0-9][a-z0-9-]{0,39}$/);
      expect(label.length).toBeLessThanOrEqual(100);
      expect(decimal(threshold)).toBeGreaterThan(0n);
    }
    expect(new Set(watchlist.rules.map(({ id }) => id)).size).toBe(8);
    expect(new Set(watchlist.rules.map(({ metric }) => metric))).toEqual(
      new Set(['floor_price', 'floor_price_usd', 'lowest_price.7d']),
    );
  });

  it.each(starts)('from %i on shows every floor cross its line within the hour', (start) => {
    const market = createSimulatedMarket(start % 1000, start);
    const { rules } = tourList(market, start, 'demo');

    const crossings = rules
      .filter(({ metric }) => /^floor/.test(metric))
      .map(crossing(market, start));

    expect(crossings.every(({ known, fires }) => !known && fires)).toBe(true);
    expect(crossings.filter(({ recovers }) => recovers).length).toBeGreaterThanOrEqual(2);
  });

  it('has a recovery on the good side of its line', () => {
    const { rules } = tourList(createSimulatedMarket(1, from), from, 'demo');
    const hysteresis = rules.filter(({ recover }) => recover !== undefined);

    expect(hysteresis).toHaveLength(1);
    for (const { when, threshold, recover } of hysteresis) {
      const isAbove = decimal(recover) > decimal(threshold);
      expect(isAbove).toBe(when === 'below');
    }
  });
});

describe('the tour of messages', () => {
  it('is a document that the interface takes, and has the rule that is muted at first', () => {
    const tour = tourList(createSimulatedMarket(1, from), from, 'tour');

    expect(WatchlistBody.safeParse(tour).error).toBeUndefined();
    expect(tour.rules.map(({ id }) => id)).toContain(MUTED);
  });

  it.each(starts)('from %i on shows a floor go a step further within the hour', (start) => {
    const market = createSimulatedMarket(start % 1000, start);
    const rule = tourList(market, start, 'tour').rules.find(({ id }) => id === 'each-step');
    if (rule?.on === undefined) throw new Error('no rule shows steps');
    const price = ({ record }: Floor) => decimal(record.floor_price);
    const [known = 0n] = [...market.floors(rule.on, start - HOUR, start)].map(price);
    const ahead = [...market.floors(rule.on, start + 1, start + HOUR)].map(price);

    const isBeyond =
      rule.when === 'above' ? known > decimal(rule.threshold) : known < decimal(rule.threshold);
    const goesFurther = ahead.some((value) =>
      rule.when === 'above' ? value * 1000n >= known * 1003n : value * 1000n <= known * 997n,
    );

    expect({ isBeyond, goesFurther }).toEqual({ isBeyond: true, goesFurther: true });
  });
});

/** Where a floor is when the market starts, and what it does within the hour. */
function crossing(market: ReturnType<typeof createSimulatedMarket>, start: number) {
  return ({ on, metric, when, threshold }: ReturnType<typeof demoWatchlist>['rules'][number]) => {
    if (on === undefined) throw new Error('the rule has no contract');
    const isBeyond = ({ record }: Floor) => {
      const value = decimal(metric === 'floor_price' ? record.floor_price : record.floor_price_usd);
      return when === 'below' ? value <= decimal(threshold) : value >= decimal(threshold);
    };
    const [known] = [...market.floors(on, start - HOUR, start)].map(isBeyond);
    const ahead = [...market.floors(on, start + 1, start + HOUR)].map(isBeyond).toReversed();
    return {
      known,
      fires: ahead.includes(true),
      recovers: ahead.lastIndexOf(false) > ahead.indexOf(true),
    };
  };
}
