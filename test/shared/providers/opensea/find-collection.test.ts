import { expect, it } from 'vitest';
import { slugFor } from '#infra/local/upstream/opensea-answers.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { findCollection } from '#shared/providers/opensea/find-collection.ts';
import { NOON } from '#test/support/builders.ts';
import { INSTANT_KEY, startOpenSea } from '#test/support/opensea/opensea-double.ts';

const source = createSimulatedMarket(1, NOON);
const [{ contract, name } = { contract: '' as never, name: '' }] = source.contracts();
const slug = slugFor(name);
const { address } = contractOf(contract);
const COLLECTION = `/api/v2/collections/${slug}`;
const NOT_FOUND = { status: 404, body: { errors: ['not found'] } };

/** The collection that OpenSea finds, and the violations of its document. */
async function find(asked: string, instead: Readonly<Record<string, object>> = {}) {
  await using double = await startOpenSea({
    source,
    now: () => NOON,
    instead: (path) => instead[path] as never,
  });
  const settings = {
    http: createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 5_000_000, maxConnections: 5 }),
    baseUrl: double.url,
    apiKey: async () => INSTANT_KEY,
    now: () => NOON,
  };
  const found = await findCollection(settings, asked, new AbortController().signal);
  return { found, issues: double.issues, requests: double.requests.length };
}

const FOUND = {
  kind: 'found',
  contract,
  collection: { name, slug, image: `https://pictures.example/${slug}.png` },
};

it.each([
  ['a slug', slug, 1],
  ['a contract', contract, 2],
  ['a name', name, 2],
])('finds a collection by %s, with its name, slug and picture', async (_what, asked, requests) => {
  expect(await find(asked)).toEqual({ found: FOUND, issues: [], requests });
});

it('finds no collection for a contract that OpenSea does not have', async () => {
  const { found, issues } = await find('eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbc');

  expect({ found, issues }).toEqual({ found: { kind: 'not_found' }, issues: [] });
});

it('searches by name if the collection with this slug has no contract', async () => {
  const body = { collection: slug, name, contracts: [] };

  const { found } = await find(slug, { [COLLECTION]: { status: 200, body } });

  expect(found).toEqual({ kind: 'unclear', candidates: [] });
});

it('does not report a contract as not found if only its collection is missing', async () => {
  const { found } = await find(contract, { [COLLECTION]: NOT_FOUND });

  expect(found).toEqual({ kind: 'failed', reason: 'garbage' });
});

it.each([
  { given: { name: 'A\u0000\u2028B' }, read: { name: 'A B' } },
  { given: { name: '\u200b' }, read: { name: slug } },
  { given: { name: 'x'.repeat(200) }, read: { name: `${'x'.repeat(49)}…` } },
  { given: { name: '🐵'.repeat(100) }, read: { name: `${'🐵'.repeat(49)}…` } },
  {
    given: { image_url: 'https://i2c.seadn.io/apes.png' },
    read: { image: 'https://i2c.seadn.io/apes.png' },
  },
  { given: { image_url: 'http://i2c.seadn.io/apes.png' }, read: {} },
  { given: { image_url: 'javascript:alert(1)' }, read: {} },
  { given: { image_url: 'https://i2c.seadn.io/"><script>' }, read: {} },
  { given: { image_url: `https://i2c.seadn.io/${'a'.repeat(300)}` }, read: {} },
  { given: { image_url: '' }, read: {} },
])('reads a name as one short line, and rejects unsafe images: $given', async (one) => {
  const contracts = [{ address, chain: 'ethereum' }];
  const body = { collection: slug, name, contracts, ...one.given };

  const { found } = await find(slug, { [COLLECTION]: { status: 200, body } });

  expect(found).toEqual({ ...FOUND, collection: { slug, name, ...one.read } });
});
