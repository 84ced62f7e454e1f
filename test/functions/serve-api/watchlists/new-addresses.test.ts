import { expect, it } from 'vitest';
import { asking } from '#shared/domain/channels/asked-address.ts';
import { aWatchlistBody, NOON } from '#test/support/builders.ts';
import { world } from './world.ts';

const emails = (...addresses: readonly string[]) =>
  addresses.map((to, index) => ({ id: `mail-${index}`, kind: 'email', to }));
const strangers = (many: number, name = 'x') =>
  emails(...Array.from({ length: many }, (_, index) => `${name}${index}@example.com`));

it('a tenant may add fifty new addresses a day, and a refusal contains the time of the next permitted address', async () => {
  const { ask, sent } = world();
  const put = (list: string, channels: object[]) =>
    ask(`PUT ${list}`, { body: aWatchlistBody({ id: list, channels }) });
  await put('one', strangers(20, 'a'));
  await put('two', strangers(20, 'b'));
  sent.length = 0;

  const refused = await put('three', strangers(11, 'c'));

  expect(refused).toMatchObject({
    status: 409,
    body: {
      type: 'urn:floorwatch:problem:quota_exceeded',
      // Fifty addresses a day are one every 28.8 minutes, counted from noon.
      detail:
        'expected at most 50 new email addresses a day; this change adds 11, more than are left now; repeat the change after 2026-11-21T12:28:48.000Z',
    },
  });
  expect([sent, (await ask('GET three')).status]).toEqual([[], 404]);
  expect((await put('three', strangers(10, 'c'))).status).toBe(201);
});

it('an address that was already asked to confirm, or is already on a list, does not count as new', async () => {
  const { ask, addresses } = world();
  const put = (list: string, channels: object[]) =>
    ask(`PUT ${list}`, { body: aWatchlistBody({ id: list, channels }) });
  const again = (list: string, channels: object[]) =>
    ask(`PUT ${list}`, {
      headers: { 'If-Match': '*' },
      body: aWatchlistBody({ id: list, channels }),
    });
  for (const list of ['one', 'two']) await put(list, strangers(20, list));
  await put('three', strangers(10, 'three'));
  const known = asking({ tenant: 'acme', address: 'desk@example.com' }, NOON);
  if (known) await addresses.put(known);

  expect((await put('four', emails('desk@example.com'))).status).toBe(201);
  expect((await again('one', strangers(20, 'one').slice(1))).status).toBe(200);
  expect((await again('four', emails('other@example.com'))).status).toBe(409);
});

it('PUT of a new list costs one unit per contract', async () => {
  const { ask, charged } = world();

  await ask('PUT one', { body: aWatchlistBody({ id: 'one' }) });

  expect(charged).toEqual([['acme', aWatchlistBody().contracts.length]]);
});
