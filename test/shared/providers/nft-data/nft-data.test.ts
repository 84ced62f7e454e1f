import { describe, expect, it } from 'vitest';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { findChain } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { countingRequests } from '#shared/use-cases/request-count.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { FIREWALL_PAGE, MONTHLY_CAPACITY } from '#test/support/refusals.ts';

const now = Date.UTC(2026, 10, 21, 12);
const address = '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
const { signal } = new AbortController();

type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** The provider with a server that returns these answers in turn, and then always the last one. */
async function world(answers: Answer | readonly Answer[], given: Partial<ProviderSettings> = {}) {
  const turns = [answers].flat();
  const server = await startHttpServer((response, _, count) => {
    const {
      status = 200,
      headers = {},
      body = '',
    } = turns[Math.min(count, turns.length) - 1] ?? {};
    const type = { 'content-type': 'application/json' };
    response.writeHead(status, { ...type, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const upstream = createNftData({
    http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 100_000, maxConnections: 5 }),
    baseUrl: server.url,
    apiKey: async () => 'key',
    now: () => now,
    ...given,
  });
  return {
    upstream,
    requests: server.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const aContract = (chain = 'eth'): Contract => {
  const found = findChain(chain);
  if (found === undefined) throw new Error(`no chain ${chain}`);
  return { chain: found, address };
};
const eth = (text: string) => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`no decimal ${text}`);
  return value;
};
const aFloor = (given: object = {}) => ({
  floor_price: '9.5',
  floor_price_usd: '28500.12',
  currency: 'eth',
  marketplace: [{ name: 'opensea', logo: '' }],
  timestamp: '2026-11-21T11:00:00.000Z',
  ...given,
});
const aPage = (...result: readonly unknown[]) => ({ page: 1, page_size: 100, cursor: '', result });
const HASH = `0xb28b${'0'.repeat(56)}c0de`;
const aTrade = (given: object = {}) => ({
  transaction_hash: HASH,
  transaction_index: '',
  token_address: address,
  token_ids: ['544'],
  seller_address: '0xc352',
  buyer_address: '0x0000',
  marketplace_address: address,
  price: '50000000000000007',
  block_timestamp: '2026-11-20T10:00:00',
  block_number: '3919706',
  block_hash: '',
  ...given,
});
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const BLUR_POOL = '0x0000000000a39bb272e79075ade125fd351887ac';
const ETHER = {
  token_name: 'Ether',
  token_symbol: 'ETH',
  token_logo: '',
  token_decimals: '18',
  token_address: '0x0000000000000000000000000000000000000000',
};
const aSale = (given: object = {}) => ({
  transaction_hash: HASH,
  block_timestamp: '2026-11-20T10:00:00',
  buyer_address: '0x0000',
  seller_address: '0xc352',
  price: '50000000000000007',
  price_formatted: '0.050000000000000007',
  usd_price_at_sale: '150.5',
  current_usd_value: '160',
  token_id: '544',
  payment_token: ETHER,
  ...given,
});
const aSummary = (lowest_sale: unknown, given: object = {}) => ({
  last_sale: null,
  lowest_sale,
  highest_sale: null,
  average_sale: null,
  total_trades: 3,
  ...given,
});

const operations = {
  floor: (upstream: MainUpstream) => upstream.floorHistory(aContract(), { interval: '1d' }, signal),
  lowestprice: (upstream: MainUpstream) =>
    upstream.lowestTrade(aContract(), 7, 'lowestprice', signal),
  price: (upstream: MainUpstream) => upstream.lowestTrade(aContract(), 7, 'price', signal),
  traits: (upstream: MainUpstream) =>
    upstream.answer(
      {
        way: 'nfts-by-traits',
        contract: aContract(),
        parameters: {},
        body: '{"traits":{"hat":"cap"}}',
      },
      signal,
    ),
} as const satisfies Record<string, (upstream: MainUpstream) => Promise<Outcome<unknown>>>;
type Asked = keyof typeof operations;
const everyOperation = Object.keys(operations) as Asked[];

async function outcomeOf(asked: Asked, answer: Answer, contract?: Contract) {
  await using server = await world(answer);
  if (contract === undefined) return await operations[asked](server.upstream);
  return asked === 'price' || asked === 'lowestprice'
    ? await server.upstream.lowestTrade(contract, 7, asked, signal)
    : await server.upstream.floorHistory(contract, { interval: '1d' }, signal);
}

async function floorPoints(body: unknown) {
  await using server = await world({ body });
  const outcome = await operations.floor(server.upstream);
  return outcome.kind === 'ok' ? outcome.value.points : outcome;
}

describe('a request to nft-data', () => {
  it.each(everyOperation)(
    'sends key, accept header, hex chain id and lower-case address in a request for %s',
    async (asked) => {
      await using server = await world({ body: aPage() });

      await operations[asked](server.upstream);

      const request = server.requests[0];
      expect(request?.headers).toMatchObject({ 'x-api-key': 'key', accept: 'application/json' });
      expect(request?.path.startsWith(`/api/v2.2/nft/${address}/`)).toBe(true);
      expect(request?.query.get('chain')).toBe('0x1');
    },
  );

  it('sends a mixed-case address in lower case', async () => {
    await using server = await world({ body: aPage() });
    const mixed = address.toUpperCase().replace('0X', '0x') as `0x${string}`;

    await server.upstream.floorHistory(
      { ...aContract('polygon amoy'), address: mixed },
      { interval: '30d' },
      signal,
    );

    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: `/api/v2.2/nft/${address}/floor-price/historical`,
    });
    expect(server.requests[0]?.query.toString()).toBe('chain=0x13882&interval=30d');
  });

  it.each([
    { way: 'lowestprice', days: 30, sent: '30' },
    { way: 'price', days: 30, sent: '30' },
    { way: 'price', days: 0, sent: '1' },
    { way: 'price', days: 1000, sent: '365' },
    { way: 'price', days: 7.9, sent: '7' },
  ] as const)(
    'requests the lowest trade of $days days from the endpoint $way with days=$sent',
    async ({ way, days, sent }) => {
      await using server = await world({});

      await server.upstream.lowestTrade(aContract(), days, way, signal);

      expect(server.requests[0]?.path).toBe(`/api/v2.2/nft/${address}/${way}`);
      expect(server.requests[0]?.query.get('days')).toBe(sent);
    },
  );

  it('requests tokens by traits with POST, and passes every option under its own name', async () => {
    await using server = await world({ body: aPage() });

    await server.upstream.answer(
      {
        way: 'nfts-by-traits',
        contract: aContract(),
        parameters: {
          format: 'hex',
          limit: '10',
          cursor: 'a b+c/=',
          normalizeMetadata: 'true',
          media_items: 'false',
        },
        body: '{"traits":{"Hat":"Cap forward","eyes":"3"}}',
      },
      signal,
    );

    const request = server.requests[0];
    expect(request?.method).toBe('POST');
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.body).toBe('{"traits":{"Hat":"Cap forward","eyes":"3"}}');
    expect(Object.fromEntries(request?.query ?? [])).toEqual({
      chain: '0x1',
      format: 'hex',
      limit: '10',
      cursor: 'a b+c/=',
      normalizeMetadata: 'true',
      media_items: 'false',
    });
  });

  it('appends the path to a base URL that ends in a slash', async () => {
    const asked: string[] = [];
    const upstream = createNftData({
      http: {
        request: async ({ url }) => {
          asked.push(`${url.origin}${url.pathname}`);
          return { status: 202, headers: {}, body: '' };
        },
      },
      baseUrl: 'https://nft.example.com/data/',
      apiKey: async () => 'key',
      now: () => now,
    });

    await upstream.floorHistory(aContract(), { interval: '1d' }, signal);

    expect(asked).toEqual([
      `https://nft.example.com/data/api/v2.2/nft/${address}/floor-price/historical`,
    ]);
  });
});

