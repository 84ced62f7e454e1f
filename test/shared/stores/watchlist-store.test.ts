import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { tombstoneOf } from '#shared/domain/watchlists/watchlist.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { APES, aRuleBody, aWatchlist, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const list = { tenant: 'acme', id: 'punks' };

describe.each(ENGINES)('watchlists in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['only a name', aWatchlist({ contracts: [], rules: [] })],
    ['every member', aFullWatchlist()],
  ])('reads back a watchlist with %s', async (_, watchlist) => {
    const watchlists = createWatchlistStore(await engine.createTable());

    await watchlists.put(watchlist);

    expect(await watchlists.get(list)).toEqual(watchlist);
  });

  it('stores holdings next to the members, where a version without holdings ignores them', async () => {
    const table = await engine.createTable();
    const watchlists = createWatchlistStore(table);
    const first = aWatchlist({ contracts: [{ contract: PUNKS, cost: { price: '12.5' } }, APES] });
    const second = aWatchlist({ contracts: [{ contract: PUNKS, amount: 2 }, APES] }, first);

    await watchlists.put(first);
    await watchlists.put(second);

    expect(await table.get({ pk: 'TENANT#acme', sk: 'LIST#punks' })).toMatchObject({
      members: [
        { contract: PUNKS, joined: 1 },
        { contract: APES, joined: 1 },
      ],
      holdings: [{ contract: PUNKS, amount: 2, since: 2 }],
    });
    expect(await watchlists.get(list)).toEqual(second);
  });

  it('reads back a deleted watchlist, and creates it again with the next revision', async () => {
    const watchlists = createWatchlistStore(await engine.createTable());
    const first = aFullWatchlist();
    const tombstone = tombstoneOf(first, 0);
    const again = aWatchlist({}, tombstone);

    await watchlists.put(first);
    await watchlists.put(tombstone);
    const dead = await watchlists.get(list);
    await watchlists.put(again);

    expect(dead).toEqual(tombstone);
    expect(await watchlists.get(list)).toEqual({ ...again, revision: 3 });
  });

  it('returns undefined for a watchlist that does not exist, or belongs to another tenant', async () => {
    const watchlists = createWatchlistStore(await engine.createTable());
    await watchlists.put(aWatchlist());

    expect(await watchlists.get({ tenant: 'acme', id: 'apes' })).toBeUndefined();
    expect(await watchlists.get({ tenant: 'beta', id: 'punks' })).toBeUndefined();
  });

  it('rejects the second of two writers that create the same watchlist', async () => {
    const watchlists = createWatchlistStore(await engine.createTable());
    await watchlists.put(aWatchlist({ name: 'First' }));

    await expect(watchlists.put(aWatchlist({ name: 'Second' }))).rejects.toThrow(
      VersionConflictError,
    );

    expect(await watchlists.get(list)).toMatchObject({ name: 'First' });
  });

  it('rejects the second of two writers that read the same revision of a watchlist', async () => {
    const watchlists = createWatchlistStore(await engine.createTable());
    const read = aWatchlist();
    await watchlists.put(read);
    await watchlists.put(aWatchlist({ name: 'First' }, read));

    await expect(watchlists.put(aWatchlist({ name: 'Second' }, read))).rejects.toThrow(
      VersionConflictError,
    );

    expect(await watchlists.get(list)).toMatchObject({ name: 'First', revision: 2 });
  });

  it('lists the watchlists of one tenant in pages', async () => {
    const watchlists = createWatchlistStore(await engine.createTable());
    for (const id of ['a', 'b', 'c']) await watchlists.put(aWatchlist({ id }));
    await watchlists.put(aWatchlist({ id: 'd' }, undefined, 'acme-2'));
    await watchlists.put(aWatchlist({ id: 'd' }, undefined, 'acm'));

    const first = await watchlists.ofTenant('acme', 2, undefined);
    const second = await watchlists.ofTenant('acme', 2, first.next);

    expect(first.entries.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(second.entries.map(({ id }) => id)).toEqual(['c']);
    expect(second.next).toBeUndefined();
  });

  it.each([
    ['no name', { name: undefined }],
    ['no member `deleted`', { deleted: undefined }],
    ['a member that is no contract', { members: [{ contract: 'eth:0x1', joined: 1 }] }],
    ['a member without the revision at which it joined', { members: [{ contract: PUNKS }] }],
    ['a rule without an id', { rules: [{ ...aStoredRule(), id: undefined }] }],
    ['a rule without a revision', { rules: [{ ...aStoredRule(), since: undefined }] }],
    ['a threshold that is no number', { rules: [{ ...aStoredRule(), threshold: 'cheap' }] }],
    ['an unknown option', { rules: [{ ...aStoredRule(), volume: 11 }] }],
    ['a channel of another kind', { channels: [{ id: 'desk', kind: 'fax', to: '1' }] }],
    [
      'a contract with an unknown member',
      { members: [{ contract: PUNKS, joined: 1, muted: true }] },
    ],
  ])('rejects a watchlist with %s, and names it as unreadable', async (_, corruption) => {
    const table = await engine.createTable();
    const watchlists = createWatchlistStore(table);
    await watchlists.put(aWatchlist());
    const item = await table.get({ pk: 'TENANT#acme', sk: 'LIST#punks' });
    await table.put({ pk: 'TENANT#acme', sk: 'LIST#punks', ...item, ...corruption });

    await expect(watchlists.get(list)).rejects.toThrow();
    expect(await watchlists.ofTenant('acme', 10, undefined)).toMatchObject({
      entries: [],
      unreadable: [{ kind: 'watchlist', id: 'punks' }],
    });
  });
});

function aFullWatchlist() {
  return aWatchlist({
    name: 'Punks & “Apes” Ξ',
    contracts: [
      { contract: PUNKS, name: 'CryptoPunks', amount: 3, cost: { price: '12.5' } },
      { contract: APES, amount: 2 },
    ],
    rules: [
      aRuleBody(),
      aRuleBody({
        id: 'full',
        label: 'Crash',
        on: PUNKS,
        metric: 'lowest_price.30d',
        when: 'above',
        threshold: '60.00000000000000001',
        recover: '55',
        arm: 'cross',
        severity: 'critical',
        notifyRecovery: false,
        enabled: false,
        expiresAt: '2026-12-31T00:00:00Z',
      }),
    ],
    channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
  });
}

function aStoredRule() {
  return { ...aRuleBody(), since: 1 };
}
