import Coingecko from '@coingecko/coingecko-typescript';
import { describe, expect, it } from 'vitest';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { KnownFloor } from '#shared/domain/market/upstream.ts';
import { createCoinGecko } from '#shared/providers/coingecko/coingecko.ts';
import { eth, NOON, PUNKS } from '#test/support/builders.ts';
import {
  type CoinGeckoAnswer,
  DEMO_KEY,
  startCoinGecko,
} from '#test/support/coingecko/coingecko-double.ts';
import { FIREWALL_PAGE } from '#test/support/refusals.ts';

const { signal } = new AbortController();
const { address } = contractOf(PUNKS);

async function world(
  floor: string | null | undefined,
  instead: CoinGeckoAnswer | undefined = undefined,
  key = DEMO_KEY,
) {
  const double = await startCoinGecko(
    () => floor,
    () => instead,
  );
  const upstream = createCoinGecko({
    http: createHttpClient({ deadlineMs: 5000, maxBodyBytes: 100_000, maxConnections: 2 }),
    baseUrl: double.url,
    apiKey: async () => key,
    now: () => NOON,
  });
  const poll = (newest?: KnownFloor, contract: ContractKey = PUNKS) =>
    upstream.floorHistory(
      contractOf(contract),
      { interval: '1d', poll: { askedAt: NOON, newest, reachesBack: false } },
      signal,
    );
  return { double, upstream, poll, [Symbol.asyncDispose]: double[Symbol.asyncDispose] };
}

describe('the current floor of CoinGecko', () => {
  it("reads CoinGecko's floor exactly, with its dollar price and the time of the request", async () => {
    await using server = await world('12.340000000000000001');

    expect(await server.poll()).toEqual({
      kind: 'ok',
      value: {
        points: [
          {
            time: NOON,
            price: 12_340_000_000_000_000_001n,
            currency: 'eth',
            usd: eth('37020'),
            marketplaces: ['coingecko'],
          },
        ],
        isCut: true,
      },
    });
    expect(server.double.requests.map(({ path }) => path)).toEqual([
      `/api/v3/nfts/ethereum/contract/${address}`,
    ]);
  });

  it("sends the same request as CoinGecko's own client, which reads the same floor", async () => {
    await using server = await world('12.5');
    const client = new Coingecko({
      demoAPIKey: DEMO_KEY,
      baseURL: `${server.double.url}/api/v3`,
    });

    const read = await client.nfts.contract.getContractAddress(address, {
      asset_platform_id: 'ethereum',
    });

    expect(read.floor_price.native_currency).toBe(12.5);
    await server.poll();
    const [theirs, ours] = server.double.requests;
    expect(ours?.path).toBe(theirs?.path);
    expect(ours?.headers['x-cg-demo-api-key']).toBe(theirs?.headers['x-cg-demo-api-key']);
  });

  it("keeps the time of CoinGecko's known floor while its price is the same", async () => {
    await using server = await world('12.5');
    const known = { time: NOON - 9 * MINUTE, price: eth('12.5'), currency: 'eth' };

    expect(await server.poll(known)).toMatchObject({ value: { points: [{ time: known.time }] } });
    expect(await server.poll({ ...known, time: NOON - HOUR })).toMatchObject({
      value: { points: [{ time: NOON }] },
    });
  });

  it.each([
    ['zero', '0'],
    ['zero with decimals', '0.00'],
    ['nothing', null],
  ])("reads CoinGecko's floor of %s as no price", async (_, floor) => {
    await using server = await world(floor);

    expect(await server.poll()).toEqual({ kind: 'empty' });
  });

  it.each([
    ['a negative price', '{"native_currency_symbol":"ETH","floor_price":{"native_currency":-1}}'],
    [
      'a price in words',
      '{"native_currency_symbol":"ETH","floor_price":{"native_currency":"a lot"}}',
    ],
    ['a price without a currency', '{"floor_price":{"native_currency":1}}'],
    ['a list', '[]'],
    ['a page of HTML', '<html></html>'],
    ['half an answer', '{"floor_price":{"native'],
  ])('reports an answer of CoinGecko with %s as garbage', async (_, body) => {
    await using server = await world('1', { status: 200, body });

    expect(await server.poll()).toEqual({ kind: 'failed', reason: 'garbage' });
  });
});

describe('a rejection by CoinGecko', () => {
  const coded = (code: number) => JSON.stringify({ status: { error_code: code } });

  it.each([
    [401, coded(10_002), { kind: 'denied', reason: 'key' }],
    [401, coded(10_005), { kind: 'denied', reason: 'plan' }],
    [403, coded(10_005), { kind: 'denied', reason: 'plan' }],
    [403, 'error code: 1020', { kind: 'denied', reason: 'blocked' }],
    [403, coded(403), { kind: 'denied', reason: 'blocked' }],
    [401, FIREWALL_PAGE, { kind: 'denied', reason: 'blocked' }],
    [404, '{"error":"nft not found"}', { kind: 'not_found' }],
    [404, '<html></html>', { kind: 'failed', reason: 'garbage' }],
    [429, coded(429), { kind: 'throttled' }],
    [302, '', { kind: 'failed', reason: 'redirect' }],
    [400, '', { kind: 'failed', reason: 'bad_request' }],
    [503, '', { kind: 'failed', reason: 'server_error' }],
  ])('reads the answer %d %s of CoinGecko as a rejection', async (status, body, outcome) => {
    await using server = await world('1', { status, body });

    expect(await server.poll()).toEqual(outcome);
  });

  it('requests no unsupported chain from CoinGecko', async () => {
    await using server = await world('1');

    expect(await server.poll(undefined, `palm:${address}` as ContractKey)).toEqual({
      kind: 'unsupported',
      reason: 'chain',
    });
    expect(server.double.requests).toEqual([]);
  });

  it('requests no floor history from CoinGecko, because it needs a paid plan', async () => {
    await using server = await world('1');

    const past = await server.upstream.floorHistory(contractOf(PUNKS), { interval: '1d' }, signal);

    expect(past).toEqual({ kind: 'unsupported', reason: 'retired' });
    expect(server.double.requests).toEqual([]);
  });

  it('does not repeat a request to CoinGecko after a rejected key if the stored key is the same', async () => {
    await using server = await world('1', undefined, 'CG-other');

    expect(await server.poll()).toEqual({ kind: 'denied', reason: 'key' });
    expect(server.double.requests).toHaveLength(1);
  });
});
