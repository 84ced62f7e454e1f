import { expect, it } from 'vitest';
import type { ReadContractsPorts } from '#functions/serve-api/contracts/ports.ts';
import { withTraits } from '#shared/domain/market/contract.ts';
import { APES, aWatchlist, aWatchlistBody, PUNKS } from '#test/support/builders.ts';
import { world } from './world.ts';

const PICTURE = 'GET /v1/contracts/{contract}/picture';
const IMAGE = 'https://i2c.seadn.io/punks.png';
const BYTES = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const punks = { path: { contract: PUNKS } };

/**
 * A world with the Punks on a list and a picture of their collection. `read` lists fetched
 * addresses.
 */
async function charted(
  found: Awaited<ReturnType<ReadContractsPorts['readPicture']>> = {
    ...{ kind: 'ok', type: 'image/png', bytes: BYTES },
  },
) {
  const read: string[] = [];
  const fixture = world({
    readPicture: async (address) => {
      read.push(address);
      return found;
    },
  });
  await fixture.watchlists.put(aWatchlist());
  await fixture.collections.put(PUNKS, { name: 'CryptoPunks', slug: 'punks', image: IMAGE });
  return { ...fixture, read };
}

it('the picture of a contract is fetched from the reported address, and browsers cache it for a day', async () => {
  const { ask, read } = await charted();

  const { status, headers, body } = await ask(PICTURE, punks);

  expect(status).toBe(200);
  expect(headers).toMatchObject({
    ...{ 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=86400' },
    ...{ 'X-Content-Type-Options': 'nosniff' },
    'Content-Security-Policy': "default-src 'none'; sandbox",
  });
  expect(body).toEqual(BYTES);
  expect(read).toEqual([IMAGE]);
});

it('a request for a picture that the browser has cached returns 304', async () => {
  const { ask } = await charted();
  const { headers } = await ask(PICTURE, punks);

  const again = await ask(PICTURE, {
    ...punks,
    headers: { 'If-None-Match': String(headers.ETag) },
  });

  expect([again.status, again.body]).toEqual([304, undefined]);
  expect(again.headers['Cache-Control']).toBe('private, max-age=86400');
});

it('tokens with a trait have the picture of their collection', async () => {
  const { ask, watchlists } = await charted();
  const gold = withTraits(PUNKS, { Type: 'Alien' });
  await watchlists.put(aWatchlist(aWatchlistBody({ id: 'aliens', contracts: [gold] })));

  const { status } = await ask(PICTURE, { path: { contract: String(gold) } });

  expect(status).toBe(200);
});

it('a request for a picture returns 404 without a fetch if no list has the contract, or no address is known', async () => {
  const { ask, collections, watchlists, read } = await charted();
  await collections.put(APES, { name: 'Apes', slug: 'apes', image: IMAGE });

  const theirs = await ask(PICTURE, { path: { contract: APES } });
  await watchlists.put(aWatchlist(aWatchlistBody({ id: 'apes', contracts: [APES] })));
  await collections.put(APES, { name: 'Apes', slug: 'apes' });
  const bare = await ask(PICTURE, { path: { contract: APES } });

  expect([theirs.status, bare.status]).toEqual([404, 404]);
  expect(read).toEqual([]);
});

it('a request for a picture that cannot be fetched returns a problem with the reason, which is not cached', async () => {
  const { ask } = await charted({ kind: 'failed', reason: 'it is larger than a megabyte' });

  const { status, headers, body } = await ask(PICTURE, punks);

  expect(status).toBe(404);
  expect(body).toMatchObject({
    type: 'urn:floorwatch:problem:not_found',
    detail: 'the picture cannot be shown: it is larger than a megabyte',
  });
  expect(headers['Cache-Control']).toBe('no-store');
});
