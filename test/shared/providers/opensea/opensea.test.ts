import { describe, expect, it } from 'vitest';
import {
  FloorPricePage,
  LowestTrade as LowestTradeAnswer,
  NftPage,
} from '#functions/serve-nft-data/answers.ts';
import { lowestTrade, priceOf } from '#infra/local/upstream/market-source.ts';
import { orderOf, slugFor } from '#infra/local/upstream/opensea-answers.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import { traitsOf } from '#shared/domain/archive/token.ts';
import { type Contract, contractOf } from '#shared/domain/market/contract.ts';
import { formatDecimal, parseDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { STATISTICS } from '#shared/domain/market/price-series.ts';
import type { KnownFloor, Outcome } from '#shared/domain/market/upstream.ts';
import { createOpenSea } from '#shared/providers/opensea/opensea.ts';
import { countingRequests } from '#shared/use-cases/request-count.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import { eth, NOON } from '#test/support/builders.ts';
import {
  INSTANT_KEY,
  type OpenSeaDoubleOptions,
  startOpenSea,
} from '#test/support/opensea/opensea-double.ts';
import { FIREWALL_PAGE } from '#test/support/refusals.ts';

const source = createSimulatedMarket(1, NOON);
const [collection] = source.contracts();
if (collection === undefined) throw new Error('the market has no collection');
const contract = contractOf(collection.contract);
const slug = slugFor(collection.name);
const { signal } = new AbortController();

const STATS = `/api/v2/collections/${slug}/stats`;
const HISTORY = `/api/v2/collections/${slug}/floor_prices`;
const OFFERS = `/api/v2/collections/${slug}/offer_aggregates`;
const EVENTS = `/api/v2/events/collection/${slug}`;
const COLLECTION = `/api/v2/collections/${slug}`;
const CONTRACT = `/api/v2/chain/ethereum/contract/${contract.address}`;

/** The provider with OpenSea's fake at noon; `issues` lists violations of the document. */
async function world(
  given: Partial<OpenSeaDoubleOptions> = {},
  key = INSTANT_KEY,
  deadlineMs = 8000,
) {
  let now = NOON;
  const double = await startOpenSea({ source, now: () => now, ...given });
  const upstream = createOpenSea(
    {
      http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 5_000_000, maxConnections: 5 }),
      baseUrl: double.url,
      apiKey: async () => key,
      now: () => now,
    },
    deadlineMs,
  );
  return {
    upstream,
    pathsAsked: () => double.requests.map((request) => request.replace(/^GET |\?.*$/g, '')),
    requests: double.requests,
    issues: double.issues,
    passTime: (span: number) => {
      now += span;
    },
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
}

/** A fake that answers one path with the given answer. */
function answering(path: string, body: unknown, status = 200, headers = {}) {
  return {
    instead: (asked: string) => (asked === path ? { status, body, headers } : undefined),
  };
}

const poll = (upstream: MainUpstream, newest?: KnownFloor, reachesBack = false, askedAt = NOON) =>
  upstream.floorHistory(
    contract,
    { interval: '1d', poll: { askedAt, newest, reachesBack } },
    signal,
  );

function valueIn<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind !== 'ok') throw new Error(`expected ok, and found ${JSON.stringify(outcome)}`);
  return outcome.value;
}

const statsOf = (floor: string, symbol: string, intervals = '', owners = '0') =>
  `{"intervals":[${intervals}],"total":{"volume":0,"volume_symbol":"","sales":0,"num_owners":${owners},"floor_price":${floor},"floor_price_symbol":"${symbol}"}}`;
const intervalOf = (interval: string, volume: string, symbol: string, sales: string) =>
  `{"interval":"${interval}","volume":${volume},"volume_symbol":"${symbol}","sales":${sales}}`;

