import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { shownSeries } from '#shared/domain/metrics/metric.ts';
import type { SeriesRecord } from '#shared/domain/polling/contract-record.ts';
import { toCursor } from '#shared/http/cursor.ts';
import {
  APES,
  aContractRecord,
  anAlert,
  aPostedAlert,
  aPrice,
  aRuleBody,
  aTimeline,
  aWatch,
  aWatchlistBody,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

type Given = Parameters<ReturnType<typeof world>['ask']>[1];

/** A world in which the tenants acme and umbrella have one list each. */
async function twoTenants() {
  const made = world();
  await made.ask('POST', { body: aWatchlistBody() });
  await made.ask('POST', { body: aWatchlistBody({ id: 'theirs' }), tenant: 'umbrella' });
  await made.watches.put(aWatch({ version: 0 }));
  await made.alerts.post(aPostedAlert(anAlert(), []));
  made.sent.length = 0;
  return made;
}

describe('a refused request', () => {
  it.each<[request: string, status: number, at?: string | undefined, given?: Given]>([
    ['POST', 400, '', { body: '{' }],
    ['POST', 400, '/nmae', { body: aWatchlistBody({ nmae: 1 }) }],
    [
      'POST',
      400,
      '/rules/0/recover',
      { body: aWatchlistBody({ rules: [aRuleBody({ recover: '1' })] }) },
    ],
    ['POST', 400, '/revision', { body: aWatchlistBody({ revision: 1 }) }],
    ['POST', 400, '/tenant', { body: aWatchlistBody({ tenant: 'umbrella' }) }],
    ['POST', 409, '/id', { body: aWatchlistBody() }],
    ['POST', 403, undefined, { body: aWatchlistBody({ id: 'x' }), scopes: 'read' }],
    ['POST', 413, undefined, { body: 'x'.repeat(256 * 1024 + 1) }],
    ['PUT punks', 400, '/id', { body: aWatchlistBody({ id: 'others' }) }],
    ['PUT punks', 403, undefined, { body: aWatchlistBody(), scopes: 'read' }],
    ['PUT punks', 412, undefined, { body: aWatchlistBody(), headers: { 'If-Match': '"9"' } }],
    ['PUT punks', 412, undefined, { body: aWatchlistBody(), headers: { 'If-None-Match': '*' } }],
    ['PUT punks', 428, undefined, { body: aWatchlistBody() }],
    ['DELETE punks', 428],
    [
      'PUT punks',
      400,
      '/rules/0/expiresAt',
      { ...ANY, body: aWatchlistBody({ rules: [aRuleBody({ expiresAt: formatInstant(NOON) })] }) },
    ],
    ['PUT PUNKS', 400, '/watchlist', { body: { name: 'x' } }],
    ['PUT a#b', 400, '/watchlist', { body: { name: 'x' } }],
    ['DELETE punks', 403, undefined, { scopes: 'read' }],
    ['DELETE punks', 412, undefined, { headers: { 'If-Match': '"9"' } }],
    ['DELETE nothing', 404],
    ['GET punks', 403, undefined, { scopes: 'write' }],
    ['GET PUNKS', 404],
    ['GET punks#', 404],
    ['GET', 400, '?limit', { query: { limit: '101' } }],
    ['GET', 400, '?cursor', { query: { cursor: 'x' } }],
    ['GET', 400, '?cursor', { query: { cursor: toCursor('JOB#punks') } }],
    ['GET', 400, '?cursor', { query: { cursor: toCursor('LIST#~') } }],
    ['GET', 400, '?page', { query: { page: '2' } }],
    ['GET punks/alerts', 400, '?cursor', { query: { cursor: toCursor('LIST#x') } }],
    ['GET punks/watches', 400, '?cursor', { query: { cursor: 'x' } }],
    ['GET punks/watches', 400, '?cursor', { query: { cursor: toCursor(APES) } }],
    ['GET punks/watches', 400, '?limit', { query: { limit: '2' } }],
    ['PATCH punks', 404],
    ['GET punks/prices', 404],
  ])('%s returns %d (error at %s) and changes nothing', async (request, status, at, given) => {
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
  });
});

describe('a client that already has the response', () => {
  it.each([
    'GET',
    'GET punks',
    'GET punks/watches',
    'GET punks/watches/{contract}/{rule}/explain',
    'GET punks/alerts',
    'GET punks/alerts/{alert}',
    'GET punks/mutes',
    'GET punks/mutes/{mute}',
  ])('%s returns 304 and no body if the client already has the response', async (request) => {
    const { ask } = await twoTenants();
    const { body } = await ask('POST punks/mutes', { body: { for: '6h' } });
    const alert = `${anAlert().at}~${anAlert().id}`;
    const ids = { watchlist: 'punks', contract: PUNKS, rule: 'floor-60', alert, mute: body.id };
    const path = request === 'GET' ? {} : ids;

    const first = await ask(request, { path });
    const again = await ask(request, {
      path,
      headers: { 'If-None-Match': String(first.headers.ETag) },
    });

    expect(first.status).toBe(200);
    expect(again).toEqual({
      ...{ status: 304, body: undefined },
      headers: { ETag: first.headers.ETag, 'Cache-Control': 'private, no-cache' },
    });
  });
});

describe("another tenant's list", () => {
  it.each(['GET theirs', 'GET theirs/watches', 'GET theirs/alerts', 'DELETE theirs'])(
    'the list of another tenant is not found by %s',
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

  it('the list of another tenant is unchanged if a list of the same id is created', async () => {
    const { ask } = await twoTenants();

    const put = await ask('PUT theirs', { body: { name: 'Mine' } });

    const theirs = await ask('GET theirs', { tenant: 'umbrella' });
    expect([put.status, put.body.revision]).toEqual([201, 1]);
    expect(theirs.body).toMatchObject({ name: 'Punks', revision: 1 });
  });

  it('contents of other tenants appear in no list, watch or alert', async () => {
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

describe('pages of answers', () => {
  it('pages of watchlists contain all lists in order, without deleted ones', async () => {
    const { ask } = world();
    for (const id of ['e', 'c', 'a', 'd', 'b']) await ask('POST', { body: { id, name: id } });
    await ask('DELETE c', ANY);

    const seen: string[][] = [];
    let cursor: string | undefined;
    do {
      const { body } = await ask('GET', { query: { limit: '2', ...(cursor && { cursor }) } });
      seen.push(body.watchlists.map(({ id }: { id: string }) => id));
      cursor = body.cursor ?? undefined;
    } while (cursor !== undefined);

    expect(seen).toEqual([
      ['a', 'b'],
      ['d', 'e'],
    ]);
  });

  it('pages of alerts begin with the newest', async () => {
    const { ask, alerts } = await twoTenants();
    const later = anAlert({ at: formatInstant(NOON + 5 * MINUTE), id: 'later.1.2' });
    await alerts.post(aPostedAlert(later, ['stack-topic']));

    const first = (await ask('GET punks/alerts', { query: { limit: '1' } })).body;
    const second = (await ask('GET punks/alerts', { query: { limit: '1', cursor: first.cursor } }))
      .body;

    expect([first.alerts[0].id, second.alerts[0].id]).toEqual([later.id, anAlert().id]);
  });

  it('pages of watches contain 25 contracts each', async () => {
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

/** The state of a price series, and its newest point. */
type Answered = { readonly series: SeriesRecord; readonly point?: Point };

describe('a watch as its list returns it', () => {
  /**
   * Stores a watch and, if given, the state of its price series. Returns the watch as the API
   * returns it.
   */
  async function reported(given: Parameters<typeof aWatch>[0], answered?: Answered) {
    const { ask, watches, contracts } = await twoTenants();
    await watches.delete((await watches.get(aWatch())) ?? aWatch());
    const watch = await watches.put(aWatch({ ...given, version: 0 }));
    const name = shownSeries(watch.ruleCondition.metric);
    if (answered) {
      const { series, point } = answered;
      const timeline = aTimeline(point === undefined ? {} : { [name]: point });
      await contracts.put(aContractRecord({ version: 0, timeline, series: { [name]: series } }));
    }
    return (await ask('GET punks/watches')).body.watches[0];
  }
  const known = (given: Partial<SeriesRecord> = {}, point: Point = aPrice('61')): Answered => ({
    series: { outcome: 'ok', since: NOON, ...given },
    point,
  });

  it('a watch reports its state, the values that it waits for, and the last price', async () => {
    const watch = {
      state: 'firing',
      stateSince: NOON,
      episode: 2,
      ruleCondition: { recover: eth('70') },
    } as const;

    expect(await reported({ ...watch, presentation: { name: 'CryptoPunks' } }, known())).toEqual({
      rule: 'floor-60',
      noData: false,
      contract: PUNKS,
      name: 'CryptoPunks',
      label: null,
      metric: 'floor_price',
      when: 'below',
      threshold: '60',
      recover: '70',
      low: null,
      high: null,
      unit: 'eth',
      value: '61',
      all: null,
      severity: 'warning',
      admin: 'enabled',
      mutedUntil: null,
      mutedUntilRecovered: false,
      state: 'firing',
      stateSince: formatInstant(NOON),
      episode: 2,
      acknowledged: null,
      generation: 1,
      waitsFor: { metric: 'floor_price', falling: null, rising: '70' },
      dataTime: formatInstant(NOON),
      health: { state: 'fresh', code: 'ok', reason: null, since: formatInstant(NOON) },
    });
  });

  it('a new watch waits for any value, so it reports no numbers', async () => {
    expect((await reported({ state: 'unknown' })).waitsFor).toEqual({
      metric: 'floor_price',
      falling: null,
      rising: null,
    });
  });

  const lowest = { ruleCondition: { metric: 'lowest_price.7d' } } as const;
  const dollars = { ruleCondition: { metric: 'floor_price_usd', unit: 'usd' } } as const;
  const none = { kind: 'empty', time: NOON } as const;
  it.each<
    [
      what: string,
      state: string,
      code: string,
      reason: string | null,
      answered?: Answered | undefined,
      watch?: Parameters<typeof aWatch>[0],
    ]
  >([
    ['no poll was made', 'waiting', 'not_asked', 'the provider has not been polled yet'],
    [
      'the series has no answer yet',
      'waiting',
      'not_asked',
      'the provider has not been polled yet',
      { series: {} },
    ],
    ['a price was received', 'fresh', 'ok', null, known()],
    [
      'no sale is left in the window',
      'fresh',
      'no_sale',
      'no sale in the last 7 days',
      known({ outcome: 'empty' }, none),
      lowest,
    ],
    [
      'there is no collection offer',
      'fresh',
      'no_offer',
      'no collection offer in ETH or the currency of the chain',
      known({ outcome: 'empty' }, none),
      { ruleCondition: { metric: 'best_offer' } },
    ],
    [
      'the last answer has no floor',
      'stale',
      'empty',
      'the provider returned no price',
      known({ outcome: 'empty' }),
    ],
    [
      'no answer ever had a floor',
      'waiting',
      'empty',
      'the provider returned no price',
      { series: { outcome: 'empty', since: NOON } },
    ],
    [
      'a floor has another currency',
      'disputed',
      'other_unit',
      'the provider reports the price in usdc, but the unit of the rule is eth',
      known({}, aPrice('61', { currency: 'usdc' })),
    ],
    [
      'a floor has no dollar value',
      'disputed',
      'no_value',
      'the provider reports the price without its value in usd',
      known(),
      dollars,
    ],
    [
      'the answer contradicts a known sale',
      'disputed',
      'contradiction',
      'the provider contradicts itself: it reports no sale, but one that it reported earlier is still within the window',
      known({
        outcome: 'disputed',
        reason: 'it reports no sale, but one that it reported earlier is still within the window',
      }),
      lowest,
    ],
    [
      'the provider collects the contract again',
      'stale',
      'not_ready',
      'the provider is still indexing this contract',
      known({ outcome: 'not_ready' }),
    ],
    [
      'the contract was never collected',
      'waiting',
      'not_ready',
      'the provider is still indexing this contract',
      { series: { outcome: 'not_ready' } },
    ],
    [
      'the contract is unknown to the provider',
      'waiting',
      'not_found',
      'the provider does not have this contract',
      { series: { outcome: 'not_found' } },
    ],
  ])(
    'a watch reports its health when %s: %s, %s, %s',
    async (_what, state, code, reason, answered, watch = {}) => {
      expect((await reported(watch, answered)).health).toMatchObject({ state, code, reason });
    },
  );

  it.each<Refusal>([
    { kind: 'unsupported', reason: 'retired' },
    { kind: 'unsupported', reason: 'chain' },
    { kind: 'denied', reason: 'key' },
    { kind: 'denied', reason: 'quota' },
    { kind: 'denied', reason: 'paused' },
    { kind: 'denied', reason: 'blocked' },
    { kind: 'throttled' },
    { kind: 'failed', reason: 'timeout' },
    { kind: 'failed', reason: 'network' },
    { kind: 'failed', reason: 'server_error' },
    { kind: 'failed', reason: 'garbage' },
    { kind: 'failed', reason: 'too_large' },
    { kind: 'failed', reason: 'redirect' },
    { kind: 'failed', reason: 'bad_request' },
  ])('a watch reports in words why there is no new price: %j', async (refusal) => {
    const reason = 'reason' in refusal ? { reason: refusal.reason } : {};
    const code = Object.values({ outcome: refusal.kind, ...reason }).join('_');

    const { health } = await reported({}, known({ outcome: refusal.kind, ...reason }));

    expect(health).toMatchObject({ state: 'stale', code, since: formatInstant(NOON) });
    expect(health.reason).toMatch(/ (the|this) .*|provider/);
    expect(health.reason).not.toContain('_');
  });
});

it('an alert reports its delivery by channel, and separately for the operators', async () => {
  const { ask, alerts } = world();
  await ask('POST', { body: aWatchlistBody() });
  const alert = anAlert();
  const destinations = ['stack-topic', 'acme#punks#desk', 'acme#punks#chat'] as const;
  await alerts.post(aPostedAlert(alert, destinations));
  const takenAt = Date.parse(alert.at) + 1500;
  await alerts.putOutcome(alert, 'stack-topic', { state: 'accepted', at: takenAt });
  await alerts.putOutcome(alert, 'acme#punks#chat', { state: 'failed', at: NOON, reason: '404' });

  const { body } = await ask('GET punks/alerts');

  expect(body.alerts).toEqual([
    {
      ...anAlert(),
      self: `/test/v1/watchlists/punks/alerts/${anAlert().at}~${anAlert().id}`,
      acknowledged: null,
      deliveries: {
        desk: { state: 'pending', at: null, reason: null, seconds: null },
        chat: { state: 'failed', at: formatInstant(NOON), reason: '404', seconds: null },
      },
      operators: {
        'stack-topic': {
          ...{ state: 'accepted', at: formatInstant(takenAt), reason: null },
          seconds: 1.5,
        },
      },
    },
  ]);
});

it('if the table fails, a request returns a problem that does not reveal the cause', async () => {
  const { ask, reports } = world({
    getWatchlist: () => Promise.reject(new Error('floorwatch-prod is on fire')),
  });

  const { status, body } = await ask('GET punks');

  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toContain('fire');
  expect(reports).toHaveLength(1);
});
