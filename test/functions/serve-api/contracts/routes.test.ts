import { describe, expect, it } from 'vitest';
import { formatInstant, HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import {
  APES,
  aContractRecord,
  anAnsweredRecord,
  aPrice,
  aWatchlist,
  aWatchlistBody,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { world } from './world.ts';

const CONTRACT = 'GET /v1/contracts/{contract}';
const PRICES = 'GET /v1/contracts/{contract}/prices';
const punks = { path: { contract: PUNKS } };

/** A world with the Punks on one list. */
async function watched() {
  const reported = world();
  await reported.watchlists.put(aWatchlist());
  return reported;
}

describe('contracts', () => {
  it("each contract on the tenant's lists is listed once, with the lists that have it", async () => {
    const { ask, watchlists } = world();
    await watchlists.put(aWatchlist(aWatchlistBody({ contracts: [PUNKS, APES] })));
    await watchlists.put({ ...aWatchlist(), id: 'more', tenant: 'acme' });
    await watchlists.put({ ...aWatchlist(), id: 'theirs', tenant: 'other' });

    const { status, body } = await ask('GET /v1/contracts');

    expect(status).toBe(200);
    expect(body.contracts.map((one: object) => Object.values(one).slice(0, 3))).toEqual([
      [PUNKS, null, ['more', 'punks']],
      [APES, null, ['punks']],
    ]);
    expect(body.cursor).toBeNull();
  });

  it('the list of contracts skips unreadable records, and names them', async () => {
    const { ask, watchlists, contracts, table } = await watched();
    await watchlists.put(aWatchlist({ id: 'broken', contracts: [APES] }));
    const key = { pk: 'TENANT#acme', sk: 'LIST#broken' };
    await table.put({ ...(await table.get(key)), ...key, name: undefined });
    await contracts.put(aContractRecord({ version: 0 }));
    const [record] = table.items().filter(({ pk }) => pk.startsWith('CONTRACTS#'));
    if (record) await table.put({ ...record, seq: 'many' });

    const { status, body } = await ask('GET /v1/contracts');
    const one = await ask(CONTRACT, punks);
    const other = await ask(CONTRACT, { path: { contract: APES } });

    expect([status, body.contracts]).toEqual([200, []]);
    expect(body.unreadable).toEqual([
      { kind: 'watchlist', id: 'broken', reason: 'unexpected value of "name"' },
      { kind: 'contract', id: PUNKS, reason: 'unexpected value of "seq"' },
    ]);
    expect([one.status, one.body.type]).toEqual([409, 'urn:floorwatch:problem:unreadable']);
    expect([other.status, other.body.type]).toEqual([409, 'urn:floorwatch:problem:unreadable']);
    expect(one.body.detail).toContain('(unexpected value of "seq"); ask the operator to deploy');
    expect(other.body.detail).toContain(
      '(unexpected value of "name"); send PUT to replace it or DELETE',
    );
  });

  it('a contract has the name that a list gives it, or else the name of its collection', async () => {
    const { ask, watchlists, collections } = world();
    const contracts = [PUNKS, { contract: APES, name: 'Apes' }];
    await watchlists.put(aWatchlist(aWatchlistBody({ contracts })));
    const image = 'https://i2c.seadn.io/apes.png';
    await collections.put(APES, { name: 'Bored Apes', slug: 'bayc', image });
    await collections.put(PUNKS, { name: 'CryptoPunks', slug: 'cryptopunks' });

    const { body } = await ask('GET /v1/contracts');

    expect(body.contracts).toMatchObject([
      { name: 'CryptoPunks', collection: { slug: 'cryptopunks', image: null } },
      { name: 'Apes', collection: { name: 'Bored Apes', slug: 'bayc', image } },
    ]);
  });

  it('contracts are listed in pages', async () => {
    const { ask, watchlists } = world();
    await watchlists.put(aWatchlist(aWatchlistBody({ contracts: [PUNKS, APES] })));

    const first = (await ask('GET /v1/contracts', { query: { limit: '1' } })).body;
    const query = { limit: '1', cursor: first.cursor };
    const second = (await ask('GET /v1/contracts', { query })).body;

    const seen = [first, second].map(({ contracts }) => contracts[0].contract);
    expect(seen).toEqual([PUNKS, APES]);
    expect(second.cursor).toBeNull();
  });

  it('a contract reports its last price, the age of its data, and that it is healthy', async () => {
    const { ask, contracts } = await watched();
    const point = aPrice('61.25', { time: NOON - 90 * MINUTE, usd: eth('180000'), source: 'x' });
    await contracts.put({ ...anAnsweredRecord('floor', point), version: 0 });

    const { body } = await ask(CONTRACT, punks);

    expect(body).toMatchObject({ contract: PUNKS, watchlists: ['punks'], cadenceMinutes: 30 });
    expect(body.series).toEqual([
      {
        ...{ series: 'floor', price: '61.25', currency: 'eth', usd: '180000', source: 'x' },
        dataTime: formatInstant(NOON - 90 * MINUTE),
        answeredAt: formatInstant(NOON),
        ageMinutes: 90,
        health: {
          ...{ state: 'fresh', code: 'ok', reason: null, since: formatInstant(NOON) },
          ...{ noDataSince: null, retryAt: null, confirmedBy: null, confirmedAt: null },
        },
      },
    ]);
  });

  it('a contract reports why and since when a price series fails, and its next poll', async () => {
    const { ask, contracts } = await watched();
    const failed = {
      outcome: 'failed',
      reason: 'timeout',
      since: NOON - HOUR,
      failures: 2,
    } as const;
    const floor = { ...failed, noDataSince: NOON - 2 * HOUR, retryAt: NOON + 4 * MINUTE };
    await contracts.put(aContractRecord({ version: 0, series: { floor } }));

    const { body } = await ask(CONTRACT, punks);

    expect(body.series[0].health).toEqual({
      ...{ state: 'waiting', code: 'failed_timeout' },
      reason: 'the provider did not respond in time',
      since: formatInstant(NOON - HOUR),
      noDataSince: formatInstant(NOON - 2 * HOUR),
      retryAt: formatInstant(NOON + 4 * MINUTE),
      ...{ confirmedBy: null, confirmedAt: null },
    });
  });

  it('a contract names the providers that do not support it', async () => {
    const { ask, contracts } = await watched();
    const unsupportedBy = { coingecko: NOON + HOUR, alchemy: NOON };
    await contracts.put(aContractRecord({ version: 0, series: { floor: {} }, unsupportedBy }));

    expect((await ask(CONTRACT, punks)).body.unsupportedBy).toEqual(['coingecko']);
  });

  it('a contract has no price series until a rule needs one', async () => {
    const { ask } = await watched();

    expect((await ask(CONTRACT, punks)).body).toMatchObject({ series: [], pollAt: null });
  });

  it('a contract is found on the last list of the tenant, after a hundred deleted lists', async () => {
    const { ask, watchlists } = await watched();
    for (let count = 0; count < 100; count += 1) {
      const list = { ...aWatchlist(), id: `list-${count}`, members: [], rules: [] };
      await watchlists.put({ ...list, deleted: true });
    }
    const last = { ...aWatchlist(aWatchlistBody({ contracts: [APES] })), id: 'zoo' };
    await watchlists.put(last);

    expect(await ask(CONTRACT, { path: { contract: APES } })).toMatchObject({ status: 200 });
  });

  it.each([CONTRACT, PRICES])(
    '%s returns 404 for a contract that is on no list of the tenant',
    async (route) => {
      const { ask, watchlists, contracts, history } = await watched();
      await watchlists.put({
        ...aWatchlist(aWatchlistBody({ contracts: [APES] })),
        tenant: 'other',
      });
      await contracts.put({ ...aContractRecord({ version: 0 }), contract: APES });
      await history.record(APES, 'floor', [aPrice('9')]);

      for (const contract of [APES, 'eth:0x0', 'nonsense']) {
        expect(await ask(route, { path: { contract } })).toMatchObject({ status: 404 });
      }
    },
  );

  it('a text that is no contract is refused with the form of a contract', async () => {
    const { ask } = await watched();

    expect((await ask(CONTRACT, { path: { contract: 'eth:0x12' } })).body).toMatchObject({
      detail: 'expected a contract as <chain>:<address>, with an address of 0x and 40 hex digits',
    });
  });
});

describe('health', () => {
  const HEALTH = 'GET /v1/health';

  it('GET /v1/health reports the last minute in which polls were sent, and may be cached publicly', async () => {
    const { ask, progress } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE - 1,
      again: [],
    });

    const { status, body, headers } = await ask(HEALTH);

    expect([status, body]).toEqual([
      200,
      { status: 'ok', dispatchedAt: formatInstant(NOON - MINUTE), notes: [] },
    ]);
    expect(headers['Cache-Control']).toBe('public, max-age=10');
  });

  it('GET /v1/health returns 503 if no polls were sent for minutes, or ever', async () => {
    const { ask } = world();
    const late = world();
    await late.progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE - 6,
      again: [],
    });

    expect(await ask(HEALTH)).toMatchObject({
      status: 503,
      body: { type: 'urn:floorwatch:problem:unhealthy', detail: 'no polls have been sent' },
    });
    expect((await late.ask(HEALTH)).body.detail).toBe(
      `no polls have been sent since ${formatInstant(NOON - 6 * MINUTE)}`,
    );
  });

  it('GET /v1/health reports that the provider denies service, but not the reason', async () => {
    const { ask, progress, rateLimiter } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      again: [],
    });
    const open = { reason: 'quota', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await rateLimiter.put({ ...newRateLimiterRecord(), breakers: { polling: open } });

    expect((await ask(HEALTH)).body.detail).toBe(
      `the data provider has denied access to its service since ${formatInstant(NOON - HOUR)}`,
    );
  });

  it('GET /v1/health reports ok while a fallback provider replaces the first one, and names the fallback', async () => {
    const { ask, progress, rateLimiter } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      fallback: 'coingecko',
      again: [],
    });
    const open = { reason: 'quota', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await rateLimiter.put({ ...newRateLimiterRecord(), breakers: { polling: open } });

    const { status, body } = await ask(HEALTH);

    const denial = `the data provider has denied access to its service since ${formatInstant(NOON - HOUR)}`;
    expect([status, body.notes]).toEqual([200, [`coingecko is used as a fallback: ${denial}`]]);
  });

  it('GET /v1/health returns 503 if the fallback provider has only sales', async () => {
    const { ask, progress, rateLimiter } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      fallback: 'ethereum-node',
      again: [],
    });
    const open = { reason: 'quota', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await rateLimiter.put({ ...newRateLimiterRecord(), breakers: { polling: open } });

    const { status, body } = await ask(HEALTH);

    expect(status).toBe(503);
    expect(body.detail).toContain('the data provider has denied access to its service');
  });

  it('GET /v1/health names the operation that the provider denies to polls', async () => {
    const { ask, progress, rateLimiter } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      again: [],
    });
    const open = { reason: 'plan', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await rateLimiter.put({ ...newRateLimiterRecord(), breakers: { 'polling:floor': open } });

    expect((await ask(HEALTH)).body.detail).toBe(
      `the data provider has denied access to the floor history since ${formatInstant(NOON - HOUR)}`,
    );
  });

  it.each([
    [undefined, []],
    [60, []],
    [120, ['some contracts are polled every 120 minutes, instead of every 30']],
  ])(
    'GET /v1/health notes a cadence that is longer than twice the configured cadence: %s minutes',
    async (minutes, reported) => {
      const { ask, progress, cadences } = world();
      await progress.put({
        version: 0,
        tickedAt: NOON,
        polledUntil: NOON / MINUTE,
        again: [],
      });
      if (minutes !== undefined)
        await cadences.noteCadences({ ...NO_CADENCES, stretched: { other: { minutes } } });

      expect((await ask(HEALTH)).body).toMatchObject({ status: 'ok', notes: reported });
    },
  );

  it('GET /v1/health reads the table at most every ten seconds', async () => {
    let [time, reads] = [NOON, 0];
    const getProgress = async () => {
      reads += 1;
      return { version: 1, tickedAt: NOON, polledUntil: NOON / MINUTE, again: [] };
    };
    const { ask } = world({ now: () => time, getProgress });

    for (let asked = 0; asked < 21; asked += 1) {
      expect((await ask(HEALTH)).status).toBe(200);
      time += SECOND;
    }

    expect(reads).toBe(3);
  });
});