describe("a poll of OpenSea's floor", () => {
  it('returns the current floor with the time of the request, and the floors of the interval', async () => {
    await using server = await world();

    const { points } = valueIn(await poll(server.upstream));

    const [now, ...past] = points;
    expect(now).toMatchObject({ time: NOON, currency: 'eth', marketplaces: ['opensea'] });
    expect(past.length).toBeGreaterThan(20);
    expect(past.every(({ time }) => time < NOON && time >= NOON - DAY)).toBe(true);
    expect(server.pathsAsked()).toEqual([CONTRACT, COLLECTION, STATS, HISTORY]);
    expect(server.issues).toEqual([]);
  });

  it('gives the current floor the time of the poll, also after a repeated request', async () => {
    await using server = await world();
    const earlier = NOON - SECOND;

    const [floor] = valueIn(await poll(server.upstream, undefined, false, earlier)).points;
    const [ofTrait] = valueIn(
      await server.upstream.floorHistory(
        { ...contract, traits: [['Body', 'Gold']] },
        { interval: '1d', poll: { askedAt: earlier, newest: undefined, reachesBack: false } },
        signal,
      ),
    ).points;

    expect([floor?.time, ofTrait?.time]).toEqual([earlier, earlier]);
  });

  it('makes one request if the newest known floor is less than an hour old, and caches the collection', async () => {
    await using server = await world();
    await poll(server.upstream);
    const before = server.requests.length;

    await poll(server.upstream, { time: NOON - HOUR, price: 1n, currency: 'eth' });

    expect(server.pathsAsked().slice(before)).toEqual([STATS]);
  });

  it.each([
    { what: 'unchanged', age: 9 * MINUTE, price: '9.5', symbol: 'ETH', time: NOON - 9 * MINUTE },
    {
      what: 'unchanged for ten minutes',
      age: 10 * MINUTE,
      price: '9.5',
      symbol: 'ETH',
      time: NOON,
    },
    { what: 'another price', age: MINUTE, price: '9.6', symbol: 'ETH', time: NOON },
    { what: 'another currency', age: MINUTE, price: '9.5', symbol: 'APE', time: NOON },
  ])('gives a floor ($what) the time $time', async ({ age, price, symbol, time }) => {
    await using server = await world(answering(STATS, statsOf(price, symbol)));
    const newest = { time: NOON - age, price: parseDecimal('9.5') ?? 0n, currency: 'eth' };

    const { points } = valueIn(await poll(server.upstream, newest));

    expect(points.map((point) => point.time)).toEqual([time]);
  });

  it('returns the floors of the whole interval if a window needs older floors', async () => {
    await using server = await world();
    const newest = { time: NOON - MINUTE, price: 1n, currency: 'eth' };

    const { points } = valueIn(await poll(server.upstream, newest, true));

    expect(points.length).toBeGreaterThan(20);
  });

  it('returns the floor without its history if the history fails, and marks the history as missing', async () => {
    await using server = await world(answering(HISTORY, { errors: [] }, 503));

    const page = valueIn(await poll(server.upstream));

    expect(page.points.map(({ time }) => time)).toEqual([NOON]);
    expect(page.isCut).toBe(true);
  });

  it('computes dollars from the history of the currency, which it requests once an hour', async () => {
    const time = NOON / SECOND - 600;
    const floor_prices = [
      { time, token_unit: 2, symbol: 'ETH', usd_price: '6000' },
      { time: time - 60, token_unit: 2, symbol: 'ETH', usd_price: '1' },
    ];
    const instead = (path: string) =>
      path === HISTORY ? { status: 200, body: { floor_prices } } : undefined;
    await using server = await world({ instead });
    const first = valueIn(await poll(server.upstream)).points[0];
    const before = server.requests.length;

    const known = { time: NOON, price: 1n, currency: 'eth' };
    const again = valueIn(await poll(server.upstream, known)).points[0];

    expect(first?.usd).toBe((first?.price ?? 0n) * 3000n);
    expect(again?.usd).toBe(first?.usd);
    expect(server.pathsAsked().slice(before)).toEqual([STATS]);
  });

  it('keeps the dollars of a known floor while the floor does not change', async () => {
    await using server = await world(answering(STATS, statsOf('9.5', 'ETH')));
    const usd = 77n;
    const newest = { time: NOON - MINUTE, price: parseDecimal('9.5') ?? 0n, currency: 'eth', usd };

    const { points } = valueIn(await poll(server.upstream, newest));

    expect(points).toMatchObject([{ time: NOON - MINUTE, usd }]);
  });

  it('ignores a dollar price that is hours old', async () => {
    const time = NOON / SECOND - 3 * 3600;
    const floor_prices = [{ time, token_unit: 2, symbol: 'ETH', usd_price: '6000' }];
    await using server = await world(answering(HISTORY, { floor_prices }));

    expect(valueIn(await poll(server.upstream)).points[0]?.usd).toBeUndefined();
  });

  it("reads OpenSea's floors exactly", async () => {
    await using server = await world(answering(STATS, statsOf('9.500000000000000007', 'WETH')));

    const { points } = valueIn(
      await poll(server.upstream, { time: NOON, price: 1n, currency: '' }),
    );

    expect(points.map(({ price }) => formatDecimal(price))).toEqual(['9.500000000000000007']);
    expect(points.map(({ currency }) => currency)).toEqual(['eth']);
  });

  it('reads sales, volume and owners in the form that OpenSea documents', async () => {
    await using server = await world();

    const { statistics = {} } = valueIn(await poll(server.upstream));

    const sold = [1, 7, 30].map((days) => {
      const trades = [...source.trades(collection.contract, NOON - days * DAY, NOON)];
      const paid = trades.filter(({ record }) => isPaidInEth(record));
      return { sales: paid.length, volume: paid.reduce((sum, trade) => sum + priceOf(trade), 0n) };
    });
    const [day, week, month] = sold;
    expect(Object.keys(statistics).toSorted()).toEqual([...STATISTICS].toSorted());
    const buyers = [...source.trades(collection.contract, NOON - 30 * DAY, NOON)].map(
      ({ record }) => record.buyer_address,
    );
    expect(statistics.owners).toEqual({ value: eth(`${new Set(buyers).size}`), unit: 'owners' });
    for (const [days, known] of [
      ['1d', day],
      ['7d', week],
      ['30d', month],
    ] as const) {
      expect(known?.sales).toBeGreaterThan(0);
      expect(statistics[`sales.${days}`]).toEqual({ value: eth(`${known?.sales}`), unit: 'sales' });
      const { value = 0n, unit } = statistics[`volume.${days}`] ?? {};
      // The service reports a JSON number, which is exact to about 15 digits.
      expect(Number(value - (known?.volume ?? 0n)) / Number(value)).toBeCloseTo(0, 12);
      expect(unit).toBe('eth');
    }
    expect(server.issues).toEqual([]);
  });

  it.each([
    {
      what: 'a day without a sale',
      intervals: intervalOf('one_day', '0', 'ETH', '0'),
      read: { 'volume.1d': '0 eth', 'sales.1d': '0 sales' },
    },
    {
      what: 'a volume without a currency',
      intervals: intervalOf('one_day', '1.5', '', '2'),
      read: { 'sales.1d': '2 sales' },
    },
    {
      what: 'other intervals',
      intervals: ['1d', 'one_hour', 'ninety_day', 'ONE_DAY', '']
        .map((name) => intervalOf(name, '1.5', 'ETH', '2'))
        .join(),
      read: {},
    },
    {
      what: 'wrapped ether',
      intervals: intervalOf('seven_day', '1.5', 'WETH', '2'),
      read: { 'volume.7d': '1.5 eth', 'sales.7d': '2 sales' },
    },
    {
      what: 'another currency',
      intervals: intervalOf('thirty_day', '1.5', 'USDC', '2'),
      read: { 'volume.30d': '1.5 usdc', 'sales.30d': '2 sales' },
    },
    {
      what: 'more digits than a float has',
      intervals: intervalOf('one_day', '32.512345678901234567', 'ETH', '9007199254740993'),
      read: { 'volume.1d': '32.512345678901234567 eth', 'sales.1d': '9007199254740993 sales' },
    },
    {
      what: 'numbers with exponents',
      intervals: intervalOf('one_day', '1.5e-7', 'ETH', '1E2'),
      read: { 'volume.1d': '0.00000015 eth', 'sales.1d': '100 sales' },
    },
    {
      what: 'numbers below zero',
      intervals: intervalOf('one_day', '-1.5', 'ETH', '-2'),
      read: {},
    },
    { what: 'an interval without members', intervals: '{"interval":"one_day"}', read: {} },
    { what: 'an interval that is null', intervals: 'null', read: {} },
    {
      what: 'members that are null',
      intervals: intervalOf('one_day', 'null', 'ETH', 'null'),
      read: {},
    },
  ])('reads statistics of $what: $read', async ({ intervals, read }) => {
    const body = statsOf('9.5', 'ETH', intervals, 'null');
    await using server = await world(answering(STATS, body));

    const { points, statistics = {} } = valueIn(await poll(server.upstream));

    const words = Object.entries(statistics).map(([series, { value, unit }]) => {
      return [series, `${formatDecimal(value)} ${unit}`];
    });
    expect(Object.fromEntries(words)).toEqual(read);
    expect(formatDecimal(points[0]?.price ?? 0n)).toBe('9.5');
  });

  it.each([
    ['0', 'ETH'],
    ['0.0', ''],
    ['9.5', ''],
  ])('reads a floor of %s "%s" as nothing listed', async (floor, symbol) => {
    await using server = await world(answering(STATS, statsOf(floor, symbol)));

    expect(await poll(server.upstream)).toEqual({ kind: 'empty' });
  });

  it.each([
    ['of seconds', NOON / SECOND],
    ['of milliseconds', NOON],
  ])('reads the points %s of a history, and skips those without a price', async (_name, time) => {
    const floor_prices = [
      { time },
      { time, token_unit: 0, symbol: 'ETH' },
      { time, token_unit: 2, symbol: 'ETH', chain: 'polygon' },
      { time, token_unit: 3, symbol: 'ETH', chain: 'ethereum', usd_price: '9000.5' },
    ];
    await using server = await world(answering(HISTORY, { floor_prices }));

    const page = await server.upstream.floorHistory(contract, { interval: '7d' }, signal);

    const usd = parseDecimal('9000.5');
    expect(valueIn(page).points).toEqual([
      { time: NOON, price: 3n * 10n ** 18n, usd, currency: 'eth', marketplaces: ['opensea'] },
    ]);
  });
});