describe('the key of nft-data', () => {
  const keys = (...stored: readonly string[]) => {
    const asked: boolean[] = [];
    const apiKey = async (refresh: boolean) => {
      asked.push(refresh);
      return stored[refresh ? 1 : 0] ?? '';
    };
    return { asked, apiKey };
  };

  it('reads a rejected key of nft-data again, and repeats the call with a new key', async () => {
    const { asked, apiKey } = keys('old', 'new');
    await using server = await world(
      [{ status: 401, body: { message: 'Invalid key' } }, { body: aPage(aFloor()) }],
      { apiKey },
    );

    const outcome = await operations.floor(server.upstream);

    expect(outcome.kind).toBe('ok');
    expect(asked).toEqual([false, true]);
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['old', 'new']);
  });

  it('does not repeat a call to nft-data if the rejected key has not changed', async () => {
    const { apiKey } = keys('old', 'old');
    await using server = await world({ status: 401, body: { message: 'Invalid key' } }, { apiKey });

    const outcome = await operations.floor(server.upstream);

    expect(outcome).toEqual({ kind: 'denied', reason: 'key' });
    expect(server.requests).toHaveLength(1);
  });

  it('reads a rejected key of nft-data again only once', async () => {
    const { asked, apiKey } = keys('old', 'new');
    await using server = await world({ status: 401, body: { message: 'Invalid key' } }, { apiKey });

    const outcome = await operations.floor(server.upstream);

    expect(outcome).toEqual({ kind: 'denied', reason: 'key' });
    expect(server.requests).toHaveLength(2);
    expect(asked).toEqual([false, true]);
  });

  it('does not read the key of nft-data again if the plan is rejected', async () => {
    const { asked, apiKey } = keys('old', 'new');
    await using server = await world({ status: 401, body: { message: 'plan paused' } }, { apiKey });

    await operations.floor(server.upstream);

    expect(asked).toEqual([false]);
  });

  it('fails without a request to nft-data if the key cannot be read', async () => {
    await using server = await world(
      { body: aPage(aFloor()) },
      { apiKey: () => Promise.reject(new Error('no parameter')) },
    );

    const outcome = await operations.floor(server.upstream);

    expect(outcome).toEqual({ kind: 'failed', reason: 'network' });
    expect(server.requests).toEqual([]);
  });

  it('reports a rejected key of nft-data if the key cannot be read again', async () => {
    await using server = await world(
      { status: 401, body: { message: 'Invalid key' } },
      { apiKey: async (refresh) => (refresh ? Promise.reject(new Error('throttled')) : 'old') },
    );

    expect(await operations.floor(server.upstream)).toEqual({ kind: 'denied', reason: 'key' });
  });
});

