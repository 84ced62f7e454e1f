import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { USER_AGENT } from '#shared/clients/user-agent.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { NOON } from '#test/support/builders.ts';
import { expectDocumented } from '#test/support/documented.ts';
import {
  type HttpServer,
  type ReceivedRequest,
  startHttpServer,
} from '#test/support/http-server.ts';
import {
  type NftDataFunction,
  startNftDataFunction,
  UPSTREAM_KEY,
} from '#test/support/nft-data-function.ts';
import { type Behaviour, misbehave, send } from '#test/support/upstream/misbehaviour.ts';

/** A text in upstream errors that callers must never receive. */
const CANARY = 'words of the upstream';

const PAGE = '{"page":"1", "cursor":"","result":[ {"token_id":"7","x":1e400,"é":"\\u00e9"} ]}';
const FLOORS = '{"page":1,"cursor":null,"result":[{"timestamp":"2026-01-01T00:00:00.000Z"}]}';
const TRADE = '{"price":"50000000000000007","block_timestamp":"2026-01-01T00:00:00.000","x":0.10}';
const SALES = JSON.stringify({
  lowest_sale: {
    ...{ transaction_hash: '0xab', block_timestamp: '2026-01-01T00:00:00.000Z', token_id: '7' },
    ...{ price: '50000000000000007', buyer_address: '0xb', seller_address: '0xc' },
    payment_token: { token_symbol: 'ETH', token_decimals: '18' },
  },
});

const OPERATIONS = [
  {
    operation: 'traits',
    route: 'POST /api/v2.2/nft/{address}/nfts-by-traits',
    given: { body: { traits: { Type: 'Ape' } } },
    answer: PAGE,
  },
  {
    operation: 'floor',
    route: 'GET /api/v2.2/nft/{address}/floor-price/historical',
    given: { query: { interval: '7d' } },
    answer: FLOORS,
  },
  {
    operation: 'lowest',
    route: 'GET /api/v2.2/nft/{address}/lowestprice',
    given: { query: { days: '30' } },
    answer: TRADE,
  },
] as const;
type Operation = (typeof OPERATIONS)[number];

let upstream: HttpServer;
let nftData: NftDataFunction;
let behaviour: (request: ReceivedRequest) => Behaviour | undefined;
let honest: (request: ReceivedRequest) => string;
let asked = 0;

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  upstream = await startHttpServer((response, request) => {
    response.setHeader('set-cookie', CANARY);
    response.setHeader('x-served-by', CANARY);
    const body = honest(request);
    const wrong = behaviour(request);
    if (wrong === undefined) send(response, 200, body);
    else misbehave(wrong, response, () => ({ status: 200, body: JSON.parse(body) }), NOON);
  });
  // The handler reads its environment when its module loads.
  vi.resetModules();
  nftData = await startNftDataFunction(upstream.url, (name, value) => vi.stubEnv(name, value));
});

beforeEach(async () => {
  behaviour = () => undefined;
  honest = bodyFor;
  await nftData.forgetLimits();
});