const aPriceLevel = (token_unit: number, given: object = {}, total_offers = 2) => {
  const price = { token_unit, symbol: 'WETH', chain: 'ethereum', usd_price: '9000.5', ...given };
  return { offer_price: price, total_value: price, total_offers, bidders: [] };
};

describe('the best offer at OpenSea', () => {
  it('reads the highest price level in one request', async () => {
    await using server = await world();

    const offer = valueIn(await server.upstream.bestOffer(contract, signal));

    const [floor] = source.floors(collection.contract, NOON - DAY, NOON);
    const percent =
      (Number(offer.price) / Number(parseDecimal(floor?.record.floor_price ?? ''))) * 100;
    expect({ percent: Math.round(percent), currency: offer.currency }).toEqual({
      percent: 93 + (((floor?.time ?? 0) / SECOND) % 5),
      currency: 'eth',
    });
    expect(server.requests.filter((request) => request.includes('offer_aggregates'))).toEqual([
      `GET ${OFFERS}?limit=20&sort_direction=desc`,
    ]);
    expect(server.issues).toEqual([]);
  });

  const three = { price: eth('3'), currency: 'eth', usd: eth('9000.5') };
  it.each([
    { what: 'wrapped ether', levels: [aPriceLevel(3), aPriceLevel(2)], offer: three },
    {
      what: 'the price of one token of several',
      levels: [aPriceLevel(3, {}, 40)],
      offer: three,
    },
    {
      what: 'a price level without a price in dollars',
      levels: [aPriceLevel(3, { usd_price: '' })],
      offer: { price: eth('3'), currency: 'eth' },
    },
    {
      what: 'the best price level in ether, below a level in another currency',
      levels: [aPriceLevel(9000, { symbol: 'USDC' }), aPriceLevel(3)],
      offer: three,
    },
    {
      what: 'the best price level in ether, below a level in an unnamed token',
      levels: [aPriceLevel(9, { symbol: undefined }), aPriceLevel(3)],
      offer: three,
    },
    {
      what: 'the best price level on the chain, below a level on another chain',
      levels: [aPriceLevel(9, { chain: 'base' }), aPriceLevel(3)],
      offer: three,
    },
    {
      what: 'the best price level with bidders, below a level without bidders',
      levels: [aPriceLevel(9, {}, 0), aPriceLevel(3)],
      offer: three,
    },
  ])('takes $what as the best offer', async ({ levels, offer }) => {
    await using server = await world(answering(OFFERS, { offer_aggregates: levels }));

    expect(valueIn(await server.upstream.bestOffer(contract, signal))).toEqual(offer);
  });

  it.each([
    { what: 'no price level', body: { offer_aggregates: [] }, outcome: { kind: 'empty' } },
    {
      what: 'only offers in another currency',
      body: { offer_aggregates: [aPriceLevel(9000, { symbol: 'USDC' })] },
      outcome: { kind: 'empty' },
    },
    {
      what: 'an offer of zero',
      body: { offer_aggregates: [aPriceLevel(0)] },
      outcome: { kind: 'empty' },
    },
    {
      what: 'price levels in an unknown format',
      body: { offer_aggregates: [{ price: 3 }] },
      outcome: { kind: 'failed', reason: 'garbage' },
    },
    { what: 'no list', body: {}, outcome: { kind: 'failed', reason: 'garbage' } },
  ])('the best offer is $outcome.kind for $what', async ({ body, outcome }) => {
    await using server = await world(answering(OFFERS, body));

    expect(await server.upstream.bestOffer(contract, signal)).toEqual(outcome);
  });
});