describe.each(everyOperation)('an answer for %s', (asked) => {
  it.each([
    [202, { message: 'Floor price is being synced' }, { kind: 'not_ready' }],
    [301, '', { kind: 'failed', reason: 'redirect' }],
    [304, '', { kind: 'failed', reason: 'redirect' }],
    [308, '', { kind: 'failed', reason: 'redirect' }],
    [400, { message: 'cursor is bad' }, { kind: 'failed', reason: 'bad_request' }],
    [400, { message: ['interval must be 1d', 'x'] }, { kind: 'failed', reason: 'bad_request' }],
    [400, { message: 'Chain 0x2eb is not supported' }, { kind: 'unsupported', reason: 'chain' }],
    [
      400,
      { message: ['chain must be a valid enum value'] },
      { kind: 'unsupported', reason: 'chain' },
    ],
    [
      400,
      { message: 'bad', details: ['unsupported chain'] },
      { kind: 'unsupported', reason: 'chain' },
    ],
    [401, { message: 'Token is invalid format' }, { kind: 'denied', reason: 'key' }],
    [401, '', { kind: 'denied', reason: 'key' }],
    [
      401,
      { message: 'Validation service blocked: total included usage has been consumed' },
      { kind: 'denied', reason: 'quota' },
    ],
    [401, { message: 'Your plan is paused' }, { kind: 'denied', reason: 'paused' }],
    [401, { message: 'Account blocked' }, { kind: 'denied', reason: 'blocked' }],
    [402, { message: 'pay' }, { kind: 'denied', reason: 'quota' }],
    [403, { message: 'Forbidden' }, { kind: 'denied', reason: 'blocked' }],
    [403, { message: 'invalid API key' }, { kind: 'denied', reason: 'key' }],
    [403, { message: 'Upgrade your plan to use this.' }, { kind: 'denied', reason: 'plan' }],
    [403, { message: 'Limited to the Pro plan' }, { kind: 'denied', reason: 'plan' }],
    [403, { message: 'The usage of your plan is consumed' }, { kind: 'denied', reason: 'quota' }],
    [403, { message: 'Your plan limit is reached' }, { kind: 'denied', reason: 'quota' }],
    [403, { message: 'Your plan is suspended' }, { kind: 'denied', reason: 'paused' }],
    [401, { message: 'Upgrade your plan' }, { kind: 'denied', reason: 'quota' }],
    [401, FIREWALL_PAGE, { kind: 'denied', reason: 'blocked' }],
    [403, FIREWALL_PAGE, { kind: 'denied', reason: 'blocked' }],
    [429, { message: MONTHLY_CAPACITY }, { kind: 'denied', reason: 'quota' }],
    [404, '<html>no such host</html>', { kind: 'failed', reason: 'garbage' }],
    [404, { message: 'Cannot GET /api/v2.2/nft' }, { kind: 'unsupported', reason: 'retired' }],
    [408, '', { kind: 'failed', reason: 'timeout' }],
    [410, { message: 'retired' }, { kind: 'unsupported', reason: 'retired' }],
    [422, '', { kind: 'failed', reason: 'bad_request' }],
    [429, { message: 'Rate limit exceeded' }, { kind: 'throttled' }],
    [500, { message: 'oops' }, { kind: 'failed', reason: 'server_error' }],
    [502, '<html>Bad gateway</html>', { kind: 'failed', reason: 'server_error' }],
    [200, '<html>maintenance</html>', { kind: 'failed', reason: 'garbage' }],
    [200, '{"page":1,"result":[{"floor_pr', { kind: 'failed', reason: 'garbage' }],
    [200, '[['.repeat(20_000), { kind: 'failed', reason: 'garbage' }],
    [200, '"text"', { kind: 'failed', reason: 'garbage' }],
    [200, { surprise: true }, { kind: 'failed', reason: 'garbage' }],
    [200, 'x'.repeat(100_001), { kind: 'failed', reason: 'too_large' }],
  ])('reads the answer %i %j of nft-data as %j', async (status, body, expected) => {
    expect(await outcomeOf(asked, { status, body })).toEqual(expected);
  });

  it('reports a broken connection to nft-data as a network failure', async () => {
    await using server = await startHttpServer((response) => response.destroy());
    const upstream = createNftData({
      http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 1000, maxConnections: 1 }),
      baseUrl: server.url,
      apiKey: async () => 'key',
      now: () => now,
    });

    expect(await operations[asked](upstream)).toEqual({ kind: 'failed', reason: 'network' });
  });

  it('reports a missing answer of nft-data as a timeout', async () => {
    await using server = await startHttpServer(() => {});
    const upstream = createNftData({
      http: createHttpClient({ deadlineMs: 30, maxBodyBytes: 1000, maxConnections: 1 }),
      baseUrl: server.url,
      apiKey: async () => 'key',
      now: () => now,
    });

    expect(await operations[asked](upstream)).toEqual({ kind: 'failed', reason: 'timeout' });
  });
});

