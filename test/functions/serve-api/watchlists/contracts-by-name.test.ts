import { describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Searched } from '#shared/domain/market/collection-search.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { APES, aWatchlistBody, NOON, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const BORED_APES = {
  name: 'Bored Ape Yacht Club',
  slug: 'boredapeyachtclub',
  image: 'https://i2c.seadn.io/apes.png',
};

const KNOWN: Readonly<Record<string, Searched>> = {
  boredapeyachtclub: { kind: 'found', contract: APES, collection: BORED_APES },
  cryptopunks: {
    kind: 'found',
    contract: PUNKS,
    collection: { name: 'CryptoPunks', slug: 'cryptopunks' },
  },
  apes: {
    kind: 'unclear',
    candidates: [
      { name: 'Bored Ape Yacht Club', slug: 'boredapeyachtclub' },
      { name: 'Mutant Apes', slug: 'mutant-ape-yacht-club' },
    ],
  },
};

/** A stack whose provider has some collections. `asked` lists the searches. */
function stack(
  found: (asked: string) => Searched = (asked) => KNOWN[asked] ?? { kind: 'not_found' },
) {
  const asked: string[] = [];
  const made = world({
    searchCollection: async (_tenant, text) => {
      asked.push(text);
      return found(text);
    },
  });
  /** Whether the table contains nothing except names of collections. */
  const isEmpty = () => made.table.items().every(({ sk }) => sk === 'COLLECTION');
  return { ...made, asked, isEmpty };
}

const list = (contracts: readonly unknown[], rest: object = {}) => ({
  body: { ...aWatchlistBody(), contracts, ...rest },
});