const aSale = (given: object = {}) => ({
  ...{ event_type: 'sale', event_timestamp: NOON / SECOND - 60, closing_date: 0, quantity: 1 },
  ...{ chain: 'ethereum', seller: '0x1', buyer: '0x2' },
  transaction: `0x${'ab'.repeat(32)}`,
  payment: {
    ...{ quantity: '50000000000000007', decimals: 18, symbol: 'ETH' },
    token_address: '0x0000000000000000000000000000000000000000',
  },
  nft: {
    ...{ identifier: '544', contract: contract.address, collection: slug, traits: [] },
    ...{ token_standard: 'erc721', opensea_url: '', updated_at: '' },
    ...{ is_disabled: false, is_nsfw: false },
  },
  ...given,
});
const pricedAt = (quantity: string, given: object = {}) =>
  aSale({ payment: { ...aSale().payment, quantity, ...given } });

const lowest = (upstream: MainUpstream, days = 7) =>
  upstream.lowestTrade(contract, days, 'lowestprice', signal);

describe('the lowest sale at OpenSea', () => {
  it("returns the lowest of OpenSea's sales in the given days", async () => {
    await using server = await world();

    const sale = valueIn(await lowest(server.upstream, 1));

    const oracle = lowestTrade(source, collection.contract, NOON - DAY, NOON);
    expect(`${sale.price}`).toBe(oracle?.record.price);
    expect(server.issues).toEqual([]);
  });

  it.each([
    { what: 'a sale', events: [aSale()], price: 50000000000000007n },
    {
      what: 'wrapped ether',
      events: [
        pricedAt('7', {
          symbol: 'WETH',
          token_address: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
        }),
      ],
      price: 7n,
    },
    {
      what: 'one of three equal tokens, rounded up',
      events: [aSale({ quantity: 3 })],
      price: 16666666666666669n,
    },
    {
      what: 'without a sale in a token that is named like ether',
      events: [aSale(), pricedAt('1', { token_address: `0x${'1'.repeat(40)}` })],
      price: 50000000000000007n,
    },
    {
      what: 'without a bundle and a swap',
      events: [aSale(), aSale({ nft: undefined }), aSale({ payment: undefined })],
      price: 50000000000000007n,
    },
    {
      what: 'without a sale of another contract',
      events: [
        aSale(),
        aSale({
          nft: { ...aSale().nft, contract: '0x1' },
          payment: { ...aSale().payment, quantity: '1' },
        }),
      ],
      price: 50000000000000007n,
    },
  ])('returns the lowest sale: $what', async ({ events, price }) => {
    await using server = await world(answering(EVENTS, { asset_events: events }));

    expect(valueIn(await lowest(server.upstream)).price).toBe(price);
  });

  it.each([
    { what: 'no sales', body: { asset_events: [] }, outcome: { kind: 'empty' } },
    {
      what: 'only sales in another currency',
      body: {
        asset_events: [
          pricedAt('1', {
            symbol: 'APE',
            token_address: '0x4d224452801aced8b2f0aebe155379bb5d594381',
          }),
        ],
      },
      outcome: { kind: 'empty' },
    },
    {
      what: 'more than five pages',
      body: { asset_events: [aSale()], next: 'more' },
      outcome: { kind: 'unsupported', reason: 'many' },
    },
    {
      what: 'only sales without a time',
      body: { asset_events: [aSale({ event_timestamp: 0 })] },
      outcome: { kind: 'failed', reason: 'garbage' },
    },
    {
      what: 'only sales of an unknown shape',
      body: { asset_events: [aSale({ quantity: undefined }), aSale({ nft: { id: 7 } })] },
      outcome: { kind: 'failed', reason: 'garbage' },
    },
  ])('reads $what as the outcome $outcome of a lowest sale', async ({ body, outcome }) => {
    await using server = await world(answering(EVENTS, body));

    expect(await lowest(server.upstream)).toEqual(outcome);
  });

  it.each([
    { what: 'with amount 0', event: pricedAt('0'), skipped: { no_price: 1 } },
    { what: 'with 40 digits', event: pricedAt('9'.repeat(40)), skipped: { no_price: 1 } },
    { what: 'of zero tokens', event: aSale({ quantity: 0 }), skipped: { no_price: 1 } },
    { what: 'of a bundle', event: aSale({ nft: undefined }), skipped: { no_price: 1 } },
    {
      what: 'in another currency, with more digits than a price',
      event: pricedAt('9'.repeat(40), {
        symbol: 'SHIB',
        token_address: '0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce',
      }),
      skipped: { other_money: 1 },
    },
    {
      what: 'of another contract, with amount 0',
      event: { ...pricedAt('0'), nft: { ...aSale().nft, contract: `0x${'1'.repeat(40)}` } },
      skipped: { other_contract: 1 },
    },
    { what: 'without a time', event: aSale({ event_timestamp: 0 }), skipped: { no_time: 1 } },
    { what: 'of an unknown shape', event: aSale({ quantity: null }), skipped: { unreadable: 1 } },
  ])('skips and counts a sale event $what', async ({ event, skipped }) => {
    await using server = await world(answering(EVENTS, { asset_events: [event, aSale()] }));

    const counted = await countingRequests(() => lowest(server.upstream));

    expect(valueIn(counted.value).price).toBe(50000000000000007n);
    expect(counted.skipped).toEqual(skipped);
  });

  it('stops reading pages after a page with sales from before the given days', async () => {
    const old = aSale({ event_timestamp: (NOON - 8 * DAY) / SECOND });
    const body = { asset_events: [aSale(), old], next: 'more' };
    await using server = await world(answering(EVENTS, body));

    expect(valueIn(await lowest(server.upstream)).price).toBe(50000000000000007n);
    expect(server.pathsAsked().filter((path) => path === EVENTS)).toHaveLength(1);
  });
});