it.each([
  ['floor', 'not_found'],
  ['traits', 'not_found'],
  ['lowestprice', 'empty'],
  ['price', 'empty'],
] as const)('reads a 404 for %s as %s', async (asked, kind) => {
  expect(await outcomeOf(asked, { status: 404, body: { message: 'No trades found' } })).toEqual({
    kind,
  });
});

it.each([
  ['7', 7],
  ['0', undefined],
  ['999999999', 86_400],
  [new Date(now + 90 * SECOND).toUTCString(), 90],
  [new Date(now - 90 * SECOND).toUTCString(), undefined],
  [new Date(now + 100 * 86_400 * SECOND).toUTCString(), 86_400],
  ['soon', undefined],
  ['-3', undefined],
  ['', undefined],
])('reads a 429 with Retry-After "%s" as throttled for %s seconds', async (retryAfter, seconds) => {
  const outcome = await outcomeOf('floor', { status: 429, headers: { 'retry-after': retryAfter } });

  expect(outcome).toEqual(
    seconds === undefined
      ? { kind: 'throttled' }
      : { kind: 'throttled', retryAfterSeconds: seconds },
  );
});

it.each([
  ['while its key is read', async () => 'key'],
  ['while its key cannot be read', () => Promise.reject(new Error('no parameter'))],
])('rejects with the reason of the signal if the caller aborts %s', async (_, key) => {
  const controller = new AbortController();
  const reason = new Error('no time left');
  const apiKey = () => {
    controller.abort(reason);
    return key();
  };
  await using server = await world({}, { apiKey });

  const refused = server.upstream.floorHistory(aContract(), { interval: '1d' }, controller.signal);

  await expect(refused).rejects.toBe(reason);
});

