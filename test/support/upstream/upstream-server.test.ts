import { describe, expect, it } from 'vitest';
import { loadReplayedMarket } from '#infra/local/upstream/replayed-market.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import {
  aFloorLine,
  aTokenLine,
  aTradeLine,
  PUNKS,
  writeMarketFiles,
} from '#test/support/market-files.ts';
import type { Question } from '#test/support/upstream/market-answers.ts';
import type { Behaviour } from '#test/support/upstream/misbehaviour.ts';
import {
  startUpstreamServer,
  type UpstreamServer,
  type UpstreamServerOptions,
} from '#test/support/upstream/upstream-server.ts';

const now = Date.UTC(2021, 7, 20, 12);
const STRANGER: ContractKey = 'eth:0x0000000000000000000000000000000000000001';
const { signal } = new AbortController();
const ETHER = 10n ** 18n;

const aFloorAt = (time: number, price: string) => aFloorLine(formatInstant(time), price);
const aTradeAt = (time: number, price: bigint, given: object = {}) =>
  aTradeLine(formatInstant(time).slice(0, 19), `${price}`, given);

const usualMarket = {
  'floors.jsonl': [
    aFloorAt(now - 9 * DAY, '40'),
    aFloorAt(now - 2 * HOUR, '31.45'),
    aFloorAt(now - HOUR, '30.050000000000000007'),
    aFloorAt(now + HOUR, '29'),
  ],
  'trades.jsonl': [
    aTradeAt(now - 8 * DAY, 10n * ETHER),
    aTradeAt(now - 3 * DAY, 33n * ETHER + 7n),
    aTradeAt(now - 2 * DAY, 33n * ETHER + 7n, { token_ids: ['9'] }),
    aTradeAt(now - DAY, 34n * ETHER),
    aTradeAt(now - DAY, 5n, { payment_token: 'USDC' }),
    aTradeAt(now + HOUR, ETHER),
  ],
  'tokens.jsonl': [
    aTokenLine('1', [
      ['hat', 'cap'],
      ['eyes', 'laser'],
    ]),
    aTokenLine('2', [
      ['hat', 'cap'],
      ['hat', 'crown'],
    ]),
    aTokenLine('3', [['hat', 'Cap']]),
  ],
};

type World = AsyncDisposable & {
  readonly server: UpstreamServer;
  readonly upstream: MainUpstream;
  readonly get: (
    path: string,
    headers?: Record<string, string>,
  ) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly clock: { now: number };
};

