import { describe, expect, it } from 'vitest';
import { demoWatchlist } from '#infra/local/demo-watchlists.ts';
import { MUTED, tourWatchlists } from '#infra/local/tour-watchlists.ts';
import type { Floor } from '#infra/local/upstream/market-source.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { PUNKS } from '#test/support/builders.ts';

const from = Date.UTC(2026, 10, 21, 12);
const starts = Array.from({ length: 20 }, (_, index) => from + index * 7_919 * 61_331);

const decimal = (text: string | undefined) => {
  const value = parseDecimal(text ?? '');
  if (value === undefined) throw new Error(`no decimal ${text}`);
  return value;
};

const tours = new Map<number, ReturnType<typeof tourOf>>();

function tourOf(start: number) {
  const market = createSimulatedMarket(start % 1000, start);
  return { market, lists: tourWatchlists(market, start) };
}

/** The market that starts then, and the list of its tour that has this id. */
function tourList(start: number, id: string) {
  // Creating a tour is slow, and it does not change.
  const { market, lists } = tours.get(start) ?? tourOf(start);
  tours.set(start, { market, lists });
  const list = lists.find((one) => one.id === id);
  if (list === undefined) throw new Error(`the tour has no list ${id}`);
  return { market, list };
}

describe('the demo watchlist', () => {
  it('the demo is a valid document with four simple rules', () => {
    const watchlist = demoWatchlist(createSimulatedMarket(1, from), from);

    expect(WatchlistBody.safeParse(watchlist).error).toBeUndefined();
    expect(watchlist.rules).toHaveLength(4);
    for (const { id, on, metric, when, threshold, label, ...more } of watchlist.rules) {
      expect(more, id).toEqual({});
    }
  });

  it.each(starts)(
    'the first alert of a demo started at %i is below a round threshold near the first price',
    (start) => {
      const market = createSimulatedMarket(start % 1000, start);
      const [rule] = demoWatchlist(market, start).rules;
      if (rule?.on === undefined) throw new Error('the first rule has no contract');

      const [floor] = market.floors(rule.on, start - HOUR, start);

      const price = decimal(floor?.record.floor_price);
      expect(rule).toMatchObject({ metric: 'floor_price', when: 'below' });
      expect(rule.threshold).toMatch(/^\d+(\.5)?$/);
      expect(decimal(rule.threshold)).toBeGreaterThanOrEqual(price);
      expect(decimal(rule.threshold) * 100n).toBeLessThan(price * 106n);
    },
  );

  it.each(starts)(
    'a demo started at %i has two floors that cross their thresholds later',
    (start) => {
      const market = createSimulatedMarket(start % 1000, start);
      const [, ...others] = demoWatchlist(market, start).rules;

      const crossings = others
        .filter(({ metric }) => /^floor/.test(metric))
        .map(crossing(market, start));

      expect(crossings).toHaveLength(2);
      expect(crossings.every(({ known, fires }) => !known && fires)).toBe(true);
    },
  );
});

