import { describe, expect, it } from 'vitest';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { loadReplayedMarket } from '#infra/local/upstream/replayed-market.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createPictureReader } from '#shared/clients/picture-reader.ts';
import { ContractKey, contractOf, withTraits } from '#shared/domain/market/contract.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { findCollection } from '#shared/providers/opensea/find-collection.ts';
import { createOpenSea } from '#shared/providers/opensea/opensea.ts';
import {
  aFloorLine,
  aTokenLine,
  aTradeLine,
  PUNKS,
  writeMarketFiles,
} from '#test/support/market-files.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';
import { startUpstreamServer } from '#test/support/upstream/upstream-server.ts';

const now = Date.UTC(2021, 7, 20, 12);
const KEY = 'the-key';
const { signal } = new AbortController();

const aFloorAt = (time: number, price: string) => aFloorLine(formatInstant(time), price);
const aTradeAt = (time: number, price: bigint, given: object = {}) =>
  aTradeLine(formatInstant(time).slice(0, 19), `${price}`, given);

const usualMarket = {
  'floors.jsonl': [aFloorAt(now - HOUR, '30.050000000000000007'), aFloorAt(now + HOUR, '29')],
  'trades.jsonl': [aTradeAt(now - DAY, 34n), aTradeAt(now + HOUR, 1n)],
  'tokens.jsonl': [aTokenLine('1', [['hat', 'cap']])],
};

/** A market server for these files, the real client, and a clock that the test sets. */
async function world(files: Parameters<typeof writeMarketFiles>[0]) {
  await using written = await writeMarketFiles(files);
  const clock = { now };
  const source = await loadReplayedMarket(written.directory);
  const server = await startMarketServer({ source, now: () => clock.now, apiKey: KEY });
  const upstream = createNftData({
    http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 1_000_000, maxConnections: 5 }),
    baseUrl: server.url,
    apiKey: async () => KEY,
    now: () => clock.now,
  });
  return {
    ...server,
    clock,
    floor: () => upstream.floorHistory(contractOf(PUNKS), { interval: '7d' }, signal),
    lowest: () => upstream.lowestTrade(contractOf(PUNKS), 7, 'lowestprice', signal),
    [Symbol.asyncDispose]: server.close,
  };
}

describe('a market', () => {
  it('a market returns events up to now with all digits, and no future events', async () => {
    await using asked = await world(usualMarket);

    const floor = await asked.floor();
    const lowest = await asked.lowest();
    asked.clock.now += HOUR;
    const later = await asked.floor();

    const points = (outcome: typeof floor) =>
      outcome.kind === 'ok' ? outcome.value.points.map(({ price }) => price) : outcome;
    expect(points(floor)).toEqual([30_050_000_000_000_000_007n]);
    expect(points(later)).toEqual([29n * 10n ** 18n, 30_050_000_000_000_000_007n]);
    expect(lowest).toMatchObject({ kind: 'ok', value: { price: 34n } });
    expect(await asked.lowest()).toMatchObject({ kind: 'ok', value: { price: 1n } });
  });

  it('a market rejects requests without its key, and paths other than its three operations', async () => {
    await using asked = await world(usualMarket);
    const path = `${asked.url}/api/v2.2/nft/${PUNKS.slice(4)}`;
    const status = async (url: string, key: string) =>
      (await fetch(url, { headers: { 'x-api-key': key } })).status;

    expect(await status(`${path}/lowestprice`, 'another')).toBe(401);
    expect(await status(`${path}/lowestprice`, KEY)).toBe(200);
    expect(await status(`${path}/owners`, KEY)).toBe(404);
    expect(await status(`${path}/lowestprice?days=0`, KEY)).toBe(400);
  });
});

/** The settings of an OpenSea client for a market. */
const settingsOf = ({ url }: { readonly url: string }) => ({
  http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 1_000_000, maxConnections: 1 }),
  baseUrl: url,
  apiKey: async () => KEY,
  now: () => now,
});

