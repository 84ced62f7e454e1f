import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { serveNftData } from '#functions/serve-nft-data/routes.ts';
import type { NftAnswer, NftQuestion } from '#functions/serve-nft-data/source.ts';
import {
  createUpstreamSource,
  type UpstreamSourcePorts,
} from '#functions/serve-nft-data/upstream-source.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { Outcome, RawQuestion, Refusal } from '#shared/domain/market/upstream.ts';
import type { CallReservation } from '#shared/domain/polling/reserved-call.ts';
import { answersProblems, problemWithMessage } from '#shared/http/answer.ts';
import type { RequestCount } from '#shared/http/count-request.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createProviderShare } from '#shared/use-cases/daily-share.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { anHttpRequest, NOON, PUNKS, someLimits } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';

const ROUTE = 'POST /api/v2.2/nft/{address}/nfts-by-traits';
const ADDRESS = PUNKS.slice('eth:'.length);
const PAGE = '{"result": [ {"token_id":"1","big":1e400,"x":"\\u00e9"} ],\n "cursor":""}';

/**
 * Polls reserve three fifths of the 750 units a day. A tenant may use half of the other 300: three
 * traits searches of 50 units.
 */
const LIMITS = someLimits({ budgetPerDay: 750, budgetPerMonth: 1e9 });

/**
 * The API with an upstream that returns this outcome, and a rate limiter that returns this
 * reservation.
 */
function world(
  outcome: Outcome<string> = { kind: 'ok', value: PAGE },
  reservation: CallReservation = {
    granted: true,
    calls: [{ call: 'traits', callAt: NOON, probe: false }],
  },
  clock = NOON,
  count?: RequestCount,
  asksUpstream = true,
) {
  const [reservations, queries, learned]: [unknown[], RawQuestion[], unknown[]] = [[], [], []];
  const counted: string[] = [];
  const rateLimited: UpstreamSourcePorts = {
    now: () => clock,
    sleepUntil: async () => undefined,
    reserveCalls: async (ways) => {
      reservations.push(ways);
      return reservation;
    },
    learnOfCall: async (...what) => void learned.push(what),
    answer: async (query) => {
      noteRequest();
      queries.push(query);
      return outcome;
    },
  };
  const usage = createUsageStore(createMemoryTable(), 'provider');
  const ports = {
    now: () => NOON,
    ask: async (question: NftQuestion, signal: AbortSignal): Promise<NftAnswer> => {
      const outcome = await createUpstreamSource(rateLimited)(question, signal);
      return outcome.kind === 'ok' ? { ...outcome, from: 'upstream' } : outcome;
    },
    recall: async () => undefined,
    asksUpstream: () => asksUpstream,
    takeCall: createProviderShare({ now: () => NOON, usage, limits: LIMITS }),
    countRequest: async (tenant: string, units: number) => {
      counted.push(`${units} of ${tenant}`);
      return count;
    },
  };
  const handler = documented(
    middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(answersProblems({ info: () => undefined, error: () => undefined }, problemWithMessage))
      .handler((event) => serveNftData(ports, event, AbortSignal.timeout(60_000))),
  );

  const ask = async (given: Parameters<typeof anHttpRequest>[1] = {}, route = ROUTE) => {
    const body = { traits: { Type: 'Ape' } };
    const event = anHttpRequest(route, { path: { address: ADDRESS }, body, ...given });
    const { statusCode: status, headers = {}, body: text } = await handler(event, {} as Context);
    return { status, headers, text };
  };
  return { ask, reservations, queries, learned, counted };
}

it("a tenant that has used half of the day's budget for requests is refused, but other tenants are not", async () => {
  const { ask, reservations } = world();

  for (let question = 0; question < 3; question += 1) {
    expect((await ask({ tenant: 'greedy' })).status).toBe(200);
  }
  const beyond = await ask({ tenant: 'greedy' });
  const other = await ask({ tenant: 'modest' });

  expect([beyond.status, other.status]).toEqual([429, 200]);
  expect(JSON.parse(beyond.text)).toMatchObject({
    detail: 'your tenant has used its daily share of provider calls; try again later',
  });
  expect(Number(beyond.headers['Retry-After'])).toBe(8 * 3600);
  expect(reservations).toHaveLength(4);
});

