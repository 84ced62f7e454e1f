import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createArchiveSource } from '#functions/serve-nft-data/archive-source.ts';
import { serveNftData } from '#functions/serve-nft-data/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { Token } from '#shared/domain/archive/token.ts';
import type { Trade } from '#shared/domain/archive/trade.ts';
import { DAY, formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createTokenArchive, createTokenStore } from '#shared/stores/token-store.ts';
import { createTradeArchive, createTradeStore } from '#shared/stores/trade-store.ts';
import { anHttpRequest, aPrice, NOON, PUNKS } from '#test/support/builders.ts';
import { inBulk } from '#test/support/bulk-table.ts';

const ADDRESS = PUNKS.slice('eth:'.length);
const TRAITS = 'POST /api/v2.2/nft/{address}/nfts-by-traits';
const FLOORS = 'GET /api/v2.2/nft/{address}/floor-price/historical';
const LOWEST = 'GET /api/v2.2/nft/{address}/lowestprice';

/** The interface over an archive of our own. */
async function world(
  given: {
    readonly tokens?: readonly Token[];
    readonly trades?: readonly Trade[];
    readonly floors?: readonly { readonly time: number; readonly price: string }[];
  } = {},
) {
  const table = createMemoryTable();
  const tokens = createTokenStore(table);
  const history = createHistoryStore(table);
  await createTokenArchive(inBulk(table)).putTokens(given.tokens ?? []);
  await createTradeArchive(inBulk(table)).putTrades(given.trades ?? []);
  const floors = (given.floors ?? []).map(({ time, price }) => aPrice(price, { time }));
  await history.record(PUNKS, 'floor', floors);
  const ask = createArchiveSource({
    now: () => NOON,
    token: tokens.get,
    countWith: tokens.countWith,
    tokensWith: tokens.withTrait,
    lowestTrade: createTradeStore(table).lowest,
    floors: history.newest,
  });
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answersProblems({ info: () => undefined, error: () => undefined }))
    .handler((event) => serveNftData({ now: () => NOON, ask }, event, AbortSignal.timeout(60_000)));
  return async (route: string, more: Parameters<typeof anHttpRequest>[1] = {}) => {
    const event = anHttpRequest(route, { path: { address: ADDRESS }, ...more });
    const { statusCode: status, body } = await handler(event, {} as Context);
    return { status, body: JSON.parse(body) };
  };
}

function aToken(id: number, traits: readonly (readonly [string, string])[]): Token {
  const attributes = traits.map(([trait_type, value]) => ({ trait_type, value }));
  const metadata = JSON.stringify({ name: `#${id}`, attributes });
  return { contract: PUNKS, id: BigInt(id), record: { token_address: ADDRESS, metadata } };
}

function aSale(price: bigint, time: number, order = 0): Trade {
  const record = {
    token_address: ADDRESS,
    transaction_hash: `0x${price}${time}${order}`,
    transaction_index: '',
    token_ids: ['1'],
    seller_address: '',
    buyer_address: '',
    marketplace_address: '',
    price: `${price}`,
    block_timestamp: formatInstant(time).slice(0, 19),
    block_number: '',
    block_hash: '',
  };
  return { contract: PUNKS, time, price, order, record };
}

it('finds the tokens that have all the traits, page by page', async () => {
  const tokens = Array.from({ length: 30 }, (_, id) =>
    aToken(id, [
      ['hat', id % 2 === 0 ? 'cap' : 'crown'],
      ['hat', 'feather'],
      ['__proto__', id % 3 === 0 ? 'x' : 'y'],
    ]),
  );
  const ask = await world({ tokens });
  const body = '{"traits":{"hat":"cap","__proto__":"x"}}';

  const first = await ask(TRAITS, { body, query: { limit: '3' } });
  const second = await ask(TRAITS, { body, query: { cursor: first.body.cursor } });
  const forged = await ask(TRAITS, {
    body: '{"traits":{"hat":"cap"}}',
    query: { cursor: first.body.cursor },
  });

  const ids = [first, second].flatMap(({ body: page }) =>
    page.result.map((token: { token_id: string }) => token.token_id),
  );
  expect(ids).toEqual(['0', '6', '12', '18', '24']);
  expect([first.body.page, second.body.page, second.body.cursor]).toEqual(['1', '2', '']);
  expect([forged.status, forged.body.errors[0].pointer]).toEqual([400, '?cursor']);
});

it('tells the lowest trade of the last days; the earliest wins a tie', async () => {
  const trades = [
    aSale(5n, NOON - DAY - 1),
    aSale(9n, NOON - HOUR),
    aSale(7n, NOON - 3 * HOUR),
    aSale(7n, NOON - 2 * HOUR),
    aSale(1n, NOON + 1),
  ];
  const ask = await world({ trades });

  const day = await ask(LOWEST, { query: { days: '1' } });
  const week = await ask(LOWEST);
  const elsewhere = await ask(LOWEST, { query: { marketplace: 'opensea' } });

  expect([day.body.price, day.body.block_timestamp]).toEqual(['7', '2026-11-21T09:00:00']);
  expect(week.body.price).toBe('5');
  expect([elsewhere.status, elsewhere.body.type]).toEqual([404, 'urn:floorwatch:problem:no_trade']);
});

it('tells floors newest first: each of the last days, the last of each day before', async () => {
  const floors = Array.from({ length: 24 * 40 }, (_, hours) => ({
    time: NOON - hours * HOUR,
    price: `${1 + hours}`,
  }));
  const ask = await world({ floors });

  const day = await ask(FLOORS, { query: { interval: '1d' } });
  const sixtyDays = await ask(FLOORS, { query: { interval: '60d' } });
  const month = await ask(FLOORS, { query: { interval: '30d' } });
  const next = await ask(FLOORS, { query: { interval: '30d', cursor: month.body.cursor } });

  expect(day.body.result).toHaveLength(25);
  expect(day.body.result[0]).toEqual({
    floor_price: '1',
    floor_price_usd: null,
    currency: 'eth',
    marketplace: [],
    timestamp: formatInstant(NOON),
  });
  expect(sixtyDays.body.result).toHaveLength(41);
  expect(next.body.result[0].floor_price).toBe('101');
});
