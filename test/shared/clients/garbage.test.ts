import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import type { HttpRequest, HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import { SealError } from '#shared/clients/sealer.ts';
import { DEFAULT_CHAIN } from '#shared/domain/market/chains.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { createEthereumNode } from '#shared/providers/ethereum-node/ethereum-node.ts';
import {
  passLowestRecord,
  passLowestSale,
  passPage,
  readFloorPage,
  readLowestRecord,
  readPriceSummary,
} from '#shared/providers/nft-data/answers.ts';
import { messageOf } from '#shared/providers/nft-data/call-nft-data.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { APES, anAlert, NOON, PUNKS } from '#test/support/builders.ts';
import { CHAT_EXAMPLES } from '#test/support/channel-examples.ts';
import { chatsAt } from '#test/support/chats.ts';
import {
  BUYER,
  ether,
  orderFulfilled,
  SELLER,
  to,
  token,
  transfer,
} from '#test/support/ethereum-node/event-logs.ts';
import { runsOf } from '#test/support/extent.ts';
import { altered, anyFormOf, garbage, garbled, growthOf } from '#test/support/garbage.ts';
import { aSealer } from '#test/support/sealer.ts';

const punks = contractOf(PUNKS);
const { signal } = new AbortController();

const aFloorPage = {
  page: 1,
  page_size: 100,
  cursor: 'eyJhbGciOiJIUzI1NiJ9',
  result: [
    {
      floor_price: '9.5',
      floor_price_usd: '28500.12',
      currency: 'eth',
      marketplace: [{ name: 'opensea', logo: '' }],
      timestamp: '2026-11-21T11:00:00.000Z',
    },
    { floor_price: 9.25, currency: 'weth', marketplace: 'blur', timestamp: '2026-11-21T10:00:00' },
  ],
};
const HASH = `0xb28b${'0'.repeat(56)}c0de`;
const aSale = {
  transaction_hash: HASH,
  block_timestamp: '2026-11-20T10:00:00.000Z',
  price: '50000000000000007',
  price_formatted: '0.050000000000000007',
  usd_price_at_sale: '150.5',
  token_id: '544',
  payment_token: {
    token_symbol: 'ETH',
    token_decimals: '18',
    token_address: '0x0000000000000000000000000000000000000000',
  },
};
const aTrade = { ...aSale, token_ids: ['544', '545'], payment_token: undefined };
const aSummary = { last_sale: null, lowest_sale: aSale, total_trades: 3, message: '' };
const aProblem = { message: ['chain must be supported'], error: 'Bad Request', details: 'x' };

const Price = z
  .bigint()
  .positive()
  .lt(10n ** 38n);
const Time = z
  .int()
  .min(Date.UTC(2015, 0))
  .max(NOON + 5 * MINUTE);
const Floors = z.strictObject({
  points: z
    .array(
      z.strictObject({
        time: Time,
        price: Price,
        currency: z.string().min(1).max(20),
        usd: Price.optional(),
        marketplaces: z.array(z.string().min(1)),
      }),
    )
    .min(1),
  cursor: z.string().min(1).optional(),
});
const Trade = z.strictObject({
  time: Time,
  price: Price,
  usd: Price.optional(),
  transactionHash: z
    .string()
    .regex(/^(0x)?[\da-fA-F]{64}$/)
    .optional(),
  tokenIds: z.array(z.string()),
});
const Json = z.string().refine((text) => typeof JSON.parse(text) === 'object');

/**
 * All documented outcomes of a request to a provider; `value` is the schema of a returned value.
 */
const outcomeWith = (value: z.ZodType) =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ok'), value }),
    z.strictObject({ kind: z.enum(['empty', 'not_ready', 'not_found']) }),
    z.strictObject({
      kind: z.literal('unsupported'),
      reason: z.enum(['retired', 'chain', 'money', 'price']),
    }),
    z.strictObject({
      kind: z.literal('denied'),
      reason: z.enum(['key', 'quota', 'paused', 'blocked', 'plan']),
    }),
    z.strictObject({
      kind: z.literal('throttled'),
      retryAfterSeconds: z.int().min(0).max(86_400).optional(),
    }),
    z.strictObject({ kind: z.literal('failed'), reason: z.string() }),
  ]);

/** All documented outcomes of a post to a channel. */
const ChatAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['accepted', 'sent']) }),
  z.strictObject({ kind: z.enum(['refused', 'gone']), reason: z.string().min(1).max(100) }),
  z.strictObject({
    kind: z.literal('failed'),
    reason: z.string().min(1).max(100),
    retryAfterSeconds: z.int().min(0).max(86_400).optional(),
  }),
]);

const aWait = fc.oneof(
  garbage,
  garbled('Sat, 21 Nov 2026 12:00:00 GMT'),
  garbled('120'),
  fc.constantFrom('0', '-1', '1.5', '1e9', '999999999', '9999999999', 'Infinity', 'NaN', ''),
);

