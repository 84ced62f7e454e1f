import { describe, expect, it } from 'vitest';
import { newAlertRecord } from '#shared/domain/alerting/alert-record.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import type { PartRecord } from '#shared/domain/polling/contract-record.ts';
import { toCursor } from '#shared/http/cursor.ts';
import {
  APES,
  aContractRecord,
  anAlert,
  aPrice,
  aRuleBody,
  aWatch,
  aWatchlistBody,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { world } from './world.ts';

/** A world with a list of tenant acme and one of tenant umbrella. */
async function twoTenants() {
  const made = world();
  await made.ask('POST', { body: aWatchlistBody() });
  await made.ask('POST', { body: aWatchlistBody({ id: 'theirs' }), tenant: 'umbrella' });
  await made.watches.put(aWatch({ version: 0 }));
  await made.alerts.put(newAlertRecord(anAlert(), [], NOON));
  made.sent.length = 0;
  return made;
}

describe('a refused request', () => {
  type Given = Parameters<Awaited<ReturnType<typeof world>>['ask']>[1];
  it.each<{ request: string; given?: Given; status: number; at?: string }>([
    { request: 'POST', given: { body: '{' }, status: 400, at: '' },
    { request: 'POST', given: { body: aWatchlistBody({ nmae: 1 }) }, status: 400, at: '/nmae' },
    {
      request: 'POST',
      given: { body: aWatchlistBody({ rules: [aRuleBody({ recover: '1' })] }) },
      status: 400,
      at: '/rules/0/recover',
    },
    {
      request: 'POST',
      given: { body: aWatchlistBody({ revision: 1 }) },
      status: 400,
      at: '/revision',
    },
    {
      request: 'POST',
      given: { body: aWatchlistBody({ tenant: 'umbrella' }) },
      status: 400,
      at: '/tenant',
    },
    { request: 'POST', given: { body: aWatchlistBody() }, status: 409, at: '/id' },
    { request: 'POST', given: { body: aWatchlistBody({ id: 'x' }), scopes: 'read' }, status: 403 },
    { request: 'POST', given: { body: 'x'.repeat(256 * 1024 + 1) }, status: 413 },
    {
      request: 'PUT punks',
      given: { body: aWatchlistBody({ id: 'others' }) },
      status: 400,
      at: '/id',
    },
    { request: 'PUT punks', given: { body: aWatchlistBody(), scopes: 'read' }, status: 403 },
    {
      request: 'PUT punks',
      given: { body: aWatchlistBody(), headers: { 'If-Match': '"9"' } },
      status: 412,
    },
    { request: 'PUT PUNKS', given: { body: { name: 'x' } }, status: 400, at: '/watchlist' },
    { request: 'PUT a#b', given: { body: { name: 'x' } }, status: 400, at: '/watchlist' },
    { request: 'DELETE punks', given: { scopes: 'read' }, status: 403 },
    { request: 'DELETE punks', given: { headers: { 'If-Match': '"9"' } }, status: 412 },
    { request: 'DELETE nothing', status: 404 },
    { request: 'GET punks', given: { scopes: 'write' }, status: 403 },
    { request: 'GET PUNKS', status: 404 },
    { request: 'GET punks#', status: 404 },
    { request: 'GET', given: { query: { limit: '101' } }, status: 400, at: '?limit' },
    { request: 'GET', given: { query: { cursor: 'x' } }, status: 400, at: '?cursor' },
    {
      request: 'GET',
      given: { query: { cursor: toCursor('PENDING#punks') } },
      status: 400,
      at: '?cursor',
    },
    { request: 'GET', given: { query: { page: '2' } }, status: 400, at: '?page' },
    {
      request: 'GET punks/alerts',
      given: { query: { cursor: toCursor('LIST#x') } },
      status: 400,
      at: '?cursor',
    },
    { request: 'GET punks/watches', given: { query: { cursor: 'x' } }, status: 400, at: '?cursor' },
    {
      request: 'GET punks/watches',
      given: { query: { cursor: toCursor(APES) } },
      status: 400,
      at: '?cursor',
    },
    { request: 'GET punks/watches', given: { query: { limit: '2' } }, status: 400, at: '?limit' },
    { request: 'PATCH punks', status: 404 },
    { request: 'GET punks/rules', status: 404 },
  ])(
    '$request is answered with $status ($at) and leaves no trace',
    async ({ request, given, status, at }) => {
      const { ask, table, sent } = await twoTenants();
      const before = table.items();

      const { headers, ...answer } = await ask(request, given);

      expect(answer.status).toBe(status);
      expect(headers['Content-Type']).toBe('application/problem+json');
      expect(answer.body).toMatchObject({
        status,
        type: expect.stringMatching(/^urn:floorwatch:/),
      });
      expect(answer.body.errors?.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
        at === undefined ? undefined : [at],
      );
      expect(table.items()).toEqual(before);
      expect(sent).toEqual([]);
    },
  );
});

describe("another tenant's list", () => {
  it.each(['GET theirs', 'GET theirs/watches', 'GET theirs/alerts', 'DELETE theirs'])(
    'is not there for %s',
    async (request) => {
      const { ask, table } = await twoTenants();
      const before = table.items();

      const foreign = await ask(request);
      const missing = await ask(request.replace('theirs', 'nothing'));

      expect(foreign).toEqual(missing);
      expect(foreign.status).toBe(404);
      expect(table.items()).toEqual(before);
    },
  );

  it('stays as it is when somebody else makes one of the same name', async () => {
    const { ask } = await twoTenants();

    const put = await ask('PUT theirs', { body: { name: 'Mine' } });

    const theirs = await ask('GET theirs', { tenant: 'umbrella' });
    expect([put.status, put.body.revision]).toEqual([201, 1]);
    expect(theirs.body).toMatchObject({ name: 'Punks', revision: 1 });
  });

  it('appears in no list, no watch and no alert', async () => {
    const { ask } = await twoTenants();
    await ask('PUT punks', { body: aWatchlistBody(), tenant: 'umbrella' });

    const askAs = async (tenant: string) => ({
      ...(await ask('GET', { tenant })).body,
      ...(await ask('GET punks/watches', { tenant })).body,
      ...(await ask('GET punks/alerts', { tenant })).body,
    });

    const [mine, theirs] = [await askAs('acme'), await askAs('umbrella')];

    expect(mine).toMatchObject({
      watchlists: [{ id: 'punks' }],
      watches: [{ rule: 'floor-60' }],
      alerts: [{ rule: 'floor-60' }],
    });
    expect(theirs).toMatchObject({
      watchlists: [{ id: 'punks' }, { id: 'theirs' }],
      watches: [],
      alerts: [],
    });
  });
});

describe('pages', () => {
  it('of watchlists lead through all of them, in order, tombstones left out', async () => {
    const { ask } = world();
    for (const id of ['e', 'c', 'a', 'd', 'b']) await ask('POST', { body: { id, name: id } });
    await ask('DELETE c');

    const seen: string[][] = [];
    let cursor: string | undefined;
    do {
      const { body } = await ask('GET', { query: { limit: '2', ...(cursor && { cursor }) } });
      seen.push(body.watchlists.map(({ id }: { id: string }) => id));
      cursor = body.cursor ?? undefined;
    } while (cursor !== undefined);

    expect(seen).toEqual([['a', 'b'], ['d'], ['e']]);
  });

  it('of alerts begin with the newest', async () => {
    const { ask, alerts } = await twoTenants();
    const later = anAlert({ at: formatInstant(NOON + 5 * MINUTE), id: 'later.1.2' });
    await alerts.put(newAlertRecord(later, ['stack-topic'], NOON));

    const first = (await ask('GET punks/alerts', { query: { limit: '1' } })).body;
    const second = (await ask('GET punks/alerts', { query: { limit: '1', cursor: first.cursor } }))
      .body;

    expect([first.alerts[0].id, second.alerts[0].id]).toEqual([later.id, anAlert().id]);
  });

  it('of watches hold those of 25 contracts', async () => {
    const { ask, watches } = world();
    const contracts = Array.from(
      { length: 30 },
      (_, index): ContractKey => `eth:0x${index.toString(16).padStart(40, '0')}`,
    );
    await ask('POST', { body: aWatchlistBody({ contracts }) });
    for (const contract of contracts) await watches.put(aWatch({ contract, version: 0 }));

    const first = (await ask('GET punks/watches')).body;
    const second = (await ask('GET punks/watches', { query: { cursor: first.cursor } })).body;

    const seen = [first, second].map((page) =>
      page.watches.map(({ contract }: { contract: string }) => contract),
    );
    expect(seen).toEqual([contracts.slice(0, 25), contracts.slice(25)]);
    expect(second.cursor).toBeNull();
  });
});

describe('what is told of a watch', () => {
  /** The watch of a list, with what is known of its part. */
  async function told(given: Parameters<typeof aWatch>[0], part?: PartRecord) {
    const { ask, watches, contracts } = await twoTenants();
    await watches.delete(aWatch({ version: 1 }));
    const watch = await watches.put(aWatch({ ...given, version: 0 }));
    const name = watch.meaning.metric.startsWith('floor') ? 'floor' : 'lowest.7d';
    if (part) await contracts.put(aContractRecord({ version: 0, seq: 1, parts: { [name]: part } }));
    return (await ask('GET punks/watches')).body.watches[0];
  }
  const known = (given: Partial<PartRecord> = {}, point = aPrice('61')): PartRecord => ({
    outcome: 'ok',
    since: NOON,
    newest: { seq: 1, point },
    ...given,
  });

  it('is where it stands, what it waits for and what it goes by', async () => {
    const watch = {
      state: 'firing',
      stateSince: NOON,
      episode: 2,
      meaning: { recover: eth('70') },
    } as const;

    expect(await told({ ...watch, wording: { name: 'CryptoPunks' } }, known())).toEqual({
      rule: 'floor-60',
      contract: PUNKS,
      name: 'CryptoPunks',
      label: null,
      metric: 'floor_price',
      when: 'below',
      threshold: '60',
      recover: '70',
      unit: 'eth',
      severity: 'warning',
      admin: 'enabled',
      state: 'firing',
      stateSince: formatInstant(NOON),
      episode: 2,
      generation: 1,
      waitsFor: { falling: null, rising: '70' },
      value: '61',
      valueUnit: 'eth',
      dataTime: formatInstant(NOON),
      health: { state: 'fresh', since: formatInstant(NOON), reason: null },
    });
  });

  it('is no number that a new watch waits for', async () => {
    expect((await told({ state: 'unknown' })).waitsFor).toEqual({ falling: null, rising: null });
  });

  const lowest = { meaning: { metric: 'lowest_price.7d' } } as const;
  const dollars = { meaning: { metric: 'floor_price_usd', unit: 'usd' } } as const;
  it.each<{
    what: string;
    watch?: Parameters<typeof aWatch>[0];
    part?: PartRecord;
    state: string;
    reason: string | null;
  }>([
    { what: 'nothing was asked', state: 'waiting', reason: 'not asked yet' },
    { what: 'nothing was answered', part: {}, state: 'waiting', reason: 'not asked yet' },
    { what: 'a price came', part: known(), state: 'fresh', reason: null },
    {
      what: 'no trade is left',
      watch: lowest,
      part: { outcome: 'empty', newest: { seq: 1, point: { kind: 'empty', time: NOON } } },
      state: 'fresh',
      reason: null,
    },
    {
      what: 'an answer held no floor',
      part: known({ outcome: 'empty' }),
      state: 'stale',
      reason: 'no price in the answer',
    },
    {
      what: 'a floor came in another currency',
      part: known({}, aPrice('61', { currency: 'usdc' })),
      state: 'disputed',
      reason: 'told in usdc, watched in eth',
    },
    {
      what: 'a floor came without dollars',
      watch: dollars,
      part: known(),
      state: 'disputed',
      reason: 'told without a price in usd',
    },
    {
      what: 'the answer contradicts',
      watch: lowest,
      part: known({ outcome: 'disputed', reason: 'no trade' }),
      state: 'disputed',
      reason: 'disputed: no trade',
    },
    {
      what: 'it is still collected',
      part: known({ outcome: 'not_ready' }),
      state: 'stale',
      reason: 'not_ready',
    },
    {
      what: 'nobody knows it',
      part: { outcome: 'not_found' },
      state: 'stale',
      reason: 'not_found',
    },
    {
      what: 'the quota is used up',
      part: known({ outcome: 'denied', reason: 'quota' }),
      state: 'stale',
      reason: 'denied: quota',
    },
    {
      what: 'the operation is gone',
      part: known({ outcome: 'unsupported', reason: 'retired' }),
      state: 'stale',
      reason: 'unsupported: retired',
    },
    {
      what: 'it was asked too often',
      part: known({ outcome: 'throttled' }),
      state: 'stale',
      reason: 'throttled',
    },
    {
      what: 'it failed',
      part: known({ outcome: 'failed', reason: 'timeout' }),
      state: 'stale',
      reason: 'failed: timeout',
    },
  ])('is its health when $what: $state, $reason', async ({ watch = {}, part, state, reason }) => {
    expect((await told(watch, part)).health).toMatchObject({ state, reason });
  });
});

it('tells of an alert what became of it', async () => {
  const { ask, alerts } = world();
  await ask('POST', { body: aWatchlistBody() });
  await alerts.put({
    ...newAlertRecord(anAlert(), ['stack-slack'], NOON),
    deliveries: { 'stack-topic': { state: 'accepted', at: NOON } },
  });

  const { body } = await ask('GET punks/alerts');

  expect(body.alerts).toEqual([
    {
      ...anAlert(),
      deliveries: {
        'stack-slack': { state: 'pending', at: null, reason: null },
        'stack-topic': { state: 'accepted', at: formatInstant(NOON), reason: null },
      },
    },
  ]);
});

it('answers with a problem, and no word of the cause, when the table fails', async () => {
  const { ask, reports } = world({
    getWatchlist: () => Promise.reject(new Error('floorwatch-prod is on fire')),
  });

  const { status, body } = await ask('GET punks');

  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toContain('fire');
  expect(reports).toHaveLength(1);
});
