import { describe, expect, it } from 'vitest';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import { areOfOneOrigin } from '#shared/domain/market/provider.ts';
import type { KnownFloor } from '#shared/domain/market/upstream.ts';
import { createAlchemy } from '#shared/providers/alchemy/alchemy.ts';
import {
  ALCHEMY_KEY,
  type AlchemyAnswer,
  type MarketplaceFloor,
  startAlchemy,
} from '#test/support/alchemy/alchemy-double.ts';
import { eth, NOON, PUNKS } from '#test/support/builders.ts';
import { FIREWALL_PAGE, MONTHLY_CAPACITY, PER_SECOND_CAPACITY } from '#test/support/refusals.ts';

const { signal } = new AbortController();
const { address } = contractOf(PUNKS);

const ofOpenSea = (floorPrice: string | null, retrievedAt = NOON - MINUTE): MarketplaceFloor => ({
  ...{ floorPrice, priceCurrency: 'ETH', retrievedAt: formatInstant(retrievedAt) },
  collectionUrl: 'https://opensea.io/collection/cryptopunks',
});

async function world(
  floor: MarketplaceFloor,
  instead: AlchemyAnswer | undefined = undefined,
  key = ALCHEMY_KEY,
) {
  const double = await startAlchemy(
    () => floor,
    () => instead,
  );
  const upstream = createAlchemy({
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

describe('the current floor of Alchemy', () => {
  it("reads Alchemy's floor exactly, with the time at which Alchemy read it from OpenSea", async () => {
    await using server = await world(ofOpenSea('12.340000000000000001'));

    expect(await server.poll()).toEqual({
      kind: 'ok',
      value: {
        points: [
          {
            time: NOON - MINUTE,
            price: 12_340_000_000_000_000_001n,
            currency: 'eth',
            marketplaces: ['alchemy'],
          },
        ],
        isCut: true,
      },
    });
    const [request] = server.double.requests;
    expect(request?.path).toBe(`/nft/v3/${ALCHEMY_KEY}/getFloorPrice`);
    expect(request?.query.get('contractAddress')).toBe(address);
  });

  it("keeps the time of Alchemy's known floor while its price is the same", async () => {
    await using server = await world(ofOpenSea('12.5'));
    const known = { time: NOON - 9 * MINUTE, price: eth('12.5'), currency: 'eth' };

    expect(await server.poll(known)).toMatchObject({ value: { points: [{ time: known.time }] } });
  });

  it("limits the time of Alchemy's floor to the time of the request", async () => {
    await using server = await world(ofOpenSea('12.5', NOON + MINUTE));

    expect(await server.poll()).toMatchObject({ value: { points: [{ time: NOON }] } });
  });

  it.each([
    ['zero', '0'],
    ['nothing', null],
  ])("reads Alchemy's floor of %s as no price", async (_, floor) => {
    await using server = await world(ofOpenSea(floor));

    expect(await server.poll()).toEqual({ kind: 'empty' });
  });

  it('reports a server error if Alchemy could not read the floor', async () => {
    await using server = await world({ error: 'unable to fetch floor price' });

    expect(await server.poll()).toEqual({ kind: 'failed', reason: 'server_error' });
  });

  it.each([
    ['a negative price', '{"openSea":{"floorPrice":-1,"priceCurrency":"ETH"}}'],
    [
      'a price without a currency',
      '{"openSea":{"floorPrice":1,"retrievedAt":"2026-11-20T00:00:00Z"}}',
    ],
    ['a price without a time', '{"openSea":{"floorPrice":1,"priceCurrency":"ETH"}}'],
    [
      'a price with a future time',
      '{"openSea":{"floorPrice":1,"priceCurrency":"ETH","retrievedAt":"2027-11-20T00:00:00Z"}}',
    ],
    ['a price of LooksRare only', '{"looksRare":{"floorPrice":1,"priceCurrency":"ETH"}}'],
    ['a page of HTML', '<html></html>'],
  ])('reports an answer of Alchemy with %s as garbage', async (_, body) => {
    await using server = await world(ofOpenSea('1'), { status: 200, body });

    expect(await server.poll()).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it('gives Alchemy and OpenSea the same origin, so neither confirms the other', () => {
    expect(areOfOneOrigin('alchemy', 'opensea')).toBe(true);
  });
});

describe('a rejection by Alchemy', () => {
  it.each([
    [401, '{}', { kind: 'denied', reason: 'key' }],
    [403, MONTHLY_CAPACITY, { kind: 'denied', reason: 'quota' }],
    [429, MONTHLY_CAPACITY, { kind: 'denied', reason: 'quota' }],
    [429, PER_SECOND_CAPACITY, { kind: 'throttled' }],
    [403, FIREWALL_PAGE, { kind: 'denied', reason: 'blocked' }],
    [404, '{}', { kind: 'not_found' }],
    [429, '{}', { kind: 'throttled' }],
    [400, '{}', { kind: 'failed', reason: 'bad_request' }],
    [503, '{}', { kind: 'failed', reason: 'server_error' }],
  ])('reads the answer %d %s of Alchemy as a rejection', async (status, body, outcome) => {
    await using server = await world(ofOpenSea('1'), { status, body });

    expect(await server.poll()).toEqual(outcome);
  });

  it('requests neither an unsupported chain nor the floor history from Alchemy', async () => {
    await using server = await world(ofOpenSea('1'));
    const past = await server.upstream.floorHistory(contractOf(PUNKS), { interval: '1d' }, signal);

    expect(await server.poll(undefined, `polygon:${address}` as ContractKey)).toEqual({
      ...{ kind: 'unsupported', reason: 'chain' },
    });
    expect(past).toEqual({ kind: 'unsupported', reason: 'retired' });
    expect(server.double.requests).toEqual([]);
  });

  it('hides and escapes the key in the path of a request to Alchemy', async () => {
    const key = 'a/../secret?key';
    await using server = await world(ofOpenSea('1'), undefined, key);

    const refused = await server.poll();

    expect(refused).toEqual({ kind: 'denied', reason: 'key' });
    expect(server.double.requests[0]?.path).toBe('/nft/v3/a%2F..%2Fsecret%3Fkey/getFloorPrice');
  });
});
