import { expect, it } from 'vitest';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { walletCollections } from '#shared/providers/nft-data/wallet-collections.ts';
import { APES, NOON } from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const WALLET = `0x${'d8'.repeat(20)}` as const;
const APE_ADDRESS = APES.slice('eth:'.length);

const read = (baseUrl: string, cursor?: string) => {
  const http = createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 100_000, maxConnections: 5 });
  const settings = { http, baseUrl, apiKey: async () => 'key', now: () => NOON };
  return walletCollections(settings, WALLET, cursor, new AbortController().signal);
};

/** The outcome of reading a wallet with this answer, and the requests. */
async function answering(body: unknown, status = 200, cursor?: string) {
  await using server = await startHttpServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const outcome = await read(server.url, cursor);
  return {
    outcome,
    asked: server.requests.map(({ path, query }) => `${path}?${query.toString()}`),
  };
}

const record = {
  token_address: APE_ADDRESS,
  contract_type: 'ERC721',
  name: 'Apes',
  symbol: 'A',
  count: 3,
};

it('returns the collections that a wallet holds on Ethereum, their numbers of tokens, and the cursor of the next page', async () => {
  expect(await answering({ result: [record], cursor: 'b', page: 1 }, 200, 'a')).toEqual({
    outcome: {
      kind: 'ok',
      value: { collections: [{ contract: APES, name: 'Apes', amount: 3 }], others: 0, cursor: 'b' },
    },
    asked: [
      `/api/v2.2/${WALLET}/nft/collections?chain=0x1&exclude_spam=true&token_counts=true&limit=100&cursor=a`,
    ],
  });
});

it.each(['', null, undefined])(
  "reads the cursor %j of a wallet's collections as the end",
  async (cursor) => {
    const { outcome } = await answering({ result: [record], cursor });

    expect(outcome).toMatchObject({ kind: 'ok', value: { cursor: undefined } });
  },
);

it.each([
  [{ result: [], cursor: null }, 200, { kind: 'empty' }],
  [{ result: [{ name: 'Apes' }] }, 200, { kind: 'failed', reason: 'garbage' }],
  [{}, 200, { kind: 'failed', reason: 'garbage' }],
  [{ message: 'Cannot GET /api/v2.2' }, 404, { kind: 'unsupported', reason: 'retired' }],
  [{ message: 'throttles this stack' }, 429, { kind: 'throttled' }],
  [{ message: 'down' }, 503, { kind: 'failed', reason: 'server_error' }],
])('reads the answer %j with status %d for a wallet', async (body, status, outcome) => {
  expect((await answering(body, status)).outcome).toEqual(outcome);
});

it('reads wallets of the simulated marketplace, in which some collections change each day', async () => {
  const source = createSimulatedMarket(1, NOON);
  let now = NOON;
  const market = await startMarketServer({ source, now: () => now, apiKey: 'key' });
  const held = async () => {
    const outcome = await read(market.url);
    return outcome.kind === 'ok' ? outcome.value.collections : [];
  };

  const today = await held();
  now += DAY;
  const tomorrow = await held();
  await market.close();

  const stay = today.filter(({ contract }) => tomorrow.some((one) => one.contract === contract));
  expect(today.length).toBeGreaterThan(1);
  expect(stay.length).toBeGreaterThanOrEqual(today.length / 2);
  expect(stay.length).toBeLessThan(today.length);
});
