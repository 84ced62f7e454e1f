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

/** A stack whose provider knows some collections; `asked` is what it was asked for. */
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
  /** But for what a collection is called. */
  const isEmpty = () => made.table.items().every(({ sk }) => sk === 'COLLECTION');
  return { ...made, asked, isEmpty };
}

const list = (contracts: readonly unknown[], rest: object = {}) => ({
  body: { ...aWatchlistBody(), contracts, ...rest },
});

describe('a contract by the name of its collection', () => {
  it('is kept and answered by its address, with the name for messages', async () => {
    const { ask, asked, ports } = stack();

    const made = await ask('POST', list(['boredapeyachtclub', PUNKS], { id: 'apes' }));
    const read = await ask('GET apes');

    const contracts = [{ contract: APES, name: 'Bored Ape Yacht Club' }, { contract: PUNKS }];
    expect(made).toMatchObject({ status: 201, body: { contracts } });
    expect(read.body.contracts).toEqual(contracts);
    expect(asked).toEqual(['boredapeyachtclub', PUNKS]);
    expect(await ports.getCollection(APES)).toEqual(BORED_APES);
  });

  it('keeps the name that its owner gives it', async () => {
    const { ask } = stack();
    const link = 'https://opensea.io/collection/cryptopunks';

    const made = await ask('POST', list([{ contract: 'boredapeyachtclub', name: 'Apes' }, link]));

    expect(made.body.contracts).toEqual([
      { contract: APES, name: 'Apes' },
      { contract: PUNKS, name: 'CryptoPunks' },
    ]);
  });

  it('is taken by a PUT, by a dry run, and one by one', async () => {
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

  it('is refused with the slugs that may be meant, each with its place, and nothing is written', async () => {
    const { ask, isEmpty } = stack();

    const refused = await ask('POST', list(['apes', PUNKS, { contract: 'no such thing' }]));

    expect(refused).toMatchObject({ status: 400, body: { type: /invalid_request$/ } });
    expect(refused.body.errors).toEqual([
      {
        pointer: '/contracts/0',
        detail:
          '"apes" may be several collections: did you mean "boredapeyachtclub" (Bored Ape Yacht Club), "mutant-ape-yacht-club" (Mutant Apes)?',
      },
      {
        pointer: '/contracts/2',
        detail: expect.stringMatching(/^found no collection "no such thing": .*eth:0xb47e/),
      },
    ]);
    expect(isEmpty()).toBe(true);
  });

  it('is refused where two are one, or a rule does not go with what was found', async () => {
    const { ask, isEmpty } = stack();
    const on = { rules: [{ metric: 'floor_price', when: 'below', threshold: '1', on: PUNKS }] };

    const twice = await ask('POST', list(['boredapeyachtclub', APES]));
    const elsewhere = await ask('POST', list(['boredapeyachtclub'], on));

    expect(twice.body.errors).toEqual([
      { pointer: '/contracts/1', detail: 'expected each contract once' },
    ]);
    expect(elsewhere.body.errors).toEqual([
      { pointer: '/rules/0/on', detail: 'expected "*" or a contract of this list' },
    ]);
    expect(isEmpty()).toBe(true);
  });

  it.each([
    ['0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', /did you mean "eth:0xb47e/],
    ['ethereum:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', /did you mean "eth:0xb47e/],
    ['eth:0xb47e', /the address as 0x and 40 hex digits/],
    ['x'.repeat(101), /at most 100 characters/],
  ])('is not looked for where an address is meant, or nothing: %s', async (text, detail) => {
    const { ask, asked } = stack();

    const refused = await ask('POST', list([text]));

    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].detail).toMatch(detail);
    expect(asked).toEqual([]);
  });

  it('is one of ten in a request at most', async () => {
    const { ask, asked } = stack();
    const names = Array.from({ length: LIMITS.request.names + 1 }, (_, index) => `slug-${index}`);

    const refused = await ask('POST', list(names));

    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/contracts' });
    expect(asked).toEqual([]);
  });
});

describe('where the provider cannot be asked', () => {
  it.each<{ searched: Searched; status: number; wait?: string }>([
    { searched: { kind: 'denied', reason: 'key' }, status: 503, wait: '60' },
    { searched: { kind: 'no_slot', until: NOON + 9 * SECOND }, status: 503, wait: '9' },
    { searched: { kind: 'failed', reason: 'timeout' }, status: 504 },
    { searched: { kind: 'failed', reason: 'garbage' }, status: 502 },
    { searched: { kind: 'share_used_up', retryAfterSeconds: 77 }, status: 429, wait: '77' },
  ])('says so, and what to write instead: $searched', async ({ searched, status, wait }) => {
    const { ask, isEmpty } = stack(() => searched);

    const answered = await ask('POST', list(['azuki']));

    expect(answered.status).toBe(status);
    expect(answered.body.detail).toContain(
      '; nothing was written. Ask again, or write a contract as <chain>:<address>, for example eth:0xb47e…, in place of "azuki"',
    );
    expect(answered.body.errors[0].pointer).toBe('/contracts/0');
    expect(answered.headers['Retry-After']).toBe(wait);
    expect(isEmpty()).toBe(true);
  });

  it('refuses the name where the provider has no search', async () => {
    const { ask } = stack(() => ({ kind: 'unsupported', reason: 'retired' }));

    const answered = await ask('POST', list(['azuki']));

    expect(answered.status).toBe(400);
    expect(answered.body.errors[0].detail).toMatch(/does not offer .* in place of "azuki"/);
  });
});
