import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '#shared/domain/market/instant.ts';
import { type Change, changeId } from '#shared/domain/watchlists/change.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';
import { puttingInto } from '#test/support/putting.ts';

const nothing = { added: [], changed: [], removed: [] };
const aChange = (number: number, given: Partial<Change> = {}): Change => ({
  ...{ tenant: 'acme', watchlist: 'punks', id: changeId(NOON + number, number) },
  ...{ at: NOON + number, by: { id: '0123456789', name: 'Ängström' }, kind: 'mute_made' },
  ...given,
});

describe.each(ENGINES)('the audit log in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each<Partial<Change>>([
    {},
    { subject: 'mute-1' },
    {
      kind: 'watchlist_changed',
      revision: 2,
      edit: { name: 'More', contracts: nothing, rules: nothing, channels: nothing },
    },
    { edit: { contracts: nothing, rules: { ...nothing, added: ['low'] }, channels: nothing } },
  ])('reads back an audit entry with %j', async (given) => {
    const table = await engine.createTable();
    const changes = createChangeStore(table);
    const change = aChange(1, given);

    await changes.put(change);

    expect(await changes.get(change)).toStrictEqual(change);
    const item = await table.get({ pk: 'CHANGES#acme#2026-11', sk: `CHANGE#${change.id}` });
    expect(item?.ttl).toBe(Math.floor((NOON + 1) / 1000) + 400 * 86_400);
  });

  it.each([
    { document: { name: 'Punks', rules: [{ id: 'low', threshold: '9.50', from: 1e21 }] } },
    { previous: changeId(NOON, 1) },
    {},
  ])(
    'stores the document of a change, %j, next to its entry but outside the listed entries',
    async (given) => {
      const table = await engine.createTable();
      const changes = createChangeStore(table);
      const name = { tenant: 'acme', id: changeId(NOON, 2) };

      await puttingInto(table).document({ ...name, at: NOON, ...given });

      expect(await changes.getDocument(name)).toStrictEqual({ ...name, at: NOON, ...given });
      expect((await changes.ofTenant('acme', NOON, 9, undefined)).entries).toEqual([]);
      const item = await table.get({ pk: 'CHANGES#acme#2026-11', sk: `DOCUMENT#${name.id}` });
      expect(item?.ttl).toBe(Math.floor(NOON / 1000) + 400 * 86_400);
    },
  );

  it('lists the audit entries of one tenant newest first, in pages', async () => {
    const changes = createChangeStore(await engine.createTable());
    for (const number of [2, 1, 3]) await changes.put(aChange(number));
    await changes.put(aChange(4, { tenant: 'other' }));

    const first = await changes.ofTenant('acme', NOON, 2, undefined);
    const second = await changes.ofTenant('acme', NOON, 2, first.next);

    expect(first.entries).toEqual([aChange(3), aChange(2)]);
    expect(second).toEqual({ entries: [aChange(1)], unreadable: [] });
    expect(await changes.get({ tenant: 'other', id: aChange(1).id })).toBeUndefined();
  });

  it('reads a page of audit entries newest first across monthly partitions, but only the needed partitions', async () => {
    const table = await engine.createTable();
    const asked: string[] = [];
    const query: typeof table.query = async (question) => {
      asked.push(question.pk);
      return await table.query(question);
    };
    const changes = createChangeStore({ ...table, query });
    const [newest, older, oldest, expired] = [0, 40, 400, 432].map((days, number) =>
      aChange(number, { at: NOON - days * DAY, id: changeId(NOON - days * DAY, number) }),
    );
    for (const change of [oldest, expired, newest, older]) if (change) await changes.put(change);

    const first = await changes.ofTenant('acme', NOON, 2, undefined);
    const months = asked.splice(0);
    const second = await changes.ofTenant('acme', NOON, 2, first.next);

    expect(first.entries).toEqual([newest, older]);
    expect(months).toEqual(['CHANGES#acme#2026-11', 'CHANGES#acme#2026-10']);
    expect(second).toEqual({ entries: [oldest], unreadable: [] });
    expect([asked[0], asked.at(-1)]).toEqual(['CHANGES#acme#2026-10', 'CHANGES#acme#2025-10']);
    expect((await changes.ofTenant('acme', NOON, 9, undefined)).entries).toHaveLength(3);
  });

  it('packs the document of a large list to a tenth of its size', async () => {
    const table = await engine.createTable();
    const changes = createChangeStore(table);
    const rules = Array.from({ length: 400 }, (_, number) => ({
      ...{ id: `rule-${number}`, metric: 'floor_price', when: 'below', threshold: `${number}.5` },
      ...{ severity: 'warning', channels: ['desk', 'phone'], reminder: '4h' },
    }));
    const name = { tenant: 'acme', id: changeId(NOON, 2) };

    await puttingInto(table).document({ ...name, at: NOON, document: { name: 'Many', rules } });

    const item = await table.get({ pk: 'CHANGES#acme#2026-11', sk: `DOCUMENT#${name.id}` });
    expect(JSON.stringify(item).length).toBeLessThan(JSON.stringify(rules).length / 10);
    expect((await changes.getDocument(name))?.document).toEqual({ name: 'Many', rules });
  });

  it('rejects a stored document that is not packed, naming its item', async () => {
    const table = await engine.createTable();
    const name = { tenant: 'acme', id: changeId(NOON, 2) };
    const key = { pk: 'CHANGES#acme#2026-11', sk: `DOCUMENT#${name.id}` };
    await table.put({ ...key, at: NOON, document: '{"name":"Punks"}' });

    await expect(createChangeStore(table).getDocument(name)).rejects.toThrow(
      `${key.pk} ${key.sk} cannot be read: unexpected value of "document"`,
    );
  });

  it('names an unreadable audit entry instead of returning it', async () => {
    const table = await engine.createTable();
    await table.put({ pk: 'CHANGES#acme#2026-11', sk: 'CHANGE#x', at: 'noon' });

    expect(await createChangeStore(table).ofTenant('acme', NOON, 1, undefined)).toMatchObject({
      entries: [],
      unreadable: [{ kind: 'change', id: 'x' }],
    });
  });
});