describe('a collection at OpenSea', () => {
  it('sends no request for a chain that OpenSea does not support', async () => {
    await using server = await world();
    const elsewhere = contractOf(`linea:${contract.address}`);

    const outcome = await server.upstream.floorHistory(elsewhere, { interval: '1d' }, signal);

    expect(outcome).toEqual({ kind: 'unsupported', reason: 'chain' });
    expect(server.requests).toEqual([]);
  });

  it('returns no floor for a collection with several contracts', async () => {
    const contracts = [1, 2].map((digit) => ({
      address: `0x${`${digit}`.repeat(40)}`,
      chain: 'ethereum',
    }));
    await using server = await world(answering(COLLECTION, { name: 'Two', contracts }));

    expect(await poll(server.upstream)).toEqual({ kind: 'unsupported', reason: 'shared' });
  });

  it('looks up a collection once for several concurrent requests', async () => {
    await using server = await world();

    await Promise.all([poll(server.upstream), lowest(server.upstream), lowest(server.upstream, 1)]);

    expect(server.pathsAsked().filter((path) => path === CONTRACT)).toHaveLength(1);
  });

  it('looks up a collection again if its slug has changed', async () => {
    const stats = `/api/v2/collections/renamed/stats`;
    let isRenamed = false;
    await using server = await world({
      instead: (path) => {
        if (!isRenamed) return undefined;
        if (path === STATS) return { status: 404, body: { errors: ['not found'] } };
        const body = { address: '', chain: '', name: '', contract_standard: '' };
        if (path === CONTRACT) return { status: 200, body: { ...body, collection: 'renamed' } };
        const contracts = [{ address: contract.address, chain: 'ethereum' }];
        if (path === '/api/v2/collections/renamed')
          return { status: 200, body: { name: 'Renamed', contracts } };
        return path === stats ? { status: 200, body: statsOf('7', 'ETH') } : undefined;
      },
    });
    const newest = valueIn(await poll(server.upstream)).points[0];
    isRenamed = true;

    const { points } = valueIn(await poll(server.upstream, newest));

    expect(points.map(({ price }) => formatDecimal(price))).toEqual(['7']);
  });

  it('returns no floor for a contract with several collections', async () => {
    const found = { address: '', chain: '', collection: '', contract_standard: '', name: '' };
    await using server = await world(answering(CONTRACT, found));

    expect(await poll(server.upstream)).toEqual({ kind: 'unsupported', reason: 'shared' });
  });

  it('reports an unknown collection as not found', async () => {
    await using server = await world(answering(CONTRACT, { errors: ['not found'] }, 404));

    expect(await poll(server.upstream)).toEqual({ kind: 'not_found' });
  });
});