describe('the tour of metrics', () => {
  it('the tour of metrics is a valid document', () => {
    const { list: watchlist } = tourList(from, 'demo');

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

  it.each(starts)(
    'each floor of a tour started at %i crosses its threshold within the hour',
    (start) => {
      const { market, list } = tourList(start, 'demo');

      const crossings = list.rules
        .filter(({ metric }) => /^floor/.test(metric))
        .map(crossing(market, start));

      expect(crossings.every(({ known, fires }) => !known && fires)).toBe(true);
      expect(crossings.filter(({ recovers }) => recovers).length).toBeGreaterThanOrEqual(2);
    },
  );

  it('exactly one rule of the tour has a recovery threshold, which is on the safe side of its threshold', () => {
    const { list } = tourList(from, 'demo');
    const hysteresis = list.rules.filter(({ recover }) => recover !== undefined);

    expect(hysteresis).toHaveLength(1);
    for (const { when, threshold, recover } of hysteresis) {
      const isAbove = decimal(recover) > decimal(threshold);
      expect(isAbove).toBe(when === 'below');
    }
  });
});

describe('the tour of holdings', () => {
  it.each(starts)('rules on holdings of a tour started at %i fire within the hour', (start) => {
    const { market, list } = tourList(start, 'holdings');
    const [one, other] = list.contracts;
    const priceOf = (contract: ContractKey, at: number) => {
      const [floor] = [...market.floors(contract, start - HOUR, at)];
      return decimal(floor?.record.floor_price);
    };
    const valueAt: Readonly<Record<string, (at: number) => bigint>> = {
      list_value: (at) =>
        2n * priceOf(one?.contract ?? PUNKS, at) + priceOf(other?.contract ?? PUNKS, at),
      gain: (at) => 2n * (priceOf(one?.contract ?? PUNKS, at) - decimal(one?.cost?.price)),
      floor_ratio: (at) =>
        (priceOf(one?.contract ?? PUNKS, at) * 10n ** 18n) / priceOf(other?.contract ?? PUNKS, at),
    };

    const times = list.contracts
      .slice(0, 2)
      .flatMap(({ contract }) => [...market.floors(contract, start + 1, start + HOUR)])
      .map(({ time }) => time);

    const known = list.rules.filter(({ metric }) => metric in valueAt);
    const fired = known.map(({ metric, when, threshold }) => {
      const isBeyond = (at: number) => {
        const value = valueAt[metric]?.(at) ?? 0n;
        return when === 'below' ? value <= decimal(threshold) : value >= decimal(threshold);
      };
      return [metric, isBeyond(start), times.some(isBeyond)];
    });

    expect(WatchlistBody.safeParse(list).error).toBeUndefined();
    expect(fired).toEqual([
      ['list_value', false, true],
      ['gain', false, true],
      ['floor_ratio', false, true],
    ]);
  });
});

describe('the tour of a market', () => {
  it.each(starts)(
    'a tour started at %i has a rule on each metric that a collection or its trades have',
    (start) => {
      const { list } = tourList(start, 'market');

      expect(WatchlistBody.safeParse(list).error).toBeUndefined();
      expect(list.rules).toHaveLength(13);
      expect(new Set(list.rules.map(({ metric }) => metric)).size).toBe(13);
    },
  );

  it('a tour has thresholds of volume that the market crosses within the hour', () => {
    const market = createSimulatedMarket(1, from);
    const rules = tourWatchlists(market, from).flatMap((list) => list.rules);
    const rule = rules.find(({ metric }) => metric === 'volume.1d');
    const { on = PUNKS, when } = rule ?? {};
    const isBeyond = (now: number) => {
      const paid = [...market.trades(on, now - DAY, now)].filter(
        ({ record }) => record.payment_token === 'ETH',
      );
      const volume = paid.reduce((sum, { record }) => sum + BigInt(record.price), 0n);
      const line = decimal(rule?.threshold);
      return when === 'below' ? volume <= line : volume >= line;
    };

    const ahead = [...market.trades(on, from + 1, from + HOUR)].map(({ time }) => isBeyond(time));

    expect([isBeyond(from), ahead.includes(true)]).toEqual([false, true]);
  });
});

describe('the tour of messages', () => {
  it('the tour of messages is a valid document that contains the muted rule', () => {
    const { list: tour } = tourList(from, 'tour');

    expect(WatchlistBody.safeParse(tour).error).toBeUndefined();
    expect(tour.rules.map(({ id }) => id)).toContain(MUTED);
  });

  it.each(starts)(
    'one floor of a tour started at %i is past its threshold and worsens within the hour',
    (start) => {
      const { market, list } = tourList(start, 'tour');
      const rule = list.rules.find(({ id }) => id === 'each-step');
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
    },
  );
});

/**
 * Whether the floor of a rule is past the threshold at the start, fires later, and recovers later.
 */
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
