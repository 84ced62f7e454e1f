import { describe, expect, it } from 'vitest';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';

const from = Date.UTC(2026, 10, 21, 12);

const firstContract = (market: ReturnType<typeof createSimulatedMarket>) => {
  const [member] = market.contracts();
  if (member === undefined) throw new Error('no contract');
  return member.contract;
};

describe('a simulated market', () => {
  it('the simulated market has six collections on a marketplace named "simulated"', () => {
    const market = createSimulatedMarket(1, from);
    const contracts = market.contracts();

    expect(contracts).toHaveLength(6);
    for (const { contract } of contracts) {
      const [floor] = market.floors(contract, from - HOUR, from);
      expect(ContractKey.parse(contract)).toBe(contract);
      expect(floor?.record.marketplace).toMatchObject([{ name: 'simulated marketplace' }]);
    }
  });

  it('the same seed gives the same market, regardless of the order of calls', () => {
    const [one, other] = [createSimulatedMarket(7, from), createSimulatedMarket(7, from)];
    const contract = firstContract(one);

    const later = [...other.floors(contract, from + HOUR, from + 2 * HOUR)];
    const [atOnce, inPieces] = [
      [...one.floors(contract, from, from + 2 * HOUR)],
      [...later, ...other.floors(contract, from, from + HOUR - 1)],
    ];

    expect(inPieces).toEqual(atOnce);
    expect([...other.trades(contract, from, from + DAY)]).toEqual([
      ...one.trades(contract, from, from + DAY),
    ]);
    expect(other.tokens(contract)).toEqual(one.tokens(contract));
  });

  it('another seed gives another market', () => {
    const [one, other] = [createSimulatedMarket(1, from), createSimulatedMarket(2, from)];

    expect(other.contracts()).not.toEqual(one.contracts());
  });

  it('a simulated market has the same exact values for a seed on every machine', () => {
    const market = createSimulatedMarket(1, from);
    const contract = firstContract(market);
    const [floor] = market.floors(contract, from, from + HOUR);
    const [trade] = market.trades(contract, from, from + HOUR);

    expect({ floor: floor?.record, trade: trade?.record }).toMatchInlineSnapshot(`
      {
        "floor": {
          "chain": "eth",
          "currency": "eth",
          "floor_price": "12.8077",
          "floor_price_usd": "39011.74",
          "marketplace": [
            {
              "logo": "",
              "name": "simulated marketplace",
            },
          ],
          "timestamp": "2026-11-21T12:51:03.000Z",
          "token_address": "0x3df5befeaa137d8eaced6f3f24f068df11351857",
        },
        "trade": {
          "block_hash": "0x5bf2bc20443d6d6a8b5932ad179f674f3e7bd346410b4d7f901f605480e959a0",
          "block_number": "149605210",
          "block_timestamp": "2026-11-21T12:02:05",
          "buyer_address": "0x712096048786e9bbd12d1df31392a3846b1eab6b",
          "chain": "eth",
          "marketplace_address": "0x6c6afa3127f68468ad9557f9cd646f112eaca72c",
          "payment_token": "ETH",
          "price": "14413200000000000000",
          "seller_address": "0x2f7aa7d9412b06fddea66b1e38be784fe36c1339",
          "token_address": "0x3df5befeaa137d8eaced6f3f24f068df11351857",
          "token_ids": [
            "128",
          ],
          "transaction_hash": "0x8f20589279119d461171a77a66e7a48937c57266a114ee42d21d10f9f52fc26f",
          "transaction_index": "17",
        },
      }
    `);
  });

  it('a simulated market has a floor about every ten minutes indefinitely, and fewer in the distant past', () => {
    const market = createSimulatedMarket(1, from);
    const contract = firstContract(market);
    const farAway = from + 3650 * DAY;
    const countBetween = (oldest: number, newest: number) =>
      [...market.floors(contract, from - oldest + 1, from - newest)].length;

    expect([...market.floors(contract, farAway + 1, farAway + DAY)]).toHaveLength(144);
    expect(countBetween(6 * HOUR, 0)).toBeCloseTo(36, -1);
    expect(countBetween(2 * DAY, DAY)).toBe(24);
    expect(countBetween(7 * DAY, 3 * DAY)).toBe(32);
    expect(countBetween(30 * DAY, 10 * DAY)).toBe(40);
    expect(countBetween(80 * DAY, 40 * DAY)).toBe(40);
  });

  it('a simulated market has floors and trades of the last 90 days, and none before', () => {
    const market = createSimulatedMarket(1, from);
    const contract = firstContract(market);
    const start = from - 90 * DAY;
    const [firstTrade] = market.trades(contract, 0, from);

    expect(market.nextFloor(contract, 0)).toBeGreaterThanOrEqual(start);
    expect(market.nextFloor(contract, 0)).toBeLessThan(start + 1.01 * DAY);
    expect(firstTrade?.time).toBeGreaterThanOrEqual(start);
    expect(firstTrade?.time).toBeLessThan(start + DAY);
    expect([...market.floors(contract, 0, start)]).toEqual([]);
  });

  it('a simulated market that is started again later has the same prices', () => {
    const [before, after] = [from, from + 3 * HOUR].map((start) => createSimulatedMarket(1, start));
    if (before === undefined || after === undefined) throw new Error('no market');
    const contract = firstContract(before);
    const known = new Map(
      Array.from(before.floors(contract, 0, from), ({ time, record }) => [time, record]),
    );

    const again = [...after.floors(contract, from - 89 * DAY, from)];

    expect(again.length).toBeGreaterThan(150);
    for (const { time, record } of again) expect(known.get(time)).toEqual(record);
  });

  it('a simulated market returns the times of the next floor and the next trade', () => {
    const market = createSimulatedMarket(1, from);
    const contract = firstContract(market);
    const floors = Array.from(market.floors(contract, from + 1, from + DAY), ({ time }) => time);
    const trades = Array.from(market.trades(contract, from + 1, from + DAY), ({ time }) => time);

    expect(market.nextFloor(contract, from)).toBe(floors.at(-1));
    expect(market.nextTrade(contract, from)).toBe(trades[0]);
    expect(market.nextTrade(contract, trades[0] ?? 0)).toBe(trades[1]);
  });

  it('a simulated market orders floors newest first and trades oldest first', () => {
    const market = createSimulatedMarket(1, from);
    const contract = firstContract(market);
    const floors = Array.from(market.floors(contract, from, from + DAY), ({ time }) => time);
    const trades = Array.from(market.trades(contract, from, from + DAY), ({ time }) => time);

    expect(floors).toEqual(floors.toSorted((a, b) => b - a));
    expect(trades).toEqual(trades.toSorted((a, b) => a - b));
    expect(new Set(floors).size).toBe(floors.length);
  });

  it('a simulated market returns events in a range with inclusive bounds', () => {
    const market = createSimulatedMarket(1, from);
    const contract = firstContract(market);
    const timesOf = (kind: 'floors' | 'trades', since: number, until: number) => {
      const shown: Iterable<{ readonly time: number }> = market[kind](contract, since, until);
      return Array.from(shown, ({ time }) => time);
    };

    for (const kind of ['floors', 'trades'] as const) {
      const [first = 0, ...others] = timesOf(kind, from, from + DAY).toSorted((a, b) => a - b);
      const last = others.at(-1) ?? 0;
      expect(timesOf(kind, first, last)).toHaveLength(others.length + 1);
      expect(timesOf(kind, first + 1, last)).toHaveLength(others.length);
      expect(timesOf(kind, first, last - 1)).toHaveLength(others.length);
    }
  });

  it('a simulated market returns nothing for contracts of other markets', () => {
    const market = createSimulatedMarket(1, from);
    const contract = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

    expect([...market.floors(contract, 0, from)]).toEqual([]);
    expect([...market.trades(contract, 0, from)]).toEqual([]);
    expect(market.tokens(contract)).toEqual([]);
    expect(market.nextFloor(contract, 0)).toBeUndefined();
    expect(market.nextTrade(contract, 0)).toBeUndefined();
  });
});