it('a request over the limit of its tenant is refused with Retry-After, without a call to the provider', async () => {
  const beyond = {
    used: { version: 1, usedUntil: NOON },
    unitsPerMinute: 600,
    left: 4,
    allInSeconds: 60,
    enoughInSeconds: 7,
  };
  const { ask, reservations, counted } = world(undefined, undefined, undefined, beyond);

  const { status, headers, text } = await ask({ tenant: 'greedy' });

  expect(status).toBe(429);
  expect(JSON.parse(text)).toMatchObject({ type: 'urn:floorwatch:problem:throttled', status });
  expect(headers).toMatchObject({
    'Retry-After': '7',
    'RateLimit-Policy': '"nft-data";q=600;w=60',
    RateLimit: '"nft-data";r=4;t=60',
  });
  expect(counted).toEqual(['10 of greedy']);
  expect(reservations).toEqual([]);
});

it('an answer from the archive costs one unit, a call to the provider costs ten', async () => {
  const archive = world(undefined, undefined, undefined, undefined, false);
  const provider = world();

  await archive.ask({ tenant: 'walker' });
  await provider.ask({ tenant: 'walker' });

  expect([...archive.counted, ...provider.counted]).toEqual(['1 of walker', '10 of walker']);
});

it('a page is passed on byte for byte, and its outcome is reported to the rate limiter', async () => {
  const { ask, reservations, learned } = world();

  const { status, headers, text } = await ask();

  expect(status).toBe(200);
  expect(text).toBe(PAGE);
  expect(headers['Content-Type']).toBe('application/json');
  expect(reservations).toEqual([[['traits']]]);
  expect(learned).toEqual([['traits', { kind: 'ok', value: PAGE }, false, 1]]);
});

it.each<
  [
    given: Parameters<typeof anHttpRequest>[1],
    chain: string,
    parameters: Readonly<Record<string, string>>,
    body?: string,
  ]
>([
  [{}, 'eth', {}],
  [{ query: { chain: '0X89' } }, 'polygon', {}],
  [{ path: { address: ADDRESS.toUpperCase().replace('0X', '0x') } }, 'eth', {}],
  [
    {
      query: {
        format: 'hex',
        limit: '100',
        cursor: 'abc',
        normalizeMetadata: 'true',
        media_items: 'false',
      },
    },
    'eth',
    { format: 'hex', limit: '100', cursor: 'abc', normalizeMetadata: 'true', media_items: 'false' },
  ],
  ...[
    '{"traits":{"Level":7.00,"Rare":true,"Eyes ":" 3D Glasses"}}',
    '{ "traits": {"constructor":"x","__proto__":"y","\\ud83d\\ude00":"😀"} }',
  ].map((body): [{ body: string }, string, Record<string, string>, string] => [
    { body },
    'eth',
    {},
    body,
  ]),
])(
  'the upstream receives exactly the parameters of the request: %j',
  async (given, chain, parameters, body) => {
    const { ask, queries } = world();

    await ask(given);

    expect(queries).toEqual([
      {
        way: 'nfts-by-traits',
        contract: { chain: expect.objectContaining({ name: chain }), address: ADDRESS },
        parameters,
        body: body ?? '{"traits":{"Type":"Ape"}}',
      },
    ]);
  },
);

describe('requests that are refused without a call', () => {
  const traits = (count: number) => ({
    traits: Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, 'x'])),
  });
  it.each<[at: string | undefined, given: Parameters<typeof anHttpRequest>[1], status?: number]>([
    ['/address', { path: { address: 'vitalik.eth' } }],
    ['/address', { path: { address: `${ADDRESS}0` } }],
    ['?chain', { query: { chain: 'ethereum' } }],
    ['?chain', { query: { chain: ['eth', 'base'] } }],
    ['?format', { query: { format: 'binary' } }],
    ['?limit', { query: { limit: '0' } }],
    ['?limit', { query: { limit: '101' } }],
    ['?limit', { query: { limit: '1.5' } }],
    ['?cursor', { query: { cursor: '' } }],
    ['?cursor', { query: { cursor: 'a'.repeat(4097) } }],
    ['?normalizeMetadata', { query: { normalizeMetadata: 'yes' } }],
    ['?media_items', { query: { media_items: '1' } }],
    ['?mediaItems', { query: { mediaItems: 'true' } }],
    ['', { body: '{' }],
    ['/traits', { body: {} }],
    ['/traits', { body: { traits: {} } }],
    ['/traits', { body: traits(26) }],
    ['/traits/Type', { body: { traits: { Type: null } } }],
    ['/traits/Type', { body: { traits: { Type: ['Ape'] } } }],
    ['/limit', { body: { ...traits(1), limit: 5 } }],
    [undefined, { body: `"${'x'.repeat(256 * 1024)}"` }, 413],
    [undefined, { scopes: 'write' }, 403],
  ])(
    'a request with an error at %s is refused without a call: %j',
    async (at, given, status = 400) => {
      const { ask, reservations } = world();

      const answer = await ask(given);

      const problem = JSON.parse(answer.text);
      expect([answer.status, problem.status]).toEqual([status, status]);
      expect(problem.errors?.[0]?.pointer).toBe(at);
      expect(reservations).toEqual([]);
    },
  );

  it('an unknown path or method returns 404', async () => {
    const { ask, reservations } = world();

    const answers = [
      await ask({}, ROUTE.replace('POST', 'GET')),
      await ask({}, 'POST /api/v2.2/nft'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(reservations).toEqual([]);
  });
});