/** The local upstream with data files, the real client, and an adjustable clock. */
async function world(
  files: Parameters<typeof writeMarketFiles>[0] = usualMarket,
  given: Partial<UpstreamServerOptions> = {},
): Promise<World> {
  await using written = await writeMarketFiles(files);
  const clock = { now };
  const source = await loadReplayedMarket(written.directory);
  const server = await startUpstreamServer({ source, now: () => clock.now, ...given });
  const upstream = createNftData({
    http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 1_000_000, maxConnections: 5 }),
    baseUrl: server.url,
    apiKey: async () => 'key',
    now: () => clock.now,
  });
  const get = async (path: string, headers: Record<string, string> = { 'x-api-key': 'key' }) => {
    const response = await fetch(`${server.url}/api/v2.2/nft/${PUNKS.slice(4)}/${path}`, {
      headers,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { server, upstream, get, clock, [Symbol.asyncDispose]: server.close };
}

const operations = {
  floor: (upstream: MainUpstream, contract = PUNKS as ContractKey) =>
    upstream.floorHistory(contractOf(contract), { interval: '7d' }, signal),
  lowestprice: (upstream: MainUpstream, contract = PUNKS as ContractKey) =>
    upstream.lowestTrade(contractOf(contract), 7, 'lowestprice', signal),
  price: (upstream: MainUpstream, contract = PUNKS as ContractKey) =>
    upstream.lowestTrade(contractOf(contract), 7, 'price', signal),
  traits: (upstream: MainUpstream, contract = PUNKS as ContractKey) =>
    search(upstream, { hat: 'cap' }, {}, contract),
} as const satisfies Record<string, (upstream: MainUpstream) => Promise<Outcome<unknown>>>;
type Asked = keyof typeof operations;

const search = (
  upstream: MainUpstream,
  traits: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>> = {},
  contract: ContractKey = PUNKS,
) =>
  upstream.answer(
    {
      way: 'nfts-by-traits',
      contract: contractOf(contract),
      parameters,
      body: JSON.stringify({ traits }),
    },
    signal,
  );
const everyOperation = Object.keys(operations) as Asked[];
const prices = ['floor', 'lowestprice', 'price'] as const;

describe('correct answers of the local upstream', () => {
  it('the local upstream returns the floors of the interval up to now, newest first', async () => {
    await using asked = await world();

    expect(await operations.floor(asked.upstream)).toMatchObject({
      kind: 'ok',
      value: {
        points: [
          { time: now - HOUR, price: 30n * ETHER + 50000000000000007n, currency: 'eth' },
          { time: now - 2 * HOUR, price: 31n * ETHER + (ETHER * 45n) / 100n },
        ],
      },
    });
  });

  it('the local upstream hides a floor until its time', async () => {
    await using asked = await world();

    asked.clock.now = now + HOUR;

    expect(await operations.floor(asked.upstream)).toMatchObject({
      value: { points: [{ time: now + HOUR }, {}, {}] },
    });
  });

  it.each(['lowestprice', 'price'] as const)(
    'the local upstream returns the lowest trade of the window by %s: paid in ETH, and the earliest of equal ones',
    async (way) => {
      await using asked = await world();

      expect(await operations[way](asked.upstream)).toEqual({
        kind: 'ok',
        value: {
          time: now - 3 * DAY,
          price: 33n * ETHER + 7n,
          tokenIds: ['544'],
          transactionHash: expect.any(String),
        },
      });
    },
  );

  it('the local upstream includes both ends of a window of days', async () => {
    await using asked = await world();
    const days = (count: number) =>
      asked.upstream.lowestTrade(contractOf(PUNKS), count, 'lowestprice', signal);

    expect(await days(8)).toMatchObject({ value: { price: 10n * ETHER } });

    asked.clock.now = now + 1;
    expect(await days(8)).toMatchObject({ value: { price: 33n * ETHER + 7n } });
  });

  it('the local upstream returns the current floor', async () => {
    await using asked = await world();

    expect(await asked.get('floor-price')).toEqual({
      status: 200,
      body: {
        floor_price: '30.050000000000000007',
        floor_price_usd: '30000.00',
        currency: 'eth',
        marketplace: [{ name: 'cryptopunks', logo: '' }],
        last_updated: formatInstant(now - HOUR),
      },
    });
  });

  it('the local upstream summarizes the sales of a window', async () => {
    await using asked = await world();

    const { body } = await asked.get('price?days=7');

    expect(body).toMatchObject({
      last_sale: { price: `${34n * ETHER}` },
      lowest_sale: { price: `${33n * ETHER + 7n}`, price_formatted: '33.000000000000000007' },
      highest_sale: { price: `${34n * ETHER}` },
      average_sale: { price: `${(100n * ETHER + 14n) / 3n}` },
      total_trades: 3,
    });
  });

  it('the local upstream finds the tokens with all given traits, even if a trait occurs twice', async () => {
    await using asked = await world();
    const idsWith = async (traits: Record<string, string>) => {
      const outcome = await search(asked.upstream, traits);
      if (outcome.kind !== 'ok') return outcome;
      const page = JSON.parse(outcome.value) as { result: { token_id: string }[] };
      return page.result.map(({ token_id }) => token_id);
    };

    expect(await idsWith({ hat: 'cap' })).toEqual(['1', '2']);
    expect(await idsWith({ hat: 'cap', eyes: 'laser' })).toEqual(['1']);
    expect(await idsWith({ hat: 'crown' })).toEqual(['2']);
    expect(await idsWith({ hat: 'Cap' })).toEqual(['3']);
    expect(await idsWith({ hat: 'helmet' })).toEqual([]);
  });

  it('the local upstream formats token ids, and adds normalized metadata and media on request', async () => {
    await using asked = await world({ 'tokens.jsonl': [aTokenLine('31', [['eyes', 'laser']])] });

    const outcome = await search(
      asked.upstream,
      { eyes: 'laser' },
      { format: 'hex', normalizeMetadata: 'true', media_items: 'true' },
    );

    expect(outcome.kind === 'ok' && JSON.parse(outcome.value)).toMatchObject({
      page: '1',
      result: [
        {
          token_id: '0x1f',
          metadata: expect.any(String),
          normalized_metadata: { name: 'CryptoPunk #31' },
          media: {},
        },
      ],
    });
  });

  it('the local upstream pages floors by 100, and does not shift pages while time passes', async () => {
    const floors = Array.from({ length: 200 }, (_, index) =>
      aFloorAt(now - (199 - index) * MINUTE, `${index + 1}`),
    );
    await using asked = await world({ 'floors.jsonl': [...floors, aFloorAt(now + 1, '999')] });

    const pages: (readonly { readonly floor_price: string }[])[] = [];
    let cursor = '';
    do {
      const next = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await asked.get(`floor-price/historical?interval=all${next}`);
      pages.push(body.result as { floor_price: string }[]);
      cursor = body.cursor as string;
      asked.clock.now += MINUTE;
    } while (cursor !== '');

    expect(pages.map(({ length }) => length)).toEqual([100, 100]);
    expect(pages.flat().map(({ floor_price }) => floor_price)).toEqual(
      Array.from({ length: 200 }, (_, index) => `${200 - index}`),
    );
  });

  it('the local upstream pages tokens by the limit of the first request', async () => {
    const tokens = Array.from({ length: 5 }, (_, id) => aTokenLine(`${id}`, [['hat', 'cap']]));
    await using asked = await world({ 'tokens.jsonl': tokens });

    const ids: string[][] = [];
    let cursor = '';
    do {
      const place: Record<string, string> = cursor === '' ? { limit: '2' } : { cursor };
      const outcome = await search(asked.upstream, { hat: 'cap' }, place);
      if (outcome.kind !== 'ok') throw new Error(outcome.kind);
      const page = JSON.parse(outcome.value) as { cursor: string; result: { token_id: string }[] };
      ids.push(page.result.map(({ token_id }) => token_id));
      cursor = page.cursor;
    } while (cursor !== '');

    expect(ids).toEqual([['0', '1'], ['2', '3'], ['4']]);
  });

  it.each([
    ['floor', { kind: 'not_ready' }],
    ['lowestprice', { kind: 'empty' }],
    ['price', { kind: 'empty' }],
    ['traits', { kind: 'ok', value: expect.stringContaining('"result":[]') }],
  ] as const)(
    'the local upstream answers a request for %s of an unknown contract with %j',
    async (asked, expected) => {
      await using market = await world();

      expect(await operations[asked](market.upstream, STRANGER)).toEqual(expected);
    },
  );

  it('the local upstream returns no floor for a contract whose first floor is in the future', async () => {
    await using asked = await world({ 'floors.jsonl': [aFloorAt(now + HOUR, '1')] });

    expect(await operations.floor(asked.upstream)).toEqual({ kind: 'empty' });
  });

  it.each([
    'floor-price/historical',
    'floor-price/historical?interval=2d',
    'floor-price/historical?interval=1d&cursor=zzz',
    'floor-price/historical?interval=1d&chain=moon',
    'lowestprice?days=many',
    'price?days=0',
    'price?days=366',
  ])('the local upstream rejects %s with a message', async (path) => {
    await using asked = await world();

    expect(await asked.get(path)).toEqual({
      status: 400,
      body: { message: [expect.stringMatching(/^(interval|cursor|chain|days)/)] },
    });
  });

  it('the local upstream rejects every key except its own, and a missing key', async () => {
    await using asked = await world(usualMarket, { apiKey: 'the key' });

    const keys: Record<string, string>[] = [
      { 'x-api-key': 'the key' },
      { 'x-api-key': 'other' },
      {},
    ];
    const statuses = keys.map(async (key) => (await asked.get('lowestprice', key)).status);

    expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
  });

  it('a local upstream without a key of its own accepts any key, but not a missing one', async () => {
    await using asked = await world();

    const keys: Record<string, string>[] = [{ 'x-api-key': 'any' }, {}];
    const statuses = keys.map(async (key) => (await asked.get('lowestprice', key)).status);

    expect(await Promise.all(statuses)).toEqual([200, 401]);
  });
});

describe('the recorded requests of the local upstream', () => {
  it('the local upstream records each request', async () => {
    await using asked = await world();
    asked.server.misbehave([{ operation: 'price', behaviour: { kind: 'reset' } }]);

    await operations.price(asked.upstream);
    await operations.floor(asked.upstream);
    await asked.get('nothing-like-it');

    expect(asked.server.requests()).toMatchObject([
      {
        time: now,
        operation: 'price',
        contract: PUNKS,
        status: 0,
        headers: { 'x-api-key': 'key' },
      },
      { operation: 'floor', contract: PUNKS, status: 200 },
      { operation: 'unknown', contract: undefined, status: 404 },
    ]);
  });

  it('the local upstream records each question once, without unknown contracts', async () => {
    await using asked = await world();

    await operations.floor(asked.upstream);
    await operations.floor(asked.upstream);
    await operations.lowestprice(asked.upstream);
    await operations.floor(asked.upstream, STRANGER);

    expect(asked.server.asked()).toEqual([
      { operation: 'floor', contract: PUNKS },
      { operation: 'lowestprice', contract: PUNKS, days: 7 },
    ] satisfies Question[]);
  });
});

const GARBAGE = { kind: 'failed', reason: 'garbage' };
const failed = (reason: string) => ({ kind: 'failed', reason });
const misbehaviours: readonly (readonly [Behaviour, object])[] = [
  [{ kind: 'not_ready' }, { kind: 'not_ready' }],
  [{ kind: 'unauthorized' }, { kind: 'denied', reason: 'key' }],
  [
    { kind: 'unauthorized', reason: 'key' },
    { kind: 'denied', reason: 'key' },
  ],
  [
    { kind: 'unauthorized', reason: 'quota' },
    { kind: 'denied', reason: 'quota' },
  ],
  [
    { kind: 'unauthorized', reason: 'paused' },
    { kind: 'denied', reason: 'paused' },
  ],
  [
    { kind: 'unauthorized', reason: 'blocked' },
    { kind: 'denied', reason: 'blocked' },
  ],
  [{ kind: 'forbidden' }, { kind: 'denied', reason: 'blocked' }],
  [{ kind: 'plan_lacks_it' }, { kind: 'denied', reason: 'plan' }],
  [{ kind: 'retired' }, { kind: 'unsupported', reason: 'retired' }],
  [{ kind: 'unsupported_chain' }, { kind: 'unsupported', reason: 'chain' }],
  [{ kind: 'bad_request' }, failed('bad_request')],
  [{ kind: 'throttled' }, { kind: 'throttled' }],
  [
    { kind: 'throttled', retryAfter: '4' },
    { kind: 'throttled', retryAfterSeconds: 4 },
  ],
  [
    { kind: 'throttled', retryAfter: new Date(now + MINUTE).toUTCString() },
    { kind: 'throttled', retryAfterSeconds: 60 },
  ],
  [{ kind: 'server_error' }, failed('server_error')],
  [{ kind: 'html' }, GARBAGE],
  [{ kind: 'cut_body' }, GARBAGE],
  [{ kind: 'garbage' }, GARBAGE],
  [{ kind: 'reset' }, failed('network')],
  [{ kind: 'redirect' }, failed('redirect')],
  [{ kind: 'huge' }, failed('too_large')],
];

describe.each(everyOperation)('failures of the local upstream for %s', (operation) => {
  it.each(misbehaviours)('the client reads the failure %j as %j', async (behaviour, expected) => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour }]);

    expect(await operations[operation](asked.upstream)).toEqual(expected);
  });

  it('the client gets a slow answer', async () => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind: 'slow', delayMs: 5 } }]);

    expect(await operations[operation](asked.upstream)).toMatchObject({ kind: 'ok' });
  });

  it('the client times out without an answer', async () => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind: 'hang' } }]);
    const upstream = createNftData({
      http: createHttpClient({ deadlineMs: 30, maxBodyBytes: 1000, maxConnections: 1 }),
      baseUrl: asked.server.url,
      apiKey: async () => 'key',
      now: () => now,
    });

    expect(await operations[operation](upstream)).toEqual(failed('timeout'));
  });
});

