import { describe, expect, it } from 'vitest';
import { demoWatchlist, MUTED, tourWatchlist } from '#infra/local/demo-watchlists.ts';
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

describe('the demo watchlist', () => {
  it('is a document that the interface takes', () => {
    const watchlist = demoWatchlist(createSimulatedMarket(1, from), from);

    expect(WatchlistBody.safeParse(watchlist).error).toBeUndefined();
    expect(watchlist.contracts).toHaveLength(6);
    expect(watchlist.contracts.at(-1)).toMatchObject({
      contract: expect.stringMatching(/^eth:0x[0-9a-f]{40}\?Body=Gold$/),
      name: 'Simulated Apes (Body: Gold)',
    });
    expect(watchlist.rules).toHaveLength(7);
    for (const { id, label, threshold } of watchlist.rules) {
      expect(id).toMatch(/^[a-z0-9][a-z0-9-]{0,39}$/);
      expect(label.length).toBeLessThanOrEqual(100);
      expect(decimal(threshold)).toBeGreaterThan(0n);
    }
    expect(new Set(watchlist.rules.map(({ id }) => id)).size).toBe(7);
    expect(new Set(watchlist.rules.map(({ metric }) => metric))).toEqual(
      new Set(['floor_price', 'floor_price_usd', 'lowest_price.7d']),
    );
  });

  it.each(starts)('from %i on shows every floor cross its line within the hour', (start) => {
    const market = createSimulatedMarket(start % 1000, start);
    const rules = demoWatchlist(market, start).rules.filter(({ metric }) => /^floor/.test(metric));

    const crossings = rules.map(({ on, metric, when, threshold }) => {
      const isBeyond = ({ record }: Floor) => {
        const value = decimal(
          metric === 'floor_price' ? record.floor_price : record.floor_price_usd,
        );
        return when === 'below' ? value <= decimal(threshold) : value >= decimal(threshold);
      };
      const [known] = [...market.floors(on, start - HOUR, start)].map(isBeyond);
      const ahead = [...market.floors(on, start + 1, start + HOUR)].map(isBeyond).toReversed();
      return {
        known,
        fires: ahead.includes(true),
        recovers: ahead.lastIndexOf(false) > ahead.indexOf(true),
      };
    });

    expect(crossings.every(({ known, fires }) => !known && fires)).toBe(true);
    expect(crossings.filter(({ recovers }) => recovers).length).toBeGreaterThanOrEqual(2);
  });

  it('has a recovery on the good side of its line', () => {
    const { rules } = demoWatchlist(createSimulatedMarket(1, from), from);
    const hysteresis = rules.filter(({ recover }) => recover !== undefined);

    expect(hysteresis).toHaveLength(1);
    for (const { when, threshold, recover } of hysteresis) {
      const isAbove = decimal(recover) > decimal(threshold);
      expect(isAbove).toBe(when === 'below');
    }
  });
});

describe('the tour', () => {
  it('is a document that the interface takes, and has the rule that is muted at first', () => {
    const tour = tourWatchlist(createSimulatedMarket(1, from), from);

    expect(WatchlistBody.safeParse(tour).error).toBeUndefined();
    expect(tour.rules.map(({ id }) => id)).toContain(MUTED);
  });

  it.each(starts)('from %i on shows a floor go a step further within the hour', (start) => {
    const market = createSimulatedMarket(start % 1000, start);
    const rule = tourWatchlist(market, start).rules.find(({ id }) => id === 'each-step');
    if (rule === undefined) throw new Error('no rule shows steps');
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