const RUNS = runsOf(400);

describe('fuzzed answers of the provider', () => {
  it.each([
    ['floors', aFloorPage, Floors, (body: string) => readFloorPage(body, DEFAULT_CHAIN, NOON)],
    ['a trade', aTrade, Trade, (body: string) => readLowestRecord(body, DEFAULT_CHAIN, NOON)],
    ['a summary', aSummary, Trade, (body: string) => readPriceSummary(body, DEFAULT_CHAIN, NOON)],
    ['a page passed on', aFloorPage, Json, passPage],
    ['a trade passed on', aTrade, Json, passLowestRecord],
    ['a sale passed on', aSummary, Json, (body: string) => passLowestSale(body, punks)],
  ] as const)(
    'reads %s as exact values or a documented outcome, for any input',
    (_, document, Value, read) => {
      const Outcome = outcomeWith(Value);

      fc.assert(
        fc.property(anyFormOf(document), (body) => {
          expect(Outcome.safeParse(read(body)).error).toBeUndefined();
        }),
        RUNS,
      );
      expect(Reflect.ownKeys(Object.prototype)).toHaveLength(12);
    },
  );

  it('returns only floors that are in the answer of the provider, for any input', () => {
    fc.assert(
      fc.property(altered(aFloorPage), (body) => {
        const outcome = readFloorPage(body, DEFAULT_CHAIN, NOON);
        if (outcome.kind !== 'ok') return;
        const reported = [JSON.parse(`${body}`).result].flat().map(priceIn);
        for (const { price } of outcome.value.points) {
          const isIt = (one: number) => Math.abs((one * 1e18) / Number(price) - 1) < 1e-9;
          expect(reported.some(isIt)).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('returns a documented outcome for any status and header of the provider', async () => {
    const response: fc.Arbitrary<HttpResponse> = fc.record({
      status: fc.oneof(
        fc.integer({ min: 100, max: 599 }),
        fc.constantFrom(200, 202, 401, 404, 429),
      ),
      headers: fc.record({ 'retry-after': aWait }, { requiredKeys: [] }),
      body: fc.oneof(anyFormOf(aFloorPage), anyFormOf(aProblem)),
    });

    await fc.assert(
      fc.asyncProperty(response, async (given) => {
        const upstream = createNftData({
          http: { request: async () => given },
          baseUrl: 'https://upstream.example.com',
          apiKey: async () => 'key',
          now: () => NOON,
        });

        const floors = await upstream.floorHistory(punks, { interval: '1d' }, signal);
        const trade = await upstream.lowestTrade(punks, 7, 'lowestprice', signal);

        expect(outcomeWith(Floors).safeParse(floors).error).toBeUndefined();
        expect(outcomeWith(Trade).safeParse(trade).error).toBeUndefined();
      }),
      RUNS,
    );
  });
});

describe('fuzzed answers of a node', () => {
  const apes = contractOf(APES);
  const place = { blockNumber: '0x16e3600', blockHash: HASH, transactionHash: HASH };
  const logs = [
    transfer(apes.address, SELLER, BUYER, 7n),
    orderFulfilled({
      offerer: SELLER,
      offer: [token(apes.address, 7n)],
      consideration: [to(SELLER, ether(9n))],
    }),
  ].map((log) => ({ ...log, ...place }));
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x1',
    eth_getBlockByNumber: { number: '0x16e3600', timestamp: `0x${(NOON / 1000).toString(16)}` },
    eth_getLogs: logs.slice(0, 1),
    eth_getTransactionReceipt: { logs },
  };
  const replyWith = (result: unknown) => ({ jsonrpc: '2.0', id: 0, result });
  const Sales = z.strictObject({
    sales: z.array(z.strictObject({ ...Trade.shape, record: z.looseObject({}), mark: z.string() })),
    since: z.number(),
  });
  const ask = async (broken: string, given: HttpResponse) => {
    const answer = async ({ body = '' }: Pick<HttpRequest, 'body'>) => {
      const { method } = JSON.parse(String(body));
      if (method === broken) return given;
      return { status: 200, headers: {}, body: JSON.stringify(replyWith(results[method])) };
    };
    const node = createEthereumNode({
      http: { request: answer },
      baseUrl: 'https://node.example.com',
      apiKey: async () => 'key',
      now: () => NOON,
    });
    return await node.salesBetween(apes, { from: NOON - MINUTE }, signal);
  };

  it.each(Object.keys(results))(
    'returns a documented outcome for any answer of a node to %s',
    async (method) => {
      const response: fc.Arbitrary<HttpResponse> = fc.record({
        status: fc.constantFrom(200, 200, 200, 400, 429),
        headers: fc.record({ 'retry-after': aWait }, { requiredKeys: [] }),
        body: anyFormOf(replyWith(results[method])),
      });
      expect(await ask('', { status: 200, headers: {}, body: '' })).toMatchObject({
        value: { sales: [{ price: 9n }] },
      });

      await fc.assert(
        fc.asyncProperty(response, async (given) => {
          expect(outcomeWith(Sales).safeParse(await ask(method, given)).error).toBeUndefined();
        }),
        runsOf(100),
      );
    },
  );
});

describe('fuzzed answers of chats and webhooks', () => {
  const notification = { kind: 'alert', alert: anAlert() } as const;
  const response: fc.Arbitrary<HttpResponse> = fc.record({
    status: fc.integer({ min: 100, max: 599 }),
    headers: fc.record({ 'retry-after': aWait }, { requiredKeys: [] }),
    body: anyFormOf({ code: 10_015, message: 'Unknown Webhook', retry_after: 1.5, global: false }),
  });

  it('returns a documented outcome, without text from the answer, for any answer of a chat or webhook', async () => {
    await fc.assert(
      fc.asyncProperty(response, async (given) => {
        const http = { request: async () => given };
        const now = () => NOON;
        const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`];
        const webhooks = createSignedWebhooks(
          { alerts: http, challenges: http },
          { now, wallClock: now, newChallenge: () => 'a-challenge' },
        );

        const answers = [
          ...(await Promise.all(
            CHAT_EXAMPLES.map(({ written }) =>
              chatsAt('https://chat.example.com', http)(
                written.kind,
                written,
                notification,
                signal,
              ),
            ),
          )),
          await webhooks.post('https://hook.example.com/', secrets, notification, signal),
          await webhooks.prove('https://hook.example.com/', secrets, signal),
        ];

        for (const answer of answers) {
          expect(ChatAnswer.safeParse(answer).error).toBeUndefined();
          expect(JSON.stringify(answer)).not.toMatch(/abcDEF|abc-DEF|Unknown/);
        }
      }),
      RUNS,
    );
  });
});

describe('fuzzed sealed secrets', () => {
  const place = { tenant: 'acme', list: 'punks', channel: 'chat' };

  it('opens only the exact sealed secret', async () => {
    const sealed = await aSealer().seal(place, 'secret');

    await fc.assert(
      fc.asyncProperty(fc.oneof(garbage, garbled(sealed)), async (text) => {
        const opened = await aSealer()
          .open(place, text)
          .catch((error: unknown) => error);

        if (text === sealed) expect(opened).toBe('secret');
        else expect(opened).toBeInstanceOf(SealError);
      }),
      RUNS,
    );
  });
});

describe('the time to read long answers', () => {
  it.each<[name: string, work: (text: string) => unknown, textOf: (size: number) => string]>([
    ['digits', readFloors, (size) => `{"result":[{"floor_price":${'0'.repeat(size)}}]}`],
    ['digits in a text', readFloors, (size) => floorOf({ floor_price: `1${'0'.repeat(size)}` })],
    ['a time', readFloors, (size) => floorOf({ timestamp: `${' '.repeat(size)}2026` })],
    ['a currency', readFloors, (size) => floorOf({ currency: `${' '.repeat(size)}e` })],
    ['marks', readFloors, (size) => floorOf({ marketplace: 'e\u0301\u202e'.repeat(size / 3) })],
    [
      'many records',
      readFloors,
      (size) => floorOf(...Array.from({ length: size / 100 }, () => ({}))),
    ],
    ['many equal members', passPage, (size) => `{${'"result":{},'.repeat(size / 12)}"result":{}}`],
    ['backslashes', passPage, (size) => `{"a":"${'\\\\'.repeat(size / 2)}","result":{}}`],
    ['nesting', passPage, (size) => `{"result":${'['.repeat(size)}`],
    ['a message', messageOf, (size) => `{"message":"${'chain '.repeat(size / 6)}"}`],
    ['a message that is not JSON', messageOf, (size) => 'chain supp'.repeat(size / 10)],
    [
      'a Retry-After date',
      (text) => secondsToWait({ 'retry-after': text }, NOON),
      (size) => `A${'a, '.repeat(size / 3)}`,
    ],
    [
      'a Retry-After in digits',
      (text) => secondsToWait({ 'retry-after': text }, NOON),
      '1'.repeat.bind('1'),
    ],
  ])('reads an answer with long %s in linear time', (_, work, textOf) => {
    expect(growthOf(work, textOf)).toBeLessThan(32);
  });
});

function readFloors(body: string) {
  return readFloorPage(body, DEFAULT_CHAIN, NOON);
}

function floorOf(...given: readonly object[]): string {
  const [floor] = aFloorPage.result;
  return JSON.stringify({ result: given.map((members) => ({ ...floor, ...members })) });
}

/** The price in a record, as any reader would read it; NaN without one. */
function priceIn(record: unknown): number {
  const { floor_price: price } = { floor_price: undefined, ...(record as object) } as {
    readonly floor_price: unknown;
  };
  const isReported =
    typeof price === 'number' || (typeof price === 'string' && price.trim() !== '');
  return isReported ? Number(price) : Number.NaN;
}