describe('bad values from the local upstream', () => {
  const EMPTY = { kind: 'empty' };
  const HONEST = { kind: 'ok' };

  it.each([
    ['not_found', 'floor', { kind: 'not_found' }],
    ['not_found', 'traits', { kind: 'not_found' }],
    ['not_found', 'lowestprice', EMPTY],
    ['not_found', 'price', EMPTY],
    ['empty_body', 'floor', GARBAGE],
    ['empty_body', 'traits', GARBAGE],
    ['empty_body', 'lowestprice', EMPTY],
    ['empty_body', 'price', EMPTY],
    ['null_body', 'floor', GARBAGE],
    ['null_body', 'traits', GARBAGE],
    ['null_body', 'lowestprice', EMPTY],
    ['null_body', 'price', EMPTY],
    ...prices.map((operation) => ['future_time', operation, GARBAGE] as const),
    // Only the time of a floor is validated strictly.
    ...(['zero_price', 'null_price', 'missing_price'] as const).map(
      (kind) => [kind, 'floor', EMPTY] as const,
    ),
    ...(['lowestprice', 'price'] as const).flatMap((operation) => [
      ['zero_price', operation, { kind: 'unsupported', reason: 'price' }] as const,
      ['null_price', operation, GARBAGE] as const,
      ['missing_price', operation, GARBAGE] as const,
    ]),
    ...everyOperation.map((operation) => ['numeric_strings', operation, HONEST] as const),
    ['oldest_first', 'traits', HONEST],
    ['other_currency', 'lowestprice', { kind: 'unsupported', reason: 'money' }],
    ['other_currency', 'price', { kind: 'unsupported', reason: 'money' }],
  ] as const)('the client reads the failure %s of %s as %j', async (kind, operation, expected) => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind } }]);

    expect(await operations[operation](asked.upstream)).toMatchObject(expected);
  });

  it('the client sorts floors that arrive oldest first', async () => {
    await using asked = await world();
    const honest = await operations.floor(asked.upstream);
    asked.server.misbehave([{ behaviour: { kind: 'oldest_first' } }]);

    expect(await operations.floor(asked.upstream)).toEqual(honest);
  });

  it('the client reads a single object as a list of one', async () => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind: 'single_object' } }]);

    const [floor, traits] = [
      await operations.floor(asked.upstream),
      await operations.traits(asked.upstream),
    ];

    expect(floor).toMatchObject({ value: { points: [{ time: now - HOUR }] } });
    expect(traits.kind === 'ok' && JSON.parse(traits.value)).toMatchObject({
      result: [{ token_id: '1' }],
    });
  });

  it('the client reads floors in another currency', async () => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind: 'other_currency' } }]);

    expect(await operations.floor(asked.upstream)).toMatchObject({
      value: { points: [{ currency: 'usdc' }, { currency: 'usdc' }] },
    });
  });

  it('the client reads stale floors with their times', async () => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind: 'stale' } }]);

    expect(await operations.floor(asked.upstream)).toMatchObject({
      value: { points: [{ time: now - 9 * DAY }] },
    });
  });
});