describe('a rejection by OpenSea', () => {
  it.each([
    { status: 401, outcome: { kind: 'denied', reason: 'key' } },
    {
      status: 403,
      body: { errors: ['this address is blocked'] },
      outcome: { kind: 'denied', reason: 'blocked' },
    },
    {
      status: 429,
      headers: { 'retry-after': '7' },
      outcome: { kind: 'throttled', retryAfterSeconds: 7 },
    },
    {
      status: 429,
      headers: { 'x-ratelimit-reset': `${NOON / SECOND + 90}` },
      outcome: { kind: 'throttled', retryAfterSeconds: 90 },
    },
    {
      status: 429,
      headers: { 'x-ratelimit-reset': `${NOON / SECOND - 90}` },
      outcome: { kind: 'throttled', retryAfterSeconds: 1 },
    },
    { status: 429, outcome: { kind: 'throttled' } },
    {
      status: 599,
      headers: { 'retry-after': '60' },
      outcome: { kind: 'throttled', retryAfterSeconds: 60 },
    },
    { status: 403, body: FIREWALL_PAGE, outcome: { kind: 'denied', reason: 'blocked' } },
    { status: 401, body: FIREWALL_PAGE, outcome: { kind: 'denied', reason: 'blocked' } },
    { status: 400, outcome: { kind: 'failed', reason: 'bad_request' } },
    { status: 302, outcome: { kind: 'failed', reason: 'redirect' } },
    { status: 503, outcome: { kind: 'failed', reason: 'server_error' } },
    { status: 404, body: '<html>', outcome: { kind: 'failed', reason: 'garbage' } },
    { status: 200, body: '<html>', outcome: { kind: 'failed', reason: 'garbage' } },
    { status: 200, body: '{}', outcome: { kind: 'failed', reason: 'garbage' } },
    { status: 200, body: statsOf('"9.5"', 'ETH"'), outcome: { kind: 'failed', reason: 'garbage' } },
    { status: 200, body: statsOf('-9.5', 'ETH'), outcome: { kind: 'failed', reason: 'garbage' } },
  ])(
    'reads the answer $status $headers $body of OpenSea as $outcome',
    async ({ status, body = { errors: [] }, headers, outcome }) => {
      await using server = await world(answering(STATS, body, status, headers));

      expect(await poll(server.upstream)).toEqual(outcome);
    },
  );

  it('reports a timeout if an answer needs too many or too slow calls to OpenSea', async () => {
    await using server = await world({ silentAt: EVENTS }, INSTANT_KEY, 100);

    expect(await lowest(server.upstream)).toEqual({ kind: 'failed', reason: 'timeout' });
  });

  it('reports an expired key of OpenSea as denied', async () => {
    await using server = await world({}, 'a key that has ended');

    expect(await poll(server.upstream)).toEqual({ kind: 'denied', reason: 'key' });
  });
});

describe('an answer of the v2.2 interface from OpenSea', () => {
  it('returns floors from OpenSea in pages of a hundred', async () => {
    await using server = await world();
    const question = { way: 'floor-price/historical', contract } as const;

    const first = valueIn(
      await server.upstream.answer({ ...question, parameters: { interval: '7d' } }, signal),
    );
    const { cursor, result, page } = FloorPricePage.parse(JSON.parse(first));
    const parameters = { interval: '7d', cursor: `${cursor}` };
    const second = valueIn(await server.upstream.answer({ ...question, parameters }, signal));

    expect({ page, results: result.length }).toEqual({ page: 1, results: 100 });
    const times = [...result, ...FloorPricePage.parse(JSON.parse(second)).result].map(
      ({ timestamp }) => timestamp,
    );
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(times).size).toBe(times.length);
  });

  it('returns the record of the lowest sale at OpenSea', async () => {
    await using server = await world();
    const question = { way: 'lowestprice', contract, parameters: { days: '1' } } as const;

    const record = LowestTradeAnswer.parse(
      JSON.parse(valueIn(await server.upstream.answer(question, signal))),
    );

    const sale = valueIn(await lowest(server.upstream, 1));
    expect(record).toMatchObject({ price: `${sale.price}`, token_address: contract.address });
    expect(Object.keys(record)).toContain('block_hash');
  });

  it('returns the tokens with all given traits from OpenSea, in pages', async () => {
    const [token] = source.tokens(collection.contract);
    const { attributes } = JSON.parse(token?.metadata ?? '{}');
    const [{ trait_type, value }] = attributes;
    await using server = await world();
    const ask = async (cursor?: string) =>
      NftPage.parse(
        JSON.parse(
          valueIn(
            await server.upstream.answer(
              {
                ...{ way: 'nfts-by-traits', contract },
                body: JSON.stringify({ traits: { [trait_type]: value } }),
                parameters: { limit: '1', format: 'hex', ...(cursor && { cursor }) },
              },
              signal,
            ),
          ),
        ),
      );

    const first = await ask();
    const second = await ask(`${first.cursor}`);

    expect([first.page, second.page]).toEqual([1, 2]);
    const found = [first, second].flatMap(({ result }) => result);
    expect(found.map(({ token_id }) => token_id.slice(0, 2))).toEqual(['0x', '0x']);
    expect(found[0]?.token_id).not.toBe(found[1]?.token_id);
    for (const { metadata } of found) expect(metadata).toContain(JSON.stringify(value));
    expect(server.issues).toEqual([]);
  });

  it('rejects a cursor of another provider for a page from OpenSea', async () => {
    await using server = await world();
    const question = { contract, parameters: { interval: '1d', cursor: 'fw1.x' } };

    for (const way of ['floor-price/historical', 'nfts-by-traits'] as const) {
      expect(await server.upstream.answer({ ...question, way }, signal)).toEqual({
        kind: 'failed',
        reason: 'bad_request',
      });
    }
  });
});

