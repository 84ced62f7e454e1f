import { describe, expect, it } from 'vitest';
import { createMemoryTable, type MemoryTable } from '#infra/local/memory-table.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createAnswerStore } from '#shared/stores/answer-store.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import type { Item, Table } from '#shared/stores/table.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { putKey } from '#test/support/api-keys.ts';
import {
  APES,
  aContractRecord,
  anAlert,
  aPostedAlert,
  aWatchlist,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';

const key = { hash: 'a', version: 0, tenant: 'acme', name: 'k', scopes: [], createdAt: 1 };
const request = {
  ...{ tenant: 'acme', hash: 'h', version: 0, fingerprint: 'f' },
  at: NOON,
  answer: { status: 201, headers: {}, body: '{}' },
};
const note = {
  list: { tenant: 'acme', id: 'punks' },
  target: { kind: 'topic' },
  ...{ revision: 1, createdAt: NOON, dueAt: NOON, version: 1 },
} as const;
const text = async (packed: string) => packed;
const answers = (table: Table) => createAnswerStore(table, { pack: text, unpack: text });

/** The first write and a later rewrite of an item of each kind. */
const THINGS: Readonly<Record<string, readonly [first: Write, again: Write]>> = {
  'API key': [
    (table) => putKey(createApiKeyStore(table), { ...key, scopes: [] }),
    async (table) => {
      const [known] = await createApiKeyStore(table).all();
      if (known) await putKey(createApiKeyStore(table), { ...known, revokedAt: NOON });
    },
  ],
  'keyed request': [
    (table) => createKeyedRequestStore(table).put(request),
    async (table) => {
      const known = await createKeyedRequestStore(table).get('acme', 'h');
      if (known) await createKeyedRequestStore(table).put({ ...known, at: NOON + 1 });
    },
  ],
  'used units': [
    (table) => createUsageStore(table, 'api').put('acme', { version: 0, usedUntil: NOON }),
    async (table) => {
      const known = await createUsageStore(table, 'api').get('acme');
      if (known) await createUsageStore(table, 'api').put('acme', { ...known, usedUntil: 1 });
    },
  ],
  'known answer': [
    (table) => answers(table).put('q', { version: 0, askedUntil: NOON }),
    async (table) => {
      const known = await answers(table).get('q');
      if (known) await answers(table).put('q', { ...known, askedUntil: 1 });
    },
  ],
  note: [
    (table) => createJobStore(table).make(note),
    async (table) => {
      const store = createJobStore(table);
      const known = await store.get(note.list, note.target);
      if (known) await store.replace(known, { ...known, version: 2 });
    },
  ],
};
type Write = (table: Table) => Promise<unknown>;

it.each(Object.entries(THINGS))(
  'a rewritten %s keeps an attribute that only another version uses',
  async (_name, [first, again]) => {
    const table = createMemoryTable();
    await first(table);
    for (const item of table.items()) await table.put({ ...item, later: ['kept'] });
    // The item with the list of a tenant's keys contains only a version.
    const isOfThing = ({ sk }: Item) => !sk.startsWith('tenant#');
    const before = table.items().find(isOfThing);

    await again(table);

    const after = table.items().find(isOfThing);
    expect(after).not.toEqual(before);
    expect(after).toMatchObject({ later: ['kept'] });
  },
);

describe('an item of a newer shape', () => {
  const list = { tenant: 'acme', id: 'punks' } as const;

  it('omits an alert of a newer shape from the page, and lists it as unreadable with the reason', async () => {
    const table = createMemoryTable();
    const alerts = createAlertStore(table);
    for (const id of ['a.1.1', 'a.1.2']) {
      await alerts.post(aPostedAlert(anAlert({ id })));
    }
    await becomesNewer(table, 'a.1.1');

    const page = await alerts.ofList(list, { limit: 10, after: undefined });

    expect(page.entries.map(({ alert }) => alert.id)).toEqual(['a.1.2']);
    expect(page.unreadable).toMatchObject([
      {
        kind: 'alert',
        reason: 'shape 2, which this version does not support (newest supported: 1)',
      },
    ]);
  });

  it('reads the other contracts if one has a newer shape, and lists it as unreadable', async () => {
    const table = createMemoryTable();
    const contracts = createContractStore(table, () => NOON);
    for (const contract of [PUNKS, APES]) {
      await contracts.put(aContractRecord({ contract, version: 0 }));
    }
    await becomesNewer(table, APES);

    const { records, unreadable } = await contracts.all();

    expect(records.map(({ contract }) => contract)).toEqual([PUNKS]);
    expect(unreadable).toEqual([APES]);
    await expect(contracts.get(APES)).rejects.toThrow(UnreadableError);
  });

  it('refuses to salvage a watchlist of a newer shape', async () => {
    const table = createMemoryTable();
    const lists = createWatchlistStore(table);
    await lists.put(aWatchlist());
    await becomesNewer(table, 'LIST#');

    await expect(lists.salvage(list)).rejects.toThrow(UnreadableError);
  });

  async function becomesNewer(table: MemoryTable, sk: string): Promise<void> {
    const item = table.items().find((one) => one.sk.includes(sk));
    if (item) await table.put({ ...item, v: 2 });
  }
});