describe('scripts of failures', () => {
  it('the local upstream applies the rules of a script in order, each the given number of times, and then answers correctly', async () => {
    await using asked = await world();
    asked.server.misbehave([
      { times: 1, behaviour: { kind: 'server_error' } },
      { operation: 'floor', times: 1, behaviour: { kind: 'not_ready' } },
    ]);

    const kinds: string[] = [];
    for (const operation of ['price', 'price', 'floor', 'floor'] as const) {
      kinds.push((await operations[operation](asked.upstream)).kind);
    }

    expect(kinds).toEqual(['failed', 'ok', 'not_ready', 'ok']);
  });

  it('the local upstream applies a rule of a script only to the contract that it names', async () => {
    await using asked = await world();
    asked.server.misbehave([{ contract: STRANGER, behaviour: { kind: 'server_error' } }]);

    expect(await operations.price(asked.upstream)).toMatchObject({ kind: 'ok' });
    expect(await operations.price(asked.upstream, STRANGER)).toEqual(failed('server_error'));
  });

  it('the local upstream accepts a function as a script', async () => {
    await using asked = await world();
    asked.server.misbehave(({ operation, contract, count }) =>
      operation === 'price' && contract === PUNKS && count === 1 ? { kind: 'retired' } : undefined,
    );

    expect(await operations.price(asked.upstream)).toMatchObject({ kind: 'ok' });
    expect(await operations.price(asked.upstream)).toMatchObject({ kind: 'unsupported' });
    expect(await operations.price(asked.upstream)).toMatchObject({ kind: 'ok' });
  });

  it('an empty script ends the failures of the local upstream', async () => {
    await using asked = await world();
    asked.server.misbehave([{ behaviour: { kind: 'server_error' } }]);
    asked.server.misbehave([]);

    expect(await operations.price(asked.upstream)).toMatchObject({ kind: 'ok' });
  });
});