it.each([
  ['101', 'expected at most 100'],
  ['1000', 'expected at most 100'],
  ['1000000', 'expected at most 100'],
  ['9'.repeat(400), 'expected at most 100'],
  ['0', 'expected at least 1'],
  ['1.5', 'expected a whole number'],
])('the query parameter limit=%s is refused with the reason: %s', async (limit, detail) => {
  const { text } = await world().ask({ query: { limit } });

  expect(JSON.parse(text).errors).toEqual([{ pointer: '?limit', detail }]);
});

it('a search with 25 traits is accepted', async () => {
  const traits = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`t${index}`, 'x']));

  expect((await world().ask({ body: { traits } })).status).toBe(200);
});

const unavailable = 'upstream_unavailable';
it.each<[status: number, type: string, refusal: Refusal, retryAfter?: string]>([
  [404, 'not_found', { kind: 'empty' }],
  [404, 'not_found', { kind: 'not_found' }],
  [501, 'not_supported', { kind: 'unsupported', reason: 'retired' }],
  [501, 'not_supported', { kind: 'unsupported', reason: 'chain' }],
  [503, unavailable, { kind: 'denied', reason: 'key' }, '60'],
  [503, unavailable, { kind: 'denied', reason: 'quota' }, '60'],
  [503, unavailable, { kind: 'throttled' }, '4'],
  [503, unavailable, { kind: 'throttled', retryAfterSeconds: 9 }, '9'],
  [504, 'upstream_timeout', { kind: 'failed', reason: 'timeout' }],
  [400, 'invalid_request', { kind: 'failed', reason: 'bad_request' }],
  [502, 'upstream_failed', { kind: 'failed', reason: 'network' }],
  [502, 'upstream_failed', { kind: 'failed', reason: 'server_error' }],
  [502, 'upstream_failed', { kind: 'failed', reason: 'garbage' }],
  [502, 'upstream_failed', { kind: 'failed', reason: 'too_large' }],
  [502, 'upstream_failed', { kind: 'failed', reason: 'redirect' }],
])(
  'the API returns %d %s if the provider returns the outcome %j',
  async (status, type, refusal, retryAfter) => {
    const { ask, learned } = world(refusal);

    const answer = await ask();

    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      status,
      type: `urn:floorwatch:problem:${type}`,
    });
    expect(answer.headers['Retry-After']).toBe(retryAfter);
    expect(learned).toEqual([['traits', refusal, false, 1]]);
  },
);

it('a request for traits that are still being collected returns 202 and a message', async () => {
  const { status, headers, text } = await world({ kind: 'not_ready' }).ask();

  expect(status).toBe(202);
  expect(headers['Retry-After']).toBe('60');
  expect(Object.keys(JSON.parse(text))).toEqual(['message']);
});

it.each([
  { why: 'the budget is spent', until: NOON + 90_500, retryAfter: '91' },
  { why: 'all calls are reserved', until: NOON - 1, retryAfter: '1' },
])('no call is made if $why, and the response has Retry-After', async ({ until, retryAfter }) => {
  const { ask, queries } = world(undefined, { granted: false, reason: 'budget', until });

  const answer = await ask();

  expect([answer.status, answer.headers['Retry-After']]).toEqual([503, retryAfter]);
  expect(queries).toEqual([]);
});

it('a reserved call is not made after its time has passed', async () => {
  const { ask, queries } = world(undefined, undefined, NOON + 1001);

  expect((await ask()).status).toBe(503);
  expect(queries).toEqual([]);
});