describe('a page of floors', () => {
  it('reads floors with price, currency, dollars, marketplaces and time', async () => {
    expect(await floorPoints(aPage(aFloor()))).toEqual([
      {
        time: Date.UTC(2026, 10, 21, 11),
        price: eth('9.5'),
        usd: eth('28500.12'),
        currency: 'eth',
        marketplaces: ['opensea'],
      },
    ]);
  });

  it('sorts floors newest first, whatever their order in the page', async () => {
    const hours = ['09', '11', '08', '10'];

    const points = await floorPoints(
      aPage(...hours.map((hour) => aFloor({ timestamp: `2026-11-21T${hour}:00:00.000Z` }))),
    );

    expect(points).toMatchObject(
      [11, 10, 9, 8].map((hour) => ({ time: Date.UTC(2026, 10, 21, hour) })),
    );
  });

  it('keeps the lowest of several floors with the same time', async () => {
    const points = await floorPoints(
      aPage(aFloor(), aFloor({ floor_price: '9.1' }), aFloor({ floor_price: '9.3' })),
    );

    expect(points).toMatchObject([{ price: eth('9.1') }]);
  });

  it("prefers the chain's native currency among several floors with the same time", async () => {
    const points = await floorPoints(
      aPage(aFloor({ floor_price: '3', currency: 'usdc' }), aFloor({ floor_price: '9.5' })),
    );

    expect(points).toMatchObject([{ price: eth('9.5'), currency: 'eth' }]);
  });

  it.each([
    ['numbers', { page: 1, page_size: 100 }],
    ['numeric strings', { page: '1', page_size: '100' }],
    ['nothing', { page: undefined, page_size: undefined }],
    ['a cursor of null', { cursor: null }],
    ['no cursor', { cursor: undefined }],
    ['a cursor', { cursor: 'eyJ' }],
  ])('reads a page of floors with %s in its envelope', async (_, envelope) => {
    expect(await floorPoints({ ...aPage(aFloor()), ...envelope })).toHaveLength(1);
  });

  it('reads a page of floors whose result is one record instead of a list', async () => {
    expect(await floorPoints({ ...aPage(), result: aFloor() })).toHaveLength(1);
  });

  it('reads a page of floors without a record as empty', async () => {
    expect(await outcomeOf('floor', { body: aPage() })).toEqual({ kind: 'empty' });
  });

  it('skips and counts floors without a price, and returns empty if all floors are skipped', async () => {
    const noPrices = [
      aFloor({ floor_price: '0' }),
      aFloor({ floor_price: '9'.repeat(40) }),
      aFloor({ currency: undefined }),
      aFloor({ timestamp: 'yesterday' }),
    ];
    const read = (...floors: readonly object[]) =>
      countingRequests(() => outcomeOf('floor', { body: aPage(...floors) }));

    const [some, none] = [await read(...noPrices, aFloor()), await read(...noPrices)];

    expect(some.value).toMatchObject({ kind: 'ok', value: { points: [{ price: eth('9.5') }] } });
    expect(none.value).toEqual({ kind: 'empty' });
    expect([some.skipped, none.skipped]).toEqual([
      { no_price: 3, no_time: 1 },
      { no_price: 3, no_time: 1 },
    ]);
  });

  it.each([[null], ['x'], [[]], [{}]])(
    'reports a page with only the record %j as garbage',
    async (record) => {
      expect(await outcomeOf('floor', { body: aPage(record) })).toEqual({
        kind: 'failed',
        reason: 'garbage',
      });
    },
  );

  it.each([
    ['an empty body', ''],
    ['null', 'null'],
    ['{}', '{}'],
    ['a result of null', '{"result":null}'],
  ])('reports a page of floors that is %s as garbage, not as a missing price', async (_, body) => {
    expect(await outcomeOf('floor', { body })).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it.each([
    ['price is missing', { floor_price: undefined }],
    ['price is null', { floor_price: null }],
    ['price is 0', { floor_price: '0' }],
    ['price is the number 0', { floor_price: 0 }],
    ['price is 0.000', { floor_price: '0.000' }],
    ['price is negative', { floor_price: '-1' }],
    ['price is NaN', { floor_price: 'NaN' }],
    ['price is infinite', { floor_price: 'Infinity' }],
    ['price is empty', { floor_price: '' }],
    ['price is beyond the supported range', { floor_price: `1${'0'.repeat(30)}` }],
    ['price is a list', { floor_price: ['1'] }],
    ['price is below the smallest unit', { floor_price: '1e-19' }],
    ['currency is missing', { currency: undefined }],
    ['currency is null', { currency: null }],
    ['currency is empty', { currency: '' }],
    ['currency is blank', { currency: ' ' }],
    ['time is missing', { timestamp: undefined }],
    ['time is no time', { timestamp: 'yesterday' }],
    ['time is a number', { timestamp: now }],
    ['time is the epoch', { timestamp: '1970-01-01T00:00:00.000Z' }],
    ['time is more than five minutes ahead', { timestamp: formatInstant(now + 5 * MINUTE + 1) }],
  ])('skips a floor whose %s, and keeps the others', async (_, broken) => {
    const points = await floorPoints(
      aPage(aFloor({ ...broken }), aFloor({ floor_price: '8', timestamp: '2026-11-21T10:00:00Z' })),
    );

    expect(points).toMatchObject([{ price: eth('8') }]);
  });

  it('accepts the time of a floor that is five minutes ahead', async () => {
    const timestamp = formatInstant(now + 5 * MINUTE);

    expect(await floorPoints(aPage(aFloor({ timestamp })))).toMatchObject([
      { time: now + 5 * MINUTE },
    ]);
  });

  it('reads the time of a floor without a zone as UTC', async () => {
    expect(await floorPoints(aPage(aFloor({ timestamp: '2026-11-21T11:00:00' })))).toMatchObject([
      { time: Date.UTC(2026, 10, 21, 11) },
    ]);
  });

  it.each([
    ['a list', [{ name: 'opensea', logo: '' }, { name: 'blur' }], ['opensea', 'blur']],
    ['one object', { name: 'opensea', logo: '' }, ['opensea']],
    ['a string', 'opensea', ['opensea']],
    ['a list of strings', ['opensea', 'blur'], ['opensea', 'blur']],
    ['null', null, []],
    ['missing', undefined, []],
    ['a list with nonsense', [{ logo: 'x' }, null, 3, ''], ['3']],
    ['more than one line', 'open\r\n\u202esea\u2028', ['open sea']],
    ['only control characters', '\n\u0000', []],
  ])('reads the marketplace of a floor that is %s', async (_, marketplace, marketplaces) => {
    expect(await floorPoints(aPage(aFloor({ marketplace })))).toMatchObject([{ marketplaces }]);
  });

  it.each([[undefined], [null], [0], ['0'], ['n/a'], [[]]])(
    'ignores %j as the dollar price of a floor',
    async (floor_price_usd) => {
      const points = await floorPoints(aPage(aFloor({ floor_price_usd })));

      expect(points).toMatchObject([{ price: eth('9.5') }]);
      expect(points).not.toMatchObject([{ usd: expect.anything() }]);
    },
  );

  it.each([
    ['weth', 'eth'],
    ['ETH', 'eth'],
    ['USDC', 'usdc'],
  ])('normalizes the currency %s of a floor to %s', async (currency, unit) => {
    expect(await floorPoints(aPage(aFloor({ currency })))).toMatchObject([{ currency: unit }]);
  });

  it.each([
    ['0.050000000000000007', '0.050000000000000007'],
    ['0.050000000000000000', '0.05'],
    ['123456789012345678.000000000000000001', '123456789012345678.000000000000000001'],
    ['5e-2', '0.05'],
    ['1.5E+1', '15'],
  ])('reads a price in the JSON number %s exactly', async (source, exact) => {
    const body = JSON.stringify(aPage(aFloor())).replace('"9.5"', source);

    expect(await floorPoints(body)).toMatchObject([{ price: eth(exact) }]);
  });

  it('ignores a member of a floor that is named __proto__', async () => {
    const body = JSON.stringify(aPage(aFloor({ floor_price: undefined }))).replace(
      '{"floor_price_usd"',
      '{"__proto__":{"floor_price":"1"},"floor_price_usd"',
    );

    expect(body).toContain('__proto__');
    expect(await outcomeOf('floor', { body })).toEqual({ kind: 'empty' });
  });
});

describe.each([
  ['lowestprice', (trade: object) => aTrade(trade)],
  ['price', (trade: object) => aSummary(aSale(trade))],
] as const)('the lowest trade by %s', (asked, answer) => {
  const tradeOf = async (given: object) => {
    const outcome = await outcomeOf(asked, { body: answer(given) });
    return outcome.kind === 'ok' ? outcome.value : outcome;
  };

  it('reads a trade with price, time, hash and tokens', async () => {
    expect(await tradeOf({})).toMatchObject({
      time: Date.UTC(2026, 10, 20, 10),
      price: 50000000000000007n,
      transactionHash: HASH,
      tokenIds: ['544'],
    });
  });

  it.each([
    ['a link', 'https://evil.example/0xb28b'],
    ['a hash followed by other text', `${HASH} https://evil.example`],
    ['a text of fifty kilobytes', '0x'.padEnd(50_000, 'a')],
    ['a truncated hash', HASH.slice(0, -1)],
    ['a number', 7],
    ['nothing', undefined],
  ])('ignores the transaction of a trade if it is %s', async (_, transaction_hash) => {
    const trade = await tradeOf({ transaction_hash });

    expect(trade).toMatchObject({ price: 50000000000000007n });
    expect(trade).not.toHaveProperty('transactionHash');
  });

  it('reads the transaction hash of a trade on Flow without 0x', async () => {
    const transaction_hash = HASH.slice(2);

    expect(await tradeOf({ transaction_hash })).toMatchObject({
      transactionHash: transaction_hash,
    });
  });

  it('reads a trade at a tiny price', async () => {
    expect(await tradeOf({ price: '1' })).toMatchObject({ price: 1n });
  });

  it('reads the price of a trade exactly to the wei, even as a JSON number', async () => {
    const body = JSON.stringify(answer({})).replace('"50000000000000007"', '50000000000000007');

    expect(await outcomeOf(asked, { body })).toMatchObject({
      value: { price: 50000000000000007n },
    });
  });

  it.each([
    ['a price in ether', { price: '0.05' }],
    ['a missing price', { price: undefined }],
    ['a price of null', { price: null }],
    ['a price of "-"', { price: '-' }],
    ['a price with an exponent', { price: '5e16' }],
    ['a missing time', { block_timestamp: undefined }],
    ['a time in the future', { block_timestamp: '2026-11-22T00:00:00' }],
    ['a time in 1970', { block_timestamp: '1970-01-01T00:00:00' }],
  ])('reports a trade with %s as garbage', async (_, broken) => {
    expect(await tradeOf(broken)).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it.each([
    ['ETH', ETHER],
    ['WETH', { ...ETHER, token_symbol: 'weth', token_address: WETH }],
    ['WETH by its address alone', { token_address: WETH }],
    ['a bid on Blur', { token_symbol: 'ETH', token_address: BLUR_POOL }],
    ['the zero address', { token_address: ETHER.token_address }],
    ['the eeee address', { address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }],
    ['the word ETH', 'ETH'],
    ['the zero address as a word', ETHER.token_address],
  ])('counts a trade paid in %s', async (_, payment_token) => {
    expect(await tradeOf({ payment_token })).toMatchObject({ price: 50000000000000007n });
  });

  it.each([
    ['USDC', { ...ETHER, token_symbol: 'USDC', token_decimals: '6', token_address: '0xa0b8' }],
    ['an unnamed token', { token_address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' }],
    ['a token named ETH with 6 decimals', { ...ETHER, token_decimals: '6' }],
    ['POL at the zero address', { ...ETHER, token_symbol: 'POL' }],
    ['the word USDC', 'USDC'],
    [
      'a token named WETH at another address',
      { ...ETHER, token_symbol: 'WETH', token_address: `0xdead${WETH.slice(6)}` },
    ],
  ])(
    'reports a trade paid in %s as unsupported, neither as a price nor as empty',
    async (_, payment_token) => {
      expect(await tradeOf({ payment_token })).toEqual({ kind: 'unsupported', reason: 'money' });
    },
  );

  it('does not count a trade in the native currency of another chain', async () => {
    const body = answer({ payment_token: { token_address: ETHER.token_address } });

    expect(await outcomeOf(asked, { body }, aContract('polygon'))).toEqual({
      kind: 'unsupported',
      reason: 'money',
    });
  });

  it.each([
    ['an empty body', ''],
    ['a blank body', ' \n'],
    ['null', 'null'],
    ['{}', '{}'],
  ])('reads %s as no trade', async (_, body) => {
    expect(await outcomeOf(asked, { body })).toEqual({ kind: 'empty' });
  });

  it('reads the status 204 as no trade', async () => {
    expect(await outcomeOf(asked, { status: 204 })).toEqual({ kind: 'empty' });
  });
});

describe.each([
  ['lowestprice', (price: string) => aTrade({ price })],
  ['price', (price: string) => aSummary(aSale({ price }))],
] as const)('the amount of the lowest trade by %s', (asked, answer) => {
  it.each([['0'], ['9'.repeat(40)]])(
    'rejects and counts a trade with the amount %s',
    async (price) => {
      const { value, skipped } = await countingRequests(() =>
        outcomeOf(asked, { body: answer(price) }),
      );

      expect(value).toEqual({ kind: 'unsupported', reason: 'price' });
      expect(skipped).toEqual({ no_price: 1 });
    },
  );
});

describe('the currency of lowestprice', () => {
  it('reads a trade of lowestprice without a currency, which is always ETH', async () => {
    expect(await outcomeOf('lowestprice', { body: aTrade() })).toMatchObject({ kind: 'ok' });
  });
});

describe('the summary of sales by price', () => {
  it('reads the dollar price that a sale had on its day', async () => {
    expect(await outcomeOf('price', { body: aSummary(aSale()) })).toMatchObject({
      value: { usd: eth('150.5') },
    });
  });

  it('reads a lowest sale of null as empty', async () => {
    expect(await outcomeOf('price', { body: aSummary(null) })).toEqual({ kind: 'empty' });
  });

  it('reports that sales are not ready while they are being synced', async () => {
    const body = aSummary(null, { message: 'Sales are being synced, try again later' });

    expect(await outcomeOf('price', { body })).toEqual({ kind: 'not_ready' });
  });

  it.each([[undefined], [null]])(
    'reports a sale with the payment token %s as garbage',
    async (payment_token) => {
      expect(await outcomeOf('price', { body: aSummary(aSale({ payment_token })) })).toEqual({
        kind: 'failed',
        reason: 'garbage',
      });
    },
  );
});

describe('a page of tokens by traits', () => {
  const traitsOf = async (body: string) => {
    const outcome = await outcomeOf('traits', { body });
    return outcome.kind === 'ok' ? outcome.value : outcome;
  };

  it('passes a page of tokens through byte for byte', async () => {
    const body =
      '{ "page" : "1",\n "cursor":null, "result": [ {"token_id":"1","rarity_percentage":1.50e1,' +
      '"metadata":"{\\"name\\": broken","list_price":0.050000000000000007,"Ξ":"\\u039e"} ], "extra":1.0 }';

    expect(await traitsOf(body)).toBe(body);
  });

  it('turns a single record into a list of one, with every other byte unchanged', async () => {
    const record = '{"token_id":"1","result":{"x":1.0},"metadata":"\\"}{[","rank":1e2 , "p":0.10}';

    expect(await traitsOf(`{"a":["result",{}], "result" :${record}, "cursor":"" , "n":7.00}`)).toBe(
      `{"a":["result",{}], "result" :[${record}], "cursor":"" , "n":7.00}`,
    );
  });

  it('turns a single record at the end of a page into a list of one', async () => {
    expect(await traitsOf('{"page":1,"result":{"token_id":"1"}}')).toBe(
      '{"page":1,"result":[{"token_id":"1"}]}',
    );
  });

  it('keeps the last of two members "result" in a page, like a JSON parser', async () => {
    expect(await traitsOf('{"result":[],"r\\u0065sult":{"token_id":"1"}}')).toBe(
      '{"result":[],"r\\u0065sult":[{"token_id":"1"}]}',
    );
  });

  it('accepts a page without tokens', async () => {
    expect(await traitsOf('{"result":[]}')).toBe('{"result":[]}');
  });

  it.each(['', 'null', '{}', '[]', '{"result":null}', '{"result":"x"}', '{"result":3}'])(
    'reports a page that is %j as garbage',
    async (body) => {
      expect(await traitsOf(body)).toEqual({ kind: 'failed', reason: 'garbage' });
    },
  );
});