afterAll(async () => {
  await nftData[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function bodyFor({ path }: ReceivedRequest): string {
  if (path.endsWith('/nfts-by-traits')) return PAGE;
  if (path.endsWith('/price')) return SALES;
  return path.endsWith('/lowestprice') ? TRADE : FLOORS;
}

/**
 * Sends a request of this operation, by default for a contract that no test has requested before.
 */
async function ask({ route, given }: Operation, address = aContract(), more: object = {}) {
  const before = upstream.requests.length;
  const tenant = `of ${address}`;
  const result = await nftData.request(route, { path: { address }, tenant, ...given, ...more });
  expectDocumented(route, result);
  const { statusCode: status, headers = {}, body } = result;
  return { status, headers, body, asked: upstream.requests.slice(before) };
}

function aContract(): string {
  asked += 1;
  return contractOf(`eth:0x${asked.toString(16).padStart(40, '0')}`).address;
}

describe.each(OPERATIONS)('$operation from the upstream', (operation) => {
  it('an upstream response is passed on byte for byte, and then repeated from the cache with its age', async () => {
    const address = aContract();

    const first = await ask(operation, address);
    const again = await ask(operation, address.toUpperCase().replace('0X', '0x'));

    expect([first.status, first.body]).toEqual([200, operation.answer]);
    expect(first.headers).toMatchObject({ 'X-Data-Source': 'upstream' });
    expect(first.headers).not.toHaveProperty('Age');
    expect([again.status, again.body]).toEqual([200, operation.answer]);
    expect(again.headers).toMatchObject({ 'Cache-Status': 'floorwatch; hit' });
    expect(again.headers.Age).toMatch(/^[0-9]$/);
    expect(again.asked).toEqual([]);
  });

  it('no header of the caller reaches the upstream, and no header of the upstream reaches the caller', async () => {
    const caller = 'fw_key_of_the_caller';
    const headers = {
      ...{ 'X-API-Key': caller, Cookie: caller, Authorization: caller, 'X-Forwarded-For': caller },
      ...{ 'User-Agent': caller, Accept: `text/${caller}`, 'Content-Type': 'application/json' },
    };

    const answer = await ask(operation, aContract(), { headers, tenant: caller });

    const [request] = answer.asked;
    const { host, ...sent } = request?.headers ?? {};
    expect(`http://${host}`).toBe(upstream.url);
    expect(sent).toEqual({
      accept: 'application/json',
      'accept-encoding': 'gzip, br, deflate',
      connection: 'keep-alive',
      'user-agent': USER_AGENT,
      'x-api-key': UPSTREAM_KEY,
      ...(operation.operation === 'traits' && {
        'content-type': 'application/json',
        'content-length': `${request?.body.length}`,
      }),
    });
    expect(JSON.stringify(answer.asked)).not.toContain(caller);
    expect(JSON.stringify([answer.headers, answer.body])).not.toContain(CANARY);
    expect(JSON.stringify([answer.headers, answer.body])).not.toContain(UPSTREAM_KEY);
  });

  const isLowest = operation.operation === 'lowest';
  const unavailable = { status: 503, type: 'upstream_unavailable', retryAfter: '60' };
  const unusable = { status: 502, type: 'upstream_failed' };
  it.each<[Behaviour, { status: number; type: string; retryAfter?: string }]>([
    [{ kind: 'bad_request' }, { status: 400, type: 'invalid_request' }],
    [{ kind: 'unsupported_chain' }, { status: 501, type: 'not_supported' }],
    [{ kind: 'unauthorized', reason: 'key' }, unavailable],
    [{ kind: 'unauthorized', reason: 'quota' }, unavailable],
    [{ kind: 'unauthorized', reason: 'paused' }, unavailable],
    [{ kind: 'unauthorized', reason: 'blocked' }, unavailable],
    [{ kind: 'forbidden' }, unavailable],
    [{ kind: 'plan_lacks_it' }, unavailable],
    [{ kind: 'not_found' }, { status: 404, type: isLowest ? 'no_trade' : 'not_found' }],
    [{ kind: 'retired' }, { status: 501, type: 'not_supported' }],
    [{ kind: 'throttled' }, { ...unavailable, retryAfter: '4' }],
    [
      { kind: 'throttled', retryAfter: '77' },
      { ...unavailable, retryAfter: '77' },
    ],
    [{ kind: 'server_error' }, unusable],
    [{ kind: 'html' }, unusable],
    [{ kind: 'cut_body' }, unusable],
    [{ kind: 'redirect' }, unusable],
    [{ kind: 'reset' }, unusable],
    [{ kind: 'garbage' }, unusable],
    [{ kind: 'huge' }, unusable],
  ])(
    'a failure of the upstream returns a problem that names the responsible side: %j',
    async (wrong, { status, type, retryAfter }) => {
      behaviour = () => wrong;

      const answer = await ask(operation);

      const problem = JSON.parse(answer.body);
      expect([answer.status, answer.headers['Content-Type']]).toEqual([
        status,
        'application/problem+json',
      ]);
      expect(problem).toMatchObject({ type: `urn:floorwatch:problem:${type}`, status });
      expect(problem.message).toBe(problem.detail);
      expect(answer.headers['Retry-After']).toBe(retryAfter);
      expect(answer.headers.RateLimit).toMatch(/^"nft-data";r=\d+;t=\d+$/);
      expect(answer.body).not.toMatch(
        /Token|consumed|plan|blocked|Rate limit|Internal|example\.com/,
      );
    },
  );

  it.each<Behaviour>([
    { kind: 'server_error' },
    { kind: 'throttled' },
    { kind: 'unauthorized', reason: 'quota' },
    { kind: 'not_ready' },
    { kind: 'retired' },
  ])('a cached answer replaces a failing upstream, with its age: %j', async (wrong) => {
    const address = aContract();
    await ask(operation, address);
    behaviour = () => wrong;
    vi.useFakeTimers({ now: Date.now() + 3 * 3_600_000, toFake: ['Date'] });

    const answer = await ask(operation, address, { tenant: 'later' }).finally(vi.useRealTimers);

    expect([answer.status, answer.body]).toEqual([200, operation.answer]);
    expect(answer.headers.Age).toMatch(/^1080\d$/);
    expect(answer.headers['Cache-Status']).toMatch(/^floorwatch; fwd=stale; detail="\w+"$/);
    expect(answer.asked).not.toEqual([]);
  });

  it('a request for a contract that the upstream is still collecting returns 202', async () => {
    behaviour = () => ({ kind: 'not_ready' });

    const answer = await ask(operation);

    expect([answer.status, answer.headers['Retry-After']]).toEqual([202, '60']);
    expect(Object.keys(JSON.parse(answer.body))).toEqual(['message']);
    expect(answer.body).not.toContain('synced');
  });

  it('a problem has a message even if no provider was called', async () => {
    const answer = await ask(operation, 'vitalik.eth');

    const problem = JSON.parse(answer.body);
    expect([answer.status, problem.message]).toEqual([400, problem.detail]);
  });
});

it('once a lowest-price operation is retired, the proxy calls its successor in the same request, and later only the successor', async () => {
  const [, , lowest] = OPERATIONS;
  behaviour = ({ path }) => (path.endsWith('/lowestprice') ? { kind: 'retired' } : undefined);

  const first = await ask(lowest);
  const second = await ask(lowest);

  const waysOf = (answer: typeof first) =>
    answer.asked.map(({ path, query }) => `${path.replace(/.*\//, '')} ${query.get('days')}`);
  expect(waysOf(first)).toEqual(['lowestprice 30', 'price 30']);
  expect(waysOf(second)).toEqual(['price 30']);
  for (const { status, body } of [first, second]) {
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ price: '50000000000000007', token_ids: ['7'] });
  }
});

describe('optional members and alternative forms of the upstream are passed on in the documented form', () => {
  const [traits, floor, lowest] = OPERATIONS;
  const timestamp = '2026-01-01T00:00:00.000Z';
  const sold = { price: '7', block_timestamp: '2026-01-01T00:00:00.000' };

  it.each<{ operation: Operation; body: object }>([
    { operation: floor, body: { result: [{ timestamp }] } },
    { operation: floor, body: { page: '1', page_size: '100', cursor: '', result: [] } },
    {
      operation: floor,
      body: { page: null, result: [{ timestamp, floor_price: null, currency: null }] },
    },
    { operation: floor, body: { result: [{ timestamp, marketplace: 'OpenSea' }] } },
    { operation: floor, body: { result: [{ timestamp, marketplace: { name: 'OpenSea' } }] } },
    {
      operation: floor,
      body: { result: [{ timestamp, marketplace: [{ name: 'OpenSea', logo: null }] }] },
    },
    {
      operation: traits,
      body: { page: 1, page_size: 100, cursor: null, result: [{ token_id: '7' }] },
    },
    {
      operation: traits,
      body: { result: { token_id: '7', normalized_metadata: '{}', media: { status: 'ok' } } },
    },
    {
      operation: traits,
      body: { result: [{ token_id: '7', possible_spam: false, last_sale: { price: null } }] },
    },
    {
      operation: traits,
      body: { result: [{ token_id: '7', list_price: { listed: false }, floor_price: '1' }] },
    },
    { operation: lowest, body: sold },
    {
      operation: lowest,
      body: { ...sold, block_hash: null, token_ids: ['7'], transaction_index: '' },
    },
  ])('the answer of $operation.operation is passed on: $body', async ({ operation, body }) => {
    honest = () => JSON.stringify(body);

    expect((await ask(operation)).status).toBe(200);
  });
});

it("an operation that is missing from the key's plan does not block the other operations", async () => {
  const [traits, floor, lowest] = OPERATIONS;
  behaviour = ({ path }) =>
    path.endsWith('/nfts-by-traits') ? { kind: 'plan_lacks_it' } : undefined;

  const answers = [await ask(traits), await ask(floor), await ask(lowest), await ask(traits)];

  expect(answers.map(({ status }) => status)).toEqual([503, 200, 200, 503]);
  expect(answers.map(({ asked: calls }) => calls.length)).toEqual([1, 1, 1, 0]);
});

it('a lowest-price request that the plan of the key does not include goes to the successor operation', async () => {
  const [, , lowest] = OPERATIONS;
  behaviour = ({ path }) => (path.endsWith('/lowestprice') ? { kind: 'plan_lacks_it' } : undefined);

  const answers = [await ask(lowest), await ask(lowest)];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map(({ asked: calls }) => calls.length)).toEqual([2, 1]);
});

