import { describe, expect, it } from 'vitest';
import { formatInstant, HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
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

/** A world with one list, on which the Punks are. */
async function watched() {
  const reported = world();
  await reported.watchlists.put(aWatchlist());
  return reported;
}

describe('contracts', () => {
  it('are those on the lists of the tenant, each once, with the lists that they are on', async () => {
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

  it('leave out what another version has written, and name it', async () => {
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
  });

  it('are called as a list calls them, or else as the provider does, with slug and image', async () => {
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

  it('are reported in pages', async () => {
    const { ask, watchlists } = world();
    await watchlists.put(aWatchlist(aWatchlistBody({ contracts: [PUNKS, APES] })));

    const first = (await ask('GET /v1/contracts', { query: { limit: '1' } })).body;
    const query = { limit: '1', cursor: first.cursor };
    const second = (await ask('GET /v1/contracts', { query })).body;

    const seen = [first, second].map(({ contracts }) => contracts[0].contract);
    expect(seen).toEqual([PUNKS, APES]);
    expect(second.cursor).toBeNull();
  });

  it('tell what was reported last, how old it is, and that it is sound', async () => {
    const { ask, contracts } = await watched();
    const point = aPrice('61.25', { time: NOON - 90 * MINUTE, usd: eth('180000'), source: 'x' });
    await contracts.put({ ...anAnsweredRecord('floor', point), version: 0 });

    const { body } = await ask(CONTRACT, punks);

    expect(body).toMatchObject({ contract: PUNKS, watchlists: ['punks'], cadenceMinutes: 30 });
    expect(body.parts).toEqual([
      {
        ...{ part: 'floor', price: '61.25', currency: 'eth', usd: '180000', source: 'x' },
        dataTime: formatInstant(NOON - 90 * MINUTE),
        answeredAt: formatInstant(NOON),
        ageMinutes: 90,
        health: {
          ...{ state: 'fresh', code: 'ok', reason: null, since: formatInstant(NOON) },
          ...{ silentSince: null, retryAt: null, confirmedBy: null, confirmedAt: null },
        },
      },
    ]);
  });

  it('tell what is wrong with a part, since when, and when it is asked again', async () => {
    const { ask, contracts } = await watched();
    const failed = {
      outcome: 'failed',
      reason: 'timeout',
      since: NOON - HOUR,
      failures: 2,
    } as const;
    const floor = { ...failed, silentSince: NOON - 2 * HOUR, retryAt: NOON + 4 * MINUTE };
    await contracts.put(aContractRecord({ version: 0, parts: { floor } }));

    const { body } = await ask(CONTRACT, punks);

    expect(body.parts[0].health).toEqual({
      ...{ state: 'waiting', code: 'failed_timeout' },
      reason: 'the provider did not answer in time',
      since: formatInstant(NOON - HOUR),
      silentSince: formatInstant(NOON - 2 * HOUR),
      retryAt: formatInstant(NOON + 4 * MINUTE),
      ...{ confirmedBy: null, confirmedAt: null },
    });
  });

  it('name the providers that lack it', async () => {
    const { ask, contracts } = await watched();
    const lackedBy = { coingecko: NOON + HOUR, alchemy: NOON };
    await contracts.put(aContractRecord({ version: 0, parts: { floor: {} }, lackedBy }));

    expect((await ask(CONTRACT, punks)).body.lackedBy).toEqual(['coingecko']);
  });

  it('have no parts before a rule asks for one', async () => {
    const { ask } = await watched();

    expect((await ask(CONTRACT, punks)).body).toMatchObject({ parts: [], pollAt: null });
  });

  it('are found on every list of the tenant, also behind a hundred deleted ones', async () => {
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
    '%s: what is on no list of the tenant is not there',
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
});

describe('health', () => {
  const HEALTH = 'GET /v1/health';

  it('reports everybody the last minute whose polls were sent', async () => {
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

  it('reports that nothing has been sent for minutes, or ever', async () => {
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
      body: { type: 'urn:floorwatch:problem:unhealthy', detail: 'no round of polls was sent' },
    });
    expect((await late.ask(HEALTH)).body.detail).toBe(
      `no round of polls was sent since ${formatInstant(NOON - 6 * MINUTE)}`,
    );
  });

  it('reports that the provider has denied its service, and not why', async () => {
    const { ask, progress, governor } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      again: [],
    });
    const open = { reason: 'quota', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await governor.put({ ...newGovernorRecord(), breakers: { polling: open } });

    expect((await ask(HEALTH)).body.detail).toBe(
      `the data provider has denied its service since ${formatInstant(NOON - HOUR)}`,
    );
  });

  it('is ok while another provider stands in, and names that provider', async () => {
    const { ask, progress, governor } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      standsIn: 'coingecko',
      again: [],
    });
    const open = { reason: 'quota', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await governor.put({ ...newGovernorRecord(), breakers: { polling: open } });

    const { status, body } = await ask(HEALTH);

    const denial = `the data provider has denied its service since ${formatInstant(NOON - HOUR)}`;
    expect([status, body.notes]).toEqual([
      200,
      [`coingecko stands in for the data provider: ${denial}`],
    ]);
  });

  it('does not take sales alone for the prices of the provider', async () => {
    const { ask, progress, governor } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      standsIn: 'ethereum-node',
      again: [],
    });
    const open = { reason: 'quota', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await governor.put({ ...newGovernorRecord(), breakers: { polling: open } });

    const { status, body } = await ask(HEALTH);

    expect(status).toBe(503);
    expect(body.detail).toContain('the data provider has denied its service');
  });

  it('names the operation that the provider denies the polls', async () => {
    const { ask, progress, governor } = world();
    await progress.put({
      version: 0,
      tickedAt: NOON,
      polledUntil: NOON / MINUTE,
      again: [],
    });
    const open = { reason: 'plan', openedAt: NOON - HOUR, probeAt: NOON, probes: 1 };
    await governor.put({ ...newGovernorRecord(), breakers: { 'polling:floor': open } });

    expect((await ask(HEALTH)).body.detail).toBe(
      `the data provider has denied the floor history since ${formatInstant(NOON - HOUR)}`,
    );
  });

  it.each([
    [undefined, []],
    [60, []],
    [120, ['some contracts are polled every 120 minutes, not every 30']],
  ])(
    'reports that a cadence is stretched beyond twice what was promised: %s',
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

  it('reads the table once in ten seconds, however often it is asked', async () => {
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