describe('the sales of a time range at OpenSea', () => {
  it('distinguishes equal sales of one transaction by their order hashes', async () => {
    const hashes = ['1', '2'].map((digit) => `0x${digit.repeat(64)}`);
    const events = [...hashes.map((order_hash) => aSale({ order_hash })), aSale()];
    await using server = await world(answering(EVENTS, { asset_events: events }));

    const read = await server.upstream.salesBetween(contract, { from: NOON - DAY }, signal);

    expect(valueIn(read).sales.map(({ mark }) => mark)).toEqual([...hashes, '']);
    expect(server.issues).toEqual([]);
  });

  it('reads at most five pages of the sales of a time range, and returns the time from which they are complete', async () => {
    const events = Array.from({ length: 1200 }, (_, index) =>
      aSale({ event_timestamp: (NOON - index * MINUTE) / SECOND }),
    );
    const pageOf = (query: URLSearchParams) => {
      const start = Number(query.get('next') ?? 0);
      const within = events.filter(({ event_timestamp: time }) => {
        const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY);
        return time > Number(query.get('after')) && time < before;
      });
      const end = start + Number(query.get('limit'));
      return {
        asset_events: within.slice(start, end),
        ...(end < within.length ? { next: `${end}` } : {}),
      };
    };
    await using server = await world({
      instead: (asked, query) =>
        asked === EVENTS ? { status: 200, body: pageOf(query), headers: {} } : undefined,
    });
    const read = async (span: { from: number; to?: number }) =>
      valueIn(await server.upstream.salesBetween(contract, span, signal));

    const newest = await read({ from: NOON - DAY });
    const before = await read({ from: NOON - DAY, to: newest.since });

    expect(newest.sales).toHaveLength(1000);
    expect(newest.since).toBe(NOON - 999 * MINUTE + SECOND);
    expect(before.since).toBe(NOON - DAY);
    const times = new Set([...newest.sales, ...before.sales].map(({ time }) => time));
    expect(times.size).toBe(1200);
    expect(server.issues).toEqual([]);
  });
});

const FLOORS = `/api/v2/traits/${slug}/floors`;
const LISTINGS = `/api/v2/listings/collection/${slug}/best`;
const ofGold = { ...contract, traits: [['Fur', 'Solid Gold']] } as const;
const traitFloor = (value: string, price: number | string, symbol = 'ETH') =>
  `{"trait_type":"Fur","value":"${value}","floor_price":${price},"payment_token_symbol":"${symbol}"}`;
const floorsOf = (...floors: readonly string[]) =>
  answering(FLOORS, `{"chain":"ethereum","floors":[${floors.join()}]}`);

/** A listing in the documented form. `offer` contains the token amounts of its Seaport order. */
const aListing = (
  value: string,
  currency = 'ETH',
  offer: readonly string[] = ['1'],
  remaining_quantity = 1,
) => ({
  ...{ chain: 'ethereum', remaining_quantity, status: 'ACTIVE', type: 'basic' },
  price: { current: { currency, decimals: 18, value } },
  protocol_data: { parameters: orderOf(contract.address, offer) },
});