it.each(OPERATIONS.slice(0, 2))(
  'the next page of $operation is requested from the upstream, even if its cursor looks like one of floorwatch',
  async (operation) => {
    const address = aContract();
    const cursors = ['fw1.WyI3IiwyXQ', 'up.theirs', 'up.fw1.theirs', 'theirs'];
    for (const cursor of cursors) {
      const record = { token_id: '7', timestamp: '2026-01-01T00:00:00.000Z' };
      honest = () => JSON.stringify({ cursor, result: record });
      const first = await ask(operation, aContract());
      const page = JSON.parse(first.body);
      const query = { ...('query' in operation.given && operation.given.query) };

      const next = await ask(operation, address, { query: { ...query, cursor: page.cursor } });

      expect(page.result).toEqual([record]);
      expect(next.status).toBe(200);
      expect(next.asked.map((request) => request.query.get('cursor'))).toEqual([cursor]);
    }
  },
);

it('concurrent callers with the same request share one call', async () => {
  const [traits] = OPERATIONS;
  const address = aContract();
  behaviour = () => ({ kind: 'slow', delayMs: 30 });
  const before = upstream.requests.length;

  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, caller) => ask(traits, address, { tenant: `${caller}` })),
  );

  expect(upstream.requests.length - before).toBe(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
});

it('an upstream response that is too large to pass on becomes a problem with this reason', async () => {
  const [traits] = OPERATIONS;
  // A quotation mark in JSON that is itself a JSON string takes four characters.
  const body = JSON.stringify({ result: [{ metadata: '"'.repeat(2_000_000) }] });
  honest = () => body;

  const answer = await ask(traits);

  expect(answer.status).toBe(502);
  expect(JSON.parse(answer.body).detail).toContain('too large to pass on');
});

it('the RateLimit header reports the remaining units, and a cached answer costs fewer units', async () => {
  const [, floor] = OPERATIONS;
  const address = aContract();
  vi.useFakeTimers({ now: NOON, toFake: ['Date'] });

  const first = await ask(floor, address);
  const again = await ask(floor, address).finally(vi.useRealTimers);

  const policy = { 'RateLimit-Policy': '"nft-data";q=60000;w=60' };
  expect(first.headers).toMatchObject({ ...policy, RateLimit: '"nft-data";r=59990;t=1' });
  expect(again.headers).toMatchObject({ ...policy, RateLimit: '"nft-data";r=59989;t=1' });
});
