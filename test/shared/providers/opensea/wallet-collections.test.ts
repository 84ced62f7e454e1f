import { expect, it } from 'vitest';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { walletCollections } from '#shared/providers/opensea/wallet-collections.ts';
import { NOON } from '#test/support/builders.ts';
import { INSTANT_KEY, startOpenSea } from '#test/support/opensea/opensea-double.ts';

const WALLET = `0x${'d8'.repeat(20)}` as const;
const source = createSimulatedMarket(1, NOON);
const all = source.contracts();
const [first = { contract: 'eth:0x0', name: '' } as const] = all;
const { address } = contractOf(first.contract);

/**
 * The outcome of reading a wallet with these contracts at OpenSea, and the violations of its
 * document.
 */
async function read(
  held: readonly string[],
  { cursor, instead }: { cursor?: string; instead?: object } = {},
) {
  await using double = await startOpenSea({
    ...{ source, now: () => NOON, holdings: () => held as never },
    ...(instead === undefined ? {} : { instead: () => instead as never }),
  });
  const settings = {
    http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 5_000_000, maxConnections: 5 }),
    baseUrl: double.url,
    apiKey: async () => INSTANT_KEY,
    now: () => NOON,
  };
  const { signal } = new AbortController();
  const outcome = await walletCollections(settings, WALLET, cursor, signal);
  return { outcome, issues: double.issues, requests: double.requests };
}

const record = (given: object = {}) => ({
  ...{ collection: 'apes', name: 'Apes', opensea_url: 'https://opensea.io/apes' },
  ...{ is_disabled: false, is_nsfw: false, safelist_status: 'verified' },
  ...{ collection_offers_enabled: true, trait_offers_enabled: true },
  ...{ item_count: 1, total_quantity: 1, contracts: [{ address, chain: 'ethereum' }] },
  ...given,
});
const answering = (body: object, status = 200) => read([], { instead: { status, body } });

it('returns the collections of a wallet from an answer in the form that OpenSea documents', async () => {
  expect(await read([first.contract])).toEqual({
    outcome: {
      kind: 'ok',
      value: {
        collections: [{ contract: first.contract, name: first.name, amount: 1 }],
        others: 0,
      },
    },
    issues: [],
    requests: [`GET /api/v2/account/${WALLET}/collections?limit=50`],
  });
});

it("continues a wallet's collections at the cursor of the previous page", async () => {
  const { outcome, requests } = await read([first.contract], { cursor: '0' });

  expect(outcome).toMatchObject({ kind: 'ok' });
  expect(requests).toEqual([`GET /api/v2/account/${WALLET}/collections?limit=50&after=0`]);
});

it("returns the cursor of the next page of a wallet's collections", async () => {
  const { outcome } = await answering({ collections: [record()], next: 'b' });

  expect(outcome).toMatchObject({ value: { cursor: 'b' } });
});

it('returns empty if the wallet holds nothing', async () => {
  expect((await read([])).outcome).toEqual({ kind: 'empty' });
});

it.each([
  ['of several contracts', { contracts: [1, 2].map(() => ({ address, chain: 'ethereum' })) }],
  ['without contracts', { contracts: [] }],
  ['on a chain that the interface lacks', { contracts: [{ address, chain: 'zora' }] }],
])('counts a collection %s without listing it', async (_what, given) => {
  const { outcome, issues } = await answering({ collections: [record(given), record()] });

  expect({ outcome, issues }).toEqual({
    outcome: {
      kind: 'ok',
      value: { collections: [{ contract: first.contract, name: 'Apes', amount: 1 }], others: 1 },
    },
    issues: [],
  });
});

it.each([
  [3, { amount: 3 }],
  [undefined, {}],
  [0, {}],
  [1.5, {}],
])('reads the total quantity %j as %j', async (total_quantity, amount) => {
  const { outcome } = await answering({ collections: [record({ total_quantity })] });

  expect(outcome).toEqual({
    kind: 'ok',
    value: { collections: [{ contract: first.contract, name: 'Apes', ...amount }], others: 0 },
  });
});

it('reads the name of a collection as one line', async () => {
  const { outcome } = await answering({ collections: [record({ name: 'A\u0000\u2028B' })] });

  expect(outcome).toMatchObject({ value: { collections: [{ name: 'A B' }] } });
});

it.each([
  [{ collections: [record(), { collection: 'b' }] }, 200, { kind: 'failed', reason: 'garbage' }],
  [{ errors: ['no'] }, 200, { kind: 'failed', reason: 'garbage' }],
  [{ errors: ['throttles this stack'] }, 429, { kind: 'throttled' }],
  [{ errors: ['down'] }, 500, { kind: 'failed', reason: 'server_error' }],
])('does not read an unusable answer as an empty wallet: %j, %d', async (body, status, outcome) => {
  expect((await answering(body, status)).outcome).toEqual(outcome);
});