describe('the floor of a trait', () => {
  const polled = (upstream: MainUpstream, given: Contract = ofGold) =>
    upstream.floorHistory(
      given,
      { interval: '1d', poll: { askedAt: NOON, newest: undefined, reachesBack: false } },
      signal,
    );

  it('reads the floor of a trait exactly, and converts it with the dollar rate of its collection', async () => {
    const exactly = '61.000000000000000007';
    await using server = await world(
      floorsOf(traitFloor('Pink', 1), traitFloor('Solid Gold', exactly)),
    );

    const page = valueIn(await polled(server.upstream));

    expect(page.points.map(({ price }) => formatDecimal(price))).toEqual([exactly]);
    expect(page.points[0]?.usd).toBeGreaterThan(0n);
    expect(page.isCut).toBe(true);
    expect(server.issues).toEqual([]);
  });

  it('returns no statistics with the floor of a trait, because statistics cover the whole collection', async () => {
    await using server = await world(floorsOf(traitFloor('Solid Gold', 61)));

    expect(valueIn(await polled(server.upstream)).statistics).toBeUndefined();
  });

  it('returns a floor for every trait that the collection has', async () => {
    await using server = await world();
    const [token] = source.tokens(collection.contract);
    const [[type, value] = ['', '']] = token === undefined ? [] : traitsOf(token);

    const page = valueIn(
      await polled(server.upstream, { ...contract, traits: [[type, `${value}`]] }),
    );

    expect(page.points).toHaveLength(1);
    expect(server.issues).toEqual([]);
  });

  it.each([
    {
      what: 'in the currency of the chain',
      floors: [traitFloor('Solid Gold', 5, 'APE'), traitFloor('Solid Gold', 61)],
      price: '61',
    },
    {
      what: 'the lower of ether and wrapped ether',
      floors: [traitFloor('Solid Gold', 62), traitFloor('Solid Gold', 61, 'WETH')],
      price: '61',
    },
    { what: 'empty if nothing is listed', floors: [traitFloor('Pink', 1)], price: 'empty' },
    { what: 'empty for a price of zero', floors: [traitFloor('Solid Gold', 0)], price: 'empty' },
    {
      what: 'empty if all listings are in another currency',
      floors: [traitFloor('Solid Gold', 5, 'APE')],
      price: 'empty',
    },
    {
      what: 'read from a valid record next to an invalid one',
      floors: [traitFloor('Solid Gold', -1), '{"value":7}', traitFloor('Solid Gold', 61)],
      price: '61',
    },
    { what: 'failed if no record is readable', floors: ['{"value":7}'], price: 'failed' },
  ])('the floor of a trait is $what', async ({ floors, price }) => {
    await using server = await world(floorsOf(...floors));

    const found = await polled(server.upstream);

    const [point] = found.kind === 'ok' ? found.value.points : [];
    expect(point === undefined ? found.kind : formatDecimal(point.price)).toBe(price);
  });

  it('reads the cheapest listing for several traits, or for a collection that is too large', async () => {
    const body = { listings: [aListing('1', 'APE'), aListing('61000000000000000007')] };
    await using server = await world({
      instead: (path) => {
        if (path === FLOORS) return { status: 503, body: { errors: ['too large'] } };
        return path === LISTINGS ? { status: 200, body } : undefined;
      },
    });
    const traits = [['Eyes', 'Laser'], ...ofGold.traits] as const;

    const [both, large] = [
      await polled(server.upstream, { ...contract, traits }),
      await polled(server.upstream),
    ].map(valueIn);

    expect([both, large].map((page) => `${page?.points[0]?.price}`)).toEqual(
      Array.from({ length: 2 }, () => '61000000000000000007'),
    );
    const asked = server.requests.filter((request) => request.includes(LISTINGS));
    expect(
      asked.map((request) => new URLSearchParams(request.split('?')[1]).get('traits')),
    ).toEqual([
      '[{"traitType":"Eyes","value":"Laser"},{"traitType":"Fur","value":"Solid Gold"}]',
      '[{"traitType":"Fur","value":"Solid Gold"}]',
    ]);
    expect(server.issues).toEqual([]);
  });

  it.each([
    {
      what: 'one of 10 editions for 1 ETH',
      value: eth('1'),
      offer: ['10'],
      left: 10,
      price: '0.1',
    },
    { what: 'one of 10 that has 3 left', value: eth('1'), offer: ['10'], left: 3, price: '0.1' },
    {
      what: 'an exact part',
      value: 50_000_000_000_000_009n,
      offer: ['3'],
      left: 3,
      price: '0.016666666666666670',
    },
    {
      what: 'of an order without its items',
      value: eth('1'),
      offer: [],
      left: 4,
      price: '0.25',
    },
    { what: 'a single token', value: eth('0.3'), offer: ['1'], left: 1, price: '0.3' },
  ])('reads the price of one token of a listing: $what', async ({ value, offer, left, price }) => {
    const listings = [aListing(`${value}`, 'ETH', offer, left), aListing(`${eth('2')}`)];
    await using server = await world(answering(LISTINGS, { listings }));
    const traits = [['Eyes', 'Laser'], ...ofGold.traits] as const;

    const page = valueIn(await polled(server.upstream, { ...contract, traits }));

    expect(page.points.map((point) => point.price)).toEqual([parseDecimal(price)]);
    expect(server.issues).toEqual([]);
  });

  it('skips and counts listings without a price for one token', async () => {
    const listings = [
      aListing('0'),
      aListing('9'.repeat(40)),
      aListing('1', 'ETH', ['1', '1']),
      aListing('1', 'ETH', ['0']),
      aListing('1', 'USDC'),
      { price: {} },
      aListing(`${eth('61')}`),
    ];
    await using server = await world(answering(LISTINGS, { listings }));
    const traits = [['Eyes', 'Laser'], ...ofGold.traits] as const;

    const { value, skipped } = await countingRequests(() =>
      polled(server.upstream, { ...contract, traits }),
    );

    expect(valueIn(value).points.map((point) => point.price)).toEqual([eth('61')]);
    expect(skipped).toEqual({ no_price: 4, other_money: 1, unreadable: 1 });
  });

  it('reads listings for a numeric trait, which the endpoint for trait floors omits', async () => {
    const listings = [aListing(`${eth('4')}`)];
    await using server = await world({
      instead: (path) => {
        if (path === LISTINGS) return { status: 200, body: { listings } };
        return floorsOf(traitFloor('Pink', 1)).instead(path);
      },
    });
    const [numeric, text] = [
      await polled(server.upstream, { ...contract, traits: [['Level', '5']] }),
      await polled(server.upstream, { ...contract, traits: [['Fur', 'Green']] }),
    ];

    expect(valueIn(numeric).points.map((point) => point.price)).toEqual([eth('4')]);
    expect(text).toEqual({ kind: 'empty' });
    const asked = server.requests.filter((request) => request.includes(LISTINGS));
    expect(
      asked.map((request) => new URLSearchParams(request.split('?')[1]).get('traits')),
    ).toEqual(['[{"traitType":"Level","value":"5"}]']);
    expect(server.issues).toEqual([]);
  });

  it('returns "unsupported" for floor history, sales and offers by trait, without a request', async () => {
    await using server = await world();
    const refused = { kind: 'unsupported', reason: 'traits' };

    expect([
      await server.upstream.floorHistory(ofGold, { interval: '7d' }, signal),
      await server.upstream.lowestTrade(ofGold, 1, 'lowestprice', signal),
      await server.upstream.salesBetween(ofGold, { from: NOON - DAY }, signal),
      await server.upstream.bestOffer(ofGold, signal),
    ]).toEqual([refused, refused, refused, refused]);
    expect(server.requests).toEqual([]);
  });
});
