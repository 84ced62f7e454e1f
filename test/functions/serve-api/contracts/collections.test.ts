import { expect, it } from 'vitest';
import { composeServeApi } from '#functions/serve-api/compose.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { CollectionSearch } from '#shared/domain/market/collection-search.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { type CollectionPorts, searchCollection } from '#shared/http/find-collections.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { NOON, PUNKS, someLimits } from '#test/support/builders.ts';
import { anOutside, variablesOf } from '#test/support/outside.ts';
import { world } from './world.ts';

const CRYPTOPUNKS = { name: 'CryptoPunks', slug: 'cryptopunks' };

/** Searches with a provider that returns this result. */
async function search(found: CollectionSearch, given: Partial<CollectionPorts> = {}) {
  const asked: string[] = [];
  const learned: string[] = [];
  const { ask } = world({
    search: {
      ...world().ports,
      findCollection: async (text) => {
        asked.push(text);
        return found;
      },
      learnOfCall: async (call, outcome) => void learned.push(`${call} ${outcome.kind}`),
      reserveCalls: async () => ({
        granted: true,
        calls: [{ call: 'traits', callAt: NOON, probe: false }],
      }),
      ...given,
    },
  });
  return { ...(await ask('GET /v1/collections', { query: { query: 'azuki' } })), asked, learned };
}

it.each([
  {
    what: 'the matching collection',
    found: { kind: 'found', contract: PUNKS, collection: CRYPTOPUNKS },
    body: { collection: { contract: PUNKS, ...CRYPTOPUNKS, image: null }, candidates: [] },
  },
  {
    what: 'the candidates of an ambiguous query',
    found: { kind: 'unclear', candidates: [{ name: 'Azuki', slug: 'azuki' }] },
    body: { collection: null, candidates: [{ name: 'Azuki', slug: 'azuki' }] },
  },
  {
    what: 'no collection if the provider finds none',
    found: { kind: 'not_found' },
    body: { collection: null, candidates: [] },
  },
] as const)('a collection search returns $what', async ({ found, body }) => {
  const answered = await search(found);

  expect(answered).toMatchObject({ status: 200, body, asked: ['azuki'] });
});

it.each([
  { found: { kind: 'unsupported', reason: 'shared' }, status: 501, detail: 'several collections' },
  {
    found: { kind: 'denied', reason: 'key' },
    status: 503,
    detail: 'rejects the requests of this stack',
  },
  {
    found: { kind: 'throttled', retryAfterSeconds: 9 },
    status: 503,
    detail: 'throttles this stack',
  },
  { found: { kind: 'failed', reason: 'timeout' }, status: 504, detail: 'in time' },
  { found: { kind: 'failed', reason: 'garbage' }, status: 502, detail: 'no usable response' },
] as const)(
  'a collection search returns $status if the provider reports $found, and records the outcome',
  async ({ found, status, detail }) => {
    const answered = await search(found);

    expect(answered.status).toBe(status);
    expect(answered.body.detail).toContain(detail);
    expect(answered.learned).toEqual([`traits ${found.kind}`]);
  },
);

it('a collection search returns 429 without a call if the share of the tenant is used up', async () => {
  const found = { kind: 'not_found' } as const;

  const answered = await search(found, { takeCall: async () => 77 });

  expect(answered).toMatchObject({ status: 429, asked: [], headers: { 'Retry-After': '77' } });
});

it('a collection search returns 503 without a call if the rate limiter permits no call', async () => {
  const busy = { granted: false, reason: 'busy', until: NOON + MINUTE } as const;

  const answered = await search({ kind: 'not_found' }, { reserveCalls: async () => busy });

  expect(answered).toMatchObject({ status: 503, asked: [], headers: { 'Retry-After': '60' } });
});

it('a collection search returns 501 if the provider has no search', async () => {
  const { ask } = world();

  const answered = await ask('GET /v1/collections', { query: { query: 'azuki' } });

  expect(answered.status).toBe(501);
});

it('a preview accepts the name of a collection', async () => {
  const asked: string[] = [];
  const { ask } = world({
    search: {
      ...world().ports,
      findCollection: async (text) => {
        asked.push(text);
        return { kind: 'found', contract: PUNKS, collection: CRYPTOPUNKS };
      },
    },
    floorHistory: async () => ({ kind: 'empty' }),
  });
  const rule = { metric: 'floor_price', when: 'below', threshold: '60' };

  const answered = await ask('POST /v1/rules/preview', {
    body: { rule, contracts: ['cryptopunks'] },
  });

  expect(answered).toMatchObject({ status: 200, body: { contracts: [{ contract: PUNKS }] } });
  expect(asked).toEqual(['cryptopunks']);
});

it('a collection search is charged to the provider that is searched, even if that is not the first provider', async () => {
  const table = createMemoryTable();
  const variables = variablesOf({ others: [{ limits: someLimits({ provider: 'opensea' }) }] });
  const { search } = composeServeApi(anOutside({ variables, table: () => table })).contracts;

  await searchCollection(
    {
      ...search,
      findCollection: async () => ({ kind: 'not_found' }),
      takeCall: async () => undefined,
    },
    'acme' as never,
    'azuki',
    new AbortController().signal,
  );

  const isReserved = async (provider: Provider) =>
    (await createRateLimiterStore(table, provider).get()).version > 0;
  expect([await isReserved('opensea'), await isReserved('nft-data')]).toEqual([true, false]);
});