describe('a contract given by the name of its collection', () => {
  it('a contract given by collection name is stored and returned as an address with a name', async () => {
    const { ask, asked, ports } = stack();

    const made = await ask('POST', list(['boredapeyachtclub', PUNKS], { id: 'apes' }));
    const read = await ask('GET apes');

    const contracts = [{ contract: APES, name: 'Bored Ape Yacht Club' }, { contract: PUNKS }];
    expect(made).toMatchObject({ status: 201, body: { contracts } });
    expect(read.body.contracts).toEqual(contracts);
    expect(asked).toEqual(['boredapeyachtclub', PUNKS]);
    expect(await ports.getCollection(APES)).toEqual(BORED_APES);
  });

  it('a contract given by collection name keeps the name that its owner chose', async () => {
    const { ask } = stack();
    const link = 'https://opensea.io/collection/cryptopunks';

    const made = await ask('POST', list([{ contract: 'boredapeyachtclub', name: 'Apes' }, link]));

    expect(made.body.contracts).toEqual([
      { contract: APES, name: 'Apes' },
      { contract: PUNKS, name: 'CryptoPunks' },
    ]);
  });

  it('a collection name is accepted by PUT, by a dry run, and for a single contract', async () => {
    const { ask } = stack();

    const tried = await ask('PUT apes', {
      ...list(['boredapeyachtclub'], { id: 'apes' }),
      query: { dryRun: 'true' },
    });
    const put = await ask('PUT apes', {
      ...list(['boredapeyachtclub'], { id: 'apes' }),
      headers: { 'If-None-Match': '*' },
    });
    const link = 'https://opensea.io/collection/cryptopunks';
    const added = await ask('POST apes/contracts', { ...ANY, body: { contract: link } });

    const apes = { contract: APES, name: 'Bored Ape Yacht Club' };
    expect(tried).toMatchObject({ status: 200, body: { revision: null } });
    expect(put).toMatchObject({ status: 201, body: { contracts: [apes] } });
    expect(added).toMatchObject({ status: 201, body: { contract: { contract: PUNKS } } });
  });

  it('an ambiguous collection name is refused with the matching slugs, and nothing is written', async () => {
    const { ask, isEmpty } = stack();

    const refused = await ask('POST', list(['apes', PUNKS, { contract: 'no such thing' }]));

    expect(refused).toMatchObject({ status: 400, body: { type: /invalid_request$/ } });
    expect(refused.body.errors).toEqual([
      {
        pointer: '/contracts/0',
        detail:
          '"apes" matches several collections; did you mean "boredapeyachtclub" (Bored Ape Yacht Club), "mutant-ape-yacht-club" (Mutant Apes)?',
      },
      {
        pointer: '/contracts/2',
        detail: expect.stringMatching(/^no collection "no such thing" was found; .*eth:0xb47e/),
      },
    ]);
    expect(isEmpty()).toBe(true);
  });

  it('a collection name is refused if its contract is already on the list, or if a rule does not fit the contract', async () => {
    const { ask, isEmpty } = stack();
    const on = { rules: [{ metric: 'floor_price', when: 'below', threshold: '1', on: PUNKS }] };

    const twice = await ask('POST', list(['boredapeyachtclub', APES]));
    const elsewhere = await ask('POST', list(['boredapeyachtclub'], on));

    expect(twice.body.errors).toEqual([
      { pointer: '/contracts/1', detail: 'expected each contract at most once' },
    ]);
    expect(elsewhere.body.errors).toEqual([
      { pointer: '/rules/0/on', detail: 'expected "*" or a contract of this list' },
    ]);
    expect(isEmpty()).toBe(true);
  });

  it.each([
    ['0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', /did you mean "eth:0xb47e/],
    ['ethereum:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', /did you mean "eth:0xb47e/],
    ['eth:0xb47e', /with an address of 0x and 40 hex digits/],
    ['x'.repeat(101), /at most 100 characters/],
  ])(
    'a malformed contract address is not searched as a collection name: %s',
    async (text, detail) => {
      const { ask, asked } = stack();

      const refused = await ask('POST', list([text]));

      expect(refused.status).toBe(400);
      expect(refused.body.errors[0].detail).toMatch(detail);
      expect(asked).toEqual([]);
    },
  );

  it('a request with more than ten collection names is refused', async () => {
    const { ask, asked } = stack();
    const names = Array.from({ length: LIMITS.request.names + 1 }, (_, index) => `slug-${index}`);

    const refused = await ask('POST', list(names));

    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/contracts' });
    expect(asked).toEqual([]);
  });
});

describe('a failed search for a collection name', () => {
  it.each<{ searched: Searched; status: number; wait?: string }>([
    { searched: { kind: 'denied', reason: 'key' }, status: 503, wait: '60' },
    { searched: { kind: 'no_capacity', until: NOON + 9 * SECOND }, status: 503, wait: '9' },
    { searched: { kind: 'failed', reason: 'timeout' }, status: 504 },
    { searched: { kind: 'failed', reason: 'garbage' }, status: 502 },
    { searched: { kind: 'share_used_up', retryAfterSeconds: 77 }, status: 429, wait: '77' },
  ])(
    'a failed search reports the reason and an alternative: $searched',
    async ({ searched, status, wait }) => {
      const { ask, isEmpty } = stack(() => searched);

      const answered = await ask('POST', list(['azuki']));

      expect(answered.status).toBe(status);
      expect(answered.body.detail).toContain(
        '; nothing was saved. If trying again does not help, use a contract as <chain>:<address>, for example eth:0xb47e…, instead of "azuki"',
      );
      expect(answered.body.errors[0].pointer).toBe('/contracts/0');
      expect(answered.headers['Retry-After']).toBe(wait);
      expect(isEmpty()).toBe(true);
    },
  );

  it('a collection name is refused if the provider has no search', async () => {
    const { ask } = stack(() => ({ kind: 'unsupported', reason: 'retired' }));

    const answered = await ask('POST', list(['azuki']));

    expect(answered.status).toBe(400);
    expect(answered.body.errors[0].detail).toMatch(/does not offer .* instead of "azuki"/);
  });
});
