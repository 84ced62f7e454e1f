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
      { interval: '1d', poll: { newest, reachesBack: false } },
      signal,
    );
  return { double, upstream, poll, [Symbol.asyncDispose]: double[Symbol.asyncDispose] };
}

describe('the floor of now', () => {
  it('is read digit by digit, of the moment when it was read from OpenSea', async () => {
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

  it('keeps the time of the known floor while it is the same', async () => {
    await using server = await world(ofOpenSea('12.5'));
    const known = { time: NOON - 9 * MINUTE, price: eth('12.5'), currency: 'eth' };

    expect(await server.poll(known)).toMatchObject({ value: { points: [{ time: known.time }] } });
  });

  it('is never of later than it was asked for', async () => {
    await using server = await world(ofOpenSea('12.5', NOON + MINUTE));

    expect(await server.poll()).toMatchObject({ value: { points: [{ time: NOON }] } });
  });

  it.each([
    ['zero', '0'],
    ['nothing', null],
  ])('of %s is no price', async (_, floor) => {
    await using server = await world(ofOpenSea(floor));

    expect(await server.poll()).toEqual({ kind: 'empty' });
  });

  it('that Alchemy could not read has failed', async () => {
    await using server = await world({ error: 'unable to fetch floor price' });

    expect(await server.poll()).toEqual({ kind: 'failed', reason: 'server_error' });
  });

  it.each([
    ['a negative one', '{"openSea":{"floorPrice":-1,"priceCurrency":"ETH"}}'],
    ['one without a currency', '{"openSea":{"floorPrice":1,"retrievedAt":"2026-11-20T00:00:00Z"}}'],
    ['one without a time', '{"openSea":{"floorPrice":1,"priceCurrency":"ETH"}}'],
    [
      'one of tomorrow',
      '{"openSea":{"floorPrice":1,"priceCurrency":"ETH","retrievedAt":"2027-11-20T00:00:00Z"}}',
    ],
    ['one of LooksRare alone', '{"looksRare":{"floorPrice":1,"priceCurrency":"ETH"}}'],
    ['a page of HTML', '<html></html>'],
  ])('that is %s is garbage', async (_, body) => {
    await using server = await world(ofOpenSea('1'), { status: 200, body });

    expect(await server.poll()).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it('confirms none of OpenSea, since it is the same', () => {
    expect(areOfOneOrigin('alchemy', 'opensea')).toBe(true);
  });
});

describe('a refusal', () => {
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
  ])('%d %s', async (status, body, outcome) => {
    await using server = await world(ofOpenSea('1'), { status, body });

    expect(await server.poll()).toEqual(outcome);
  });

  it('comes without a call for a chain that it lacks, and for floors of the past', async () => {
    await using server = await world(ofOpenSea('1'));
    const past = await server.upstream.floorHistory(contractOf(PUNKS), { interval: '1d' }, signal);

    expect(await server.poll(undefined, `polygon:${address}` as ContractKey)).toEqual({
      ...{ kind: 'unsupported', reason: 'chain' },
    });
    expect(past).toEqual({ kind: 'unsupported', reason: 'retired' });
    expect(server.double.requests).toEqual([]);
  });

  it('says nothing of the key, which is in the path, and escapes it', async () => {
    const key = 'a/../secret?key';
    await using server = await world(ofOpenSea('1'), undefined, key);

    const refused = await server.poll();

    expect(refused).toEqual({ kind: 'denied', reason: 'key' });
    expect(server.double.requests[0]?.path).toBe('/nft/v3/a%2F..%2Fsecret%3Fkey/getFloorPrice');
  });
});