describe('the collections of a market', () => {
  it('a market finds a collection by its address, but not by an address with one wrong digit', async () => {
    await using asked = await world(usualMarket);
    const settings = settingsOf(asked);
    const typo = `${PUNKS.slice(0, -1)}${PUNKS.endsWith('0') ? '1' : '0'}`;

    expect(await findCollection(settings, PUNKS, signal)).toMatchObject({ contract: PUNKS });
    expect(await findCollection(settings, typo, signal)).toEqual({ kind: 'not_found' });
    const answer = await fetch(`${asked.url}/api/v2/collections/unknown`, {
      headers: { 'x-api-key': KEY },
    });
    expect([answer.status, await answer.json()]).toEqual([404, { errors: ['not found'] }]);
  });
});

it('a market finds a collection by the name that the console shows, regardless of case', async () => {
  const source = createSimulatedMarket(1, now);
  await using server = disposed(await startMarketServer({ source, now: () => now, apiKey: KEY }));

  const found = await findCollection(settingsOf(server), 'rusty ROBOTS', signal);
  const unclear = await findCollection(settingsOf(server), 'Moonlit', signal);

  expect(found).toMatchObject({ kind: 'found', collection: { name: 'Rusty Robots' } });
  expect(unclear).toMatchObject({
    ...{ kind: 'unclear', candidates: [{ slug: 'moonlit-apes' }, { slug: 'moonlit-cats' }] },
  });
});

it('a market serves a picture of each collection at a URL that a local stack can read', async () => {
  await using asked = await world(usualMarket);
  const settings = settingsOf(asked);
  const read = createPictureReader({ destinations: 'loopback-only' });

  const found = await findCollection(settings, PUNKS, signal);

  const image = 'collection' in found ? found.collection.image : undefined;
  expect(await read(image ?? '', signal)).toMatchObject({ kind: 'ok', type: 'image/png' });
});

it('a market returns the last floor of each UTC day for a long interval, newest first', async () => {
  const start = Date.UTC(2026, 0, 5, 12);
  const source = createSimulatedMarket(1, start);
  await using server = disposed(await startMarketServer({ source, now: () => start, apiKey: KEY }));
  const { contract = PUNKS } = source.contracts()[0] ?? {};
  const path = `/api/v2.2/nft/${contract.slice(4)}/floor-price/historical?interval=all`;

  const { prices } = await ask(server.url, path);

  const days = prices.slice(2).map((price) => String(price).slice(-24, -14));
  expect(days).toHaveLength(90);
  expect(new Set(days).size).toBe(90);
  expect(days).toEqual(days.toSorted().toReversed());
});

describe('the next change', () => {
  it('there is no next change before the first request', async () => {
    await using asked = await world(usualMarket);

    expect(asked.nextChangeAfter(now)).toBeUndefined();
  });

  it('the next change of a floor is its next recorded value, and undefined after the last', async () => {
    await using asked = await world(usualMarket);
    await asked.floor();

    expect(asked.nextChangeAfter(now)).toBe(now + HOUR);
    expect(asked.nextChangeAfter(now + HOUR)).toBeUndefined();
  });

  it('the next change of a lowest trade is the first trade that undercuts it', async () => {
    await using asked = await world({
      'trades.jsonl': [
        aTradeAt(now - DAY, 30n),
        aTradeAt(now + HOUR, 30n),
        aTradeAt(now + 2 * HOUR, 10n, { payment_token: 'USDC' }),
        aTradeAt(now + 3 * HOUR, 29n),
      ],
    });
    await asked.lowest();

    expect(asked.nextChangeAfter(now)).toBe(now + 3 * HOUR);
  });

  it('the next change of a lowest trade is the end of its window if no trade undercuts it', async () => {
    await using asked = await world({
      'trades.jsonl': [aTradeAt(now - DAY, 30n), aTradeAt(now + HOUR, 31n)],
    });
    await asked.lowest();
    const leaves = now + 6 * DAY + 1;

    expect(asked.nextChangeAfter(now)).toBe(leaves);
    asked.clock.now = leaves - 1;
    expect(await asked.lowest()).toMatchObject({ value: { price: 30n } });
    asked.clock.now = leaves;
    expect(await asked.lowest()).toMatchObject({ value: { price: 31n } });
    expect(asked.nextChangeAfter(leaves)).toBe(now + HOUR + 7 * DAY + 1);
  });

  it('the next change of a lowest trade without a trade in its window is the next trade', async () => {
    await using asked = await world({ 'trades.jsonl': [aTradeAt(now + HOUR, 31n)] });
    await asked.lowest();

    expect(asked.nextChangeAfter(now)).toBe(now + HOUR);
  });

  it('the next change of several requests is the earliest one', async () => {
    await using asked = await world({
      'trades.jsonl': [aTradeAt(now + 2 * HOUR, 31n)],
      'floors.jsonl': [aFloorAt(now + HOUR, '1')],
    });
    await asked.lowest();
    await asked.floor();

    expect(asked.nextChangeAfter(now)).toBe(now + HOUR);
  });
});

it("a market returns floors of traits in OpenSea's format: above the floor of the collection, and higher for rarer traits", async () => {
  const start = Date.UTC(2026, 0, 5, 12);
  const source = createSimulatedMarket(1, start);
  await using server = disposed(await startMarketServer({ source, now: () => start, apiKey: KEY }));
  const { floorHistory } = createOpenSea({
    http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 5_000_000, maxConnections: 5 }),
    ...{ baseUrl: server.url, apiKey: async () => KEY, now: () => start },
  });
  const [{ contract } = { contract: ContractKey.parse(PUNKS) }] = source.contracts();
  const [whole] = source.floors(contract, start - DAY, start);
  const poll = { askedAt: start, newest: undefined, reachesBack: false };
  const floorOf = async (traits: Readonly<Record<string, string>>) => {
    const key = withTraits(contract, traits) ?? contract;
    const found = await floorHistory(contractOf(key), { interval: '1d', poll }, signal);
    return found.kind === 'ok' ? found.value.points[0] : found.kind;
  };

  const gold = await floorOf({ Body: 'Gold' });
  const both = await floorOf({ Body: 'Gold', Hat: 'Crown' });

  const price = (found: Awaited<ReturnType<typeof floorOf>>) =>
    typeof found === 'object' ? (found?.price ?? 0n) : 0n;
  expect(price(gold)).toBeGreaterThan(readDecimal(whole?.record.floor_price ?? '') ?? 0n);
  expect(price(both)).toBeGreaterThan(price(gold));
  expect(gold).toMatchObject({ currency: 'eth', usd: expect.any(BigInt) });
  expect(await floorOf({ Body: 'Silver' })).toBe('empty');
  expect(server.nextChangeAfter(start)).toBe(source.nextFloor(contract, start));
});

/** The fake of the unit tests scans all data for each request. */
it.each([1, 2])(
  'a market returns the same responses as a plain scan of its data (seed %i)',
  async (seed) => {
    const start = Date.UTC(2026, 0, 5, 12);
    const source = createSimulatedMarket(seed, start);
    const clock = { now: start };
    const options = { source, now: () => clock.now, apiKey: KEY };
    await using ours = disposed(await startMarketServer(options));
    await using naive = disposed(await startUpstreamServer(options));
    const random = createSeededRandom(seed);
    const contracts = source.contracts().slice(0, 2);

    for (let question = 0; question < 40; question += 1) {
      clock.now += random.below(90) * MINUTE;
      const { contract } = random.pick(contracts);
      const path = `/api/v2.2/nft/${contract.slice(4)}/${random.pick(QUESTIONS)}`;
      const [said, meant] = await Promise.all([ask(ours.url, path), ask(naive.url, path)]);
      expect([path, said.status, said.prices]).toEqual([path, meant.status, meant.prices]);
    }
  },
);

const QUESTIONS = [
  'floor-price/historical?interval=1d',
  'floor-price/historical?interval=30d',
  'lowestprice',
  'lowestprice?days=1',
  'lowestprice?days=30',
];

async function ask(origin: string, path: string) {
  const response = await fetch(`${origin}${path}`, { headers: { 'x-api-key': KEY } });
  const body = (await response.json()) as Record<string, unknown>;
  const { price, block_timestamp, result = [] } = body;
  const floors = (result as { floor_price: string; timestamp: string }[]).map((floor) => [
    Number(floor.floor_price),
    floor.timestamp,
  ]);
  return { status: response.status, prices: [price, block_timestamp, ...floors] };
}

function disposed<Server extends { readonly close: () => Promise<void> }>(server: Server) {
  return { ...server, [Symbol.asyncDispose]: server.close };
}
