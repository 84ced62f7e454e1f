import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import {
  beginningWith,
  type Item,
  type Key,
  type Query,
  type Table,
  type ThresholdIndexQuery,
} from '#shared/stores/table.ts';
import { ENGINES } from '#test/support/engines.ts';
import { outcomesOf, tableCommands, within } from '#test/support/table-commands.ts';
import { DYNAMODB_SERVER, dynamoDbLocal, IN_MEMORY } from '#test/support/tables.ts';

const engines = [...ENGINES, DYNAMODB_SERVER, ...(await dynamoDbLocal())];

describe.each(engines)('a table in $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  describe('get', () => {
    it('get returns a stored item unchanged', async () => {
      const table = await engine.createTable();
      const item = {
        ...key('a'),
        text: 'Ξ “quoted” \n 𝔫ice',
        empty: '',
        count: -12.5,
        nothing: null,
        yes: true,
        list: [1, 'two', { three: [] }],
        map: { inner: { deep: 'value' } },
      };

      await table.put(item);

      expect(await table.get(key('a'))).toEqual(item);
    });

    it('get returns nothing for a missing item', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a'));

      expect(await table.get(key('b'))).toBeUndefined();
      expect(await table.get({ pk: 'OTHER', sk: 'a' })).toBeUndefined();
    });

    it('get returns the last write immediately', async () => {
      const table = await engine.createTable();

      for (let number = 1; number <= 20; number += 1) {
        await table.put({ ...key('a'), number });

        expect(await table.get(key('a'))).toEqual({ ...key('a'), number });
      }
    });

    it('get returns numeric strings with every digit', async () => {
      const table = await engine.createTable();
      const item = {
        ...key('a'),
        wei: '9'.repeat(38),
        nested: [{ wei: `-${'1234567890'.repeat(8)}` }],
      };

      await table.put(item);

      expect(await table.get(key('a'))).toEqual(item);
    });

    it('get returns instants and fractions unchanged', async () => {
      const table = await engine.createTable();
      const item = { ...key('a'), at: 1_795_262_400_123, tenth: 0.1, small: 1.5e-7, third: 1 / 3 };

      await table.put(item);

      expect(await table.get(key('a'))).toEqual(item);
    });

    it('put omits members that are undefined, also in nested objects', async () => {
      const table = await engine.createTable();

      await table.put({
        ...key('a'),
        gone: undefined,
        map: { gone: undefined, kept: 1 },
        list: [1, undefined, { gone: undefined }],
      });
      const found = await table.get(key('a'));

      expect(found).toStrictEqual({ ...key('a'), map: { kept: 1 }, list: [1, {}] });
    });

    it('get returns the stored item, even if the writer changes its object afterwards', async () => {
      const table = await engine.createTable();
      const item = { ...key('a'), list: [1] };

      await table.put(item);
      item.list.push(2);

      expect(await table.get(key('a'))).toEqual({ ...key('a'), list: [1] });
    });

    it('get returns the stored item, even if an earlier reader changed its result', async () => {
      const table = await engine.createTable();
      const item = { ...key('a'), list: [1] };
      await table.put(item);

      const { list } = (await table.get(key('a'))) as typeof item;
      Reflect.set(list, 0, 2);

      expect(await table.get(key('a'))).toEqual(item);
    });
  });

  describe('put', () => {
    it('put replaces the whole item', async () => {
      const table = await engine.createTable();
      await table.put({ ...key('a'), old: 1, both: 1 });

      await table.put({ ...key('a'), both: 2, young: 2 });

      expect(await table.get(key('a'))).toStrictEqual({ ...key('a'), both: 2, young: 2 });
    });

    it('put at version 0 creates an item, and a second put at version 0 is a conflict', async () => {
      const table = await engine.createTable();
      const first = anItem('a', { version: 1, by: 'first' });
      await table.put(first, 0);

      const second = table.put(anItem('a', { version: 1, by: 'second' }), 0);

      await expect(second).rejects.toThrow(VersionConflictError);
      expect(await table.get(key('a'))).toEqual(first);
    });

    it('put at the current version replaces the item', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { version: 7 }));

      await table.put(anItem('a', { version: 8 }), 7);

      expect(await table.get(key('a'))).toEqual(anItem('a', { version: 8 }));
    });

    it.each([
      ['an older version', anItem('a', { version: 7 }), 6],
      ['a newer version', anItem('a', { version: 7 }), 8],
      ['a version of an item without one', anItem('a'), 1],
      ['a version of another type', anItem('a', { version: '7' }), 7],
    ])('put at %s is a conflict, and nothing is written', async (_, there, version) => {
      const table = await engine.createTable();
      await table.put(there);

      const refused = table.put(anItem('a', { version: 9, falling: '1' }), version);

      await expect(refused).rejects.toThrow(VersionConflictError);
      expect(await table.get(key('a'))).toEqual(there);
      expect(await thresholdIndexOf(table, 'falling')).toEqual([]);
    });

    it('put at a version of a missing item is a conflict, and nothing is written', async () => {
      const table = await engine.createTable();

      const refused = table.put(anItem('a', { version: 2 }), 1);

      await expect(refused).rejects.toThrow(VersionConflictError);
      expect(await table.get(key('a'))).toBeUndefined();
    });

    it('many concurrent puts at the same version: exactly one succeeds', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { version: 1 }));

      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, (_none, by) => table.put(anItem('a', { version: 2, by }), 1)),
      );

      const winners = answers.flatMap(({ status }, by) => (status === 'fulfilled' ? [by] : []));
      expect(winners).toHaveLength(1);
      expect(await table.get(key('a'))).toEqual(anItem('a', { version: 2, by: winners[0] }));
    });

    it.each([
      ['a number that is too large to be exact', 2 ** 53],
      ['NaN', Number.NaN],
      ['infinity', Number.POSITIVE_INFINITY],
    ])('put of %s is refused', async (_, number) => {
      const table = await engine.createTable();

      await expect(table.put(anItem('a', { number }))).rejects.toThrow();
      expect(await table.get(key('a'))).toBeUndefined();
    });

    it.each([
      { pk: '', sk: 'a' },
      { pk: 'THINGS', sk: '' },
    ])('put under the key "$pk", "$sk" is refused', async (empty) => {
      const table = await engine.createTable();

      await expect(table.put(empty)).rejects.toThrow();
    });
  });

  describe('delete', () => {
    it('delete at the current version removes the item, also from all indexes', async () => {
      const table = await engine.createTable();
      const item = { version: 3, falling: '1', rising: '2', dueShard: 'DUE#0', dueAt: 1 };
      await table.put(anItem('a', item));

      await table.delete(key('a'), 3);

      expect(await table.get(key('a'))).toBeUndefined();
      expect(await thresholdIndexOf(table, 'falling')).toEqual([]);
      expect(await thresholdIndexOf(table, 'rising')).toEqual([]);
      expect(await table.due('DUE#0', 10, 10)).toEqual([]);
    });

    it('delete at another version is a conflict, and the item remains', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { version: 3 }));

      await expect(table.delete(key('a'), 2)).rejects.toThrow(VersionConflictError);
      expect(await table.get(key('a'))).toEqual(anItem('a', { version: 3 }));
    });

    it('delete of an item that is gone succeeds', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { version: 3 }));
      await table.delete(key('a'), 3);

      await table.delete(key('a'), 3);

      expect(await table.get(key('a'))).toBeUndefined();
    });

    it('a deleted item can be created again at version 0', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { version: 3 }));
      await table.delete(key('a'), 3);

      await table.put(anItem('a', { version: 1 }), 0);

      expect(await table.get(key('a'))).toEqual(anItem('a', { version: 1 }));
    });
  });

  describe('transact', () => {
    it('transact puts and deletes all items, also in all indexes', async () => {
      const table = await engine.createTable();
      await table.put(anItem('old', { version: 3, falling: '1' }));
      const made = { ...anItem('new', { version: 1, falling: '2' }), pk: 'OTHERS' };

      await table.transact([
        { put: made, version: 0 },
        { delete: key('old'), version: 3 },
        { put: anItem('any', { falling: '3' }) },
      ]);

      expect(await table.get(made)).toEqual(made);
      expect(await table.get(key('old'))).toBeUndefined();
      expect(await thresholdIndexOf(table, 'falling')).toEqual(['any']);
    });

    it.each([
      ['an item that exists', { put: anItem('there', { version: 4 }), version: 0 }],
      ['an item of another version', { put: anItem('there', { version: 4 }), version: 2 }],
      ['an item that is missing', { put: anItem('gone', { version: 4 }), version: 3 }],
      ['a deletion at another version', { delete: key('there'), version: 2 }],
      ['a deletion of an item that is missing', { delete: key('gone'), version: 3 }],
    ])('transact writes nothing if one condition fails: %s', async (_, failing) => {
      const table = await engine.createTable();
      const there = anItem('there', { version: 3 });
      await table.put(there);

      for (const writes of [
        [failing, { put: anItem('other') }],
        [{ put: anItem('other') }, failing],
      ]) {
        await expect(table.transact(writes)).rejects.toThrow(VersionConflictError);
      }

      expect(await table.get(key('there'))).toEqual(there);
      expect(await table.get(key('other'))).toBeUndefined();
    });

    it('transact names the item whose condition failed', async () => {
      const table = await engine.createTable();
      await table.put(anItem('second', { version: 3 }));

      const refused = table.transact([
        { put: anItem('first') },
        { put: anItem('second'), version: 2 },
      ]);

      await expect(refused).rejects.toThrow('THINGS second has changed');
    });

    const many = (count: number, given: object = {}) =>
      Array.from({ length: count }, (_none, index) => ({ put: anItem(`item ${index}`, given) }));
    const large = { text: 'x'.repeat(399_000) };

    it.each([
      ['no writes', []],
      ['more than 100 writes', many(101)],
      ['two writes of one key', [{ put: anItem('a') }, { delete: key('a'), version: 1 }]],
      ['an item of more than 400 KB', [{ put: anItem('a', { text: 'x'.repeat(410_000) }) }]],
      ['more than 4 MB', many(11, large)],
    ])('transact refuses %s, and writes nothing', async (_, writes) => {
      const table = await engine.createTable();

      await expect(table.transact(writes)).rejects.toThrow();
      expect(await table.query(aQuery())).toStrictEqual({ entries: [] });
    });

    it('transact accepts 100 writes, and items of nearly 400 KB', async () => {
      const table = await engine.createTable();

      await table.transact(many(100));
      await table.transact(many(10, large));

      const pages = await pagesOf(table, aQuery({ limit: 101 }));
      expect(pages.flat()).toHaveLength(100);
    });

    it('many concurrent transactions on one item: exactly one succeeds', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { version: 1 }));

      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, (_none, by) =>
          table.transact([
            { put: anItem('a', { version: 2, by }), version: 1 },
            { put: anItem(`made by ${by}`), version: 0 },
          ]),
        ),
      );

      const winners = answers.flatMap(({ status }, by) => (status === 'fulfilled' ? [by] : []));
      expect(winners).toHaveLength(1);
      expect(await keysOf(table, aQuery())).toEqual(['a', `made by ${winners[0]}`]);
    });
  });

  describe('query', () => {
    const notifications = ['a', 'b', 'c', 'd', 'e'];

    it('query returns whole items of one partition in the order of their sort keys', async () => {
      const table = await engine.createTable();
      await table.put({ pk: 'OTHER', sk: 'b' });
      await putAll(table, ['b', 'B', 'a~', 'a', '1', 'é', '10', 'a#1', 'a-']);

      const { entries } = await table.query(aQuery());

      expect(entries).toEqual(
        ['1', '10', 'B', 'a', 'a#1', 'a-', 'a~', 'b', 'é'].map((sk) => anItem(sk)),
      );
    });

    it.each([
      ['b', 'd', ['b', 'c', 'd']],
      ['b', 'b', ['b']],
      ['aa', 'cc', ['b', 'c']],
      ['x', 'z', []],
    ])('query from %s to %s includes both ends', async (from, to, expected) => {
      const table = await engine.createTable();
      await putAll(table, notifications);

      expect(await keysOf(table, aQuery({ range: { from, to } }))).toEqual(expected);
    });

    it('query returns only sort keys that begin with a text', async () => {
      const table = await engine.createTable();
      await putAll(table, ['LIST', 'LIST#', 'LIST#a', 'LIST#z~', 'LIST#é', 'LISTS', 'LIST-a']);

      const found = await keysOf(table, aQuery({ range: beginningWith('LIST#') }));

      expect(found).toEqual(['LIST#', 'LIST#a', 'LIST#z~', 'LIST#é']);
    });

    it.each([
      ['forward', false, notifications],
      ['descending', true, notifications.toReversed()],
    ])('a %s query returns each item once, page by page', async (_, descending, expected) => {
      const table = await engine.createTable();
      await putAll(table, notifications);

      const pages = await pagesOf(table, aQuery({ limit: 2, descending }));

      expect(pages.flat()).toEqual(expected);
      expect(pages.slice(0, 2).map((page) => page.length)).toEqual([2, 2]);
    });

    it('query continues after a sort key, even if its item is gone', async () => {
      const table = await engine.createTable();
      await putAll(table, notifications);
      await table.put(anItem('c', { version: 1 }));
      await table.delete(key('c'), 1);

      expect(await keysOf(table, aQuery({ after: 'c' }))).toEqual(['d', 'e']);
      expect(await keysOf(table, aQuery({ after: 'c', descending: true }))).toEqual(['b', 'a']);
    });

    it('query returns the start of the next page while there is more, and nothing at the end', async () => {
      const table = await engine.createTable();
      await putAll(table, notifications);

      const first = await table.query(aQuery({ limit: 3 }));
      const last = await table.query(aQuery({ limit: 3, after: first.next }));

      expect(first.next).toBe('c');
      expect(last).toStrictEqual({ entries: [anItem('d'), anItem('e')] });
    });

    it('query of an empty partition returns one empty page', async () => {
      const table = await engine.createTable();

      expect(await table.query(aQuery())).toStrictEqual({ entries: [] });
    });

    it.each([
      ['ends before it begins', aQuery({ range: { from: 'b', to: 'a' } })],
      ['continues outside the range', aQuery({ range: { from: 'b', to: 'd' }, after: 'e' })],
    ])('query refuses a range that %s', async (_, refused) => {
      const table = await engine.createTable();
      await putAll(table, notifications);

      await expect(table.query(refused)).rejects.toThrow();
    });

    it('query refuses a range that begins with an empty text', async () => {
      const table = await engine.createTable();

      await expect(table.query(aQuery({ range: { from: '', to: 'b' } }))).rejects.toThrow();
    });
  });

  describe.each(['falling', 'rising', 'wakes'] as const)('the local index %s', (index) => {
    const at = (position: string) => ({ [index]: position });

    it('a local index contains only the items that have a position', async () => {
      const table = await engine.createTable();
      await table.put(anItem('with', at('5')));
      await table.put(anItem('without'));
      await table.put(anItem('elsewhere', { [index === 'falling' ? 'rising' : 'falling']: '5' }));
      await table.put({ pk: 'OTHER', sk: 'with', ...at('5') });

      expect(await thresholdIndexOf(table, index)).toEqual(['with']);
    });

    it('a local index is sorted by position, regardless of the sort keys', async () => {
      const table = await engine.createTable();
      await table.put(anItem('c', at('3')));
      await table.put(anItem('z', at('1')));
      await table.put(anItem('a', at('20')));

      const found = await thresholdIndexOf(table, index);

      expect(found).toEqual(['z', 'a', 'c']);
    });

    it('a local index returns only keys', async () => {
      const table = await engine.createTable();
      await table.put(anItem('a', { ...at('5'), text: 'long' }));

      const { entries } = await table.queryThresholdIndex(aThresholdIndexQuery({ index }));

      expect(entries).toStrictEqual([key('a')]);
    });

    it('a local index includes both ends of a range', async () => {
      const table = await engine.createTable();
      for (const position of ['1', '2', '3', '4', '5']) {
        await table.put(anItem(`at ${position}`, at(position)));
      }

      const found = await thresholdIndexOf(table, index, { range: { from: '2', to: '4' } });

      expect(found).toEqual(['at 2', 'at 3', 'at 4']);
    });

    it('a local index sorts positions that are a sign and 38 digits like numbers', async () => {
      const table = await engine.createTable();
      const positions = [
        `0${'0'.repeat(38)}`,
        `0${'9'.repeat(38)}`,
        `1${'0'.repeat(38)}`,
        `1${'0'.repeat(37)}1`,
        `1${'12345678901234567890123456789012345678'}`,
        `1${'12345678901234567890123456789012345679'}`,
        `1${'9'.repeat(38)}`,
      ].map((digits) => `floor_price.eth#${digits}`);
      for (const position of positions.toReversed()) {
        await table.put(anItem(position.slice(-39), at(position)));
      }

      const all = await thresholdIndexOf(table, index, { range: beginningWith('floor_price.') });
      const upper = await thresholdIndexOf(table, index, {
        range: { from: positions[4] ?? '', to: positions[5] ?? '' },
      });

      expect(all).toEqual(positions.map((position) => position.slice(-39)));
      expect(upper).toEqual(all.slice(4, 6));
    });

    it('a local index follows an item to a new position immediately, and removes one without a position', async () => {
      const table = await engine.createTable();

      for (let round = 1; round <= 5; round += 1) {
        await table.put(anItem('mover', at(String(round))));

        expect(await thresholdIndexOf(table, index, { range: { from: '1', to: '9' } })).toEqual([
          'mover',
        ]);
        expect(await thresholdIndexOf(table, index, { range: exactly(round) })).toEqual(['mover']);
        expect(await thresholdIndexOf(table, index, { range: exactly(round - 1) })).toEqual([]);
      }
      await table.put(anItem('mover'));

      expect(await thresholdIndexOf(table, index)).toEqual([]);
    });

    it('a local index is paged completely without repeats, even if many items have one position', async () => {
      const table = await engine.createTable();
      const names = Array.from({ length: 23 }, (_, number) => `watch-${number}`);
      for (const [number, sk] of names.entries()) {
        await table.put(anItem(sk, at(number < 11 ? '1' : '2')));
      }

      const pages = await thresholdIndexPagesOf(table, aThresholdIndexQuery({ index, limit: 5 }));

      expect(pages.flat().toSorted()).toEqual(names.toSorted());
      expect(new Set(pages.flat().slice(0, 11))).toEqual(new Set(names.slice(0, 11)));
    });

    it('paging through a local index returns each unmoved item once, while others move between two pages', async () => {
      const table = await engine.createTable();
      const names = Array.from({ length: 20 }, (_, number) => `watch-${number + 10}`);
      for (const [number, sk] of names.entries()) {
        await table.put(anItem(sk, at(String(number + 100))));
      }

      const first = await table.queryThresholdIndex(aThresholdIndexQuery({ index, limit: 8 }));
      for (const { sk } of first.entries) await table.put(anItem(sk, at('050')));
      await table.put(anItem('watch-18', at('060')));
      await table.put(anItem('watch-19', at('900')));
      await table.put(anItem('watch-20'));
      const later = await thresholdIndexPagesOf(
        table,
        aThresholdIndexQuery({ index, limit: 8, after: first.next }),
      );

      const still = names.slice(11);
      expect(first.entries.map(({ sk }) => sk)).toEqual(names.slice(0, 8));
      expect(later.flat()).toEqual([...still, 'watch-19']);
    });

    it('a local index continues after the last key of a page, even if its item is gone', async () => {
      const table = await engine.createTable();
      for (const sk of ['a', 'b', 'c']) await table.put(anItem(sk, { ...at(sk), version: 1 }));
      const first = await table.queryThresholdIndex(aThresholdIndexQuery({ index, limit: 2 }));

      await table.delete(key('b'), 1);
      const second = await table.queryThresholdIndex(
        aThresholdIndexQuery({ index, limit: 2, after: first.next }),
      );

      expect(first.next).toEqual({ sk: 'b', position: 'b' });
      expect(second).toStrictEqual({ entries: [key('c')] });
    });
  });

  describe('due', () => {
    it('due returns keys of due items, oldest first, from any partition of the table', async () => {
      const table = await engine.createTable();
      await table.put(anItem('later', aTimer(300)));
      await table.put({ pk: 'OTHER', sk: 'first', ...aTimer(100) });
      await table.put(anItem('second', aTimer(200)));

      expect(await table.due('DUE#0', 250, 10)).toStrictEqual([
        { pk: 'OTHER', sk: 'first', dueAt: 100 },
        { ...key('second'), dueAt: 200 },
      ]);
    });

    it('due includes items of the given millisecond, but no later items', async () => {
      const table = await engine.createTable();
      await table.put(anItem('now', aTimer(1_795_262_400_000)));
      await table.put(anItem('next', aTimer(1_795_262_400_001)));

      expect(await table.due('DUE#0', 1_795_262_400_000, 10)).toEqual([
        { ...key('now'), dueAt: 1_795_262_400_000 },
      ]);
    });

    it('due returns items in the numeric order of their times', async () => {
      const table = await engine.createTable();
      for (const dueAt of [1000, 9, 10, 999]) {
        await table.put(anItem(`at ${dueAt}`, aTimer(dueAt)));
      }

      const found = await table.due('DUE#0', 1000, 10);

      expect(found.map(({ sk }) => sk)).toEqual(['at 9', 'at 10', 'at 999', 'at 1000']);
    });

    it('due returns at most its limit', async () => {
      const table = await engine.createTable();
      for (const dueAt of [3, 1, 2]) await table.put(anItem(`at ${dueAt}`, aTimer(dueAt)));

      expect(await table.due('DUE#0', 10, 2)).toMatchObject([key('at 1'), key('at 2')]);
    });

    it('due continues after a key, among items with the same time, and after a deleted item', async () => {
      const table = await engine.createTable();
      for (const sk of ['a', 'b', 'c', 'd']) await table.put(anItem(sk, aTimer(2)));
      await table.put(anItem('first', aTimer(1)));
      await table.put(anItem('last', aTimer(3)));
      const [first, one, ...rest] = await table.due('DUE#0', 3, 10);
      await table.put(anItem(one?.sk ?? ''));

      expect(await table.due('DUE#0', 3, 10, first)).toEqual(rest);
      expect(await table.due('DUE#0', 3, 10, one)).toEqual(rest);
      expect(await table.due('DUE#0', 3, 2, rest[0])).toEqual(rest.slice(1, 3));
      expect(await table.due('DUE#0', 3, 2, rest.at(-1))).toEqual([]);
    });

    it('due returns only items with a timer in the given shard', async () => {
      const table = await engine.createTable();
      await table.put(anItem('without'));
      await table.put(anItem('another', { dueShard: 'DUE#1', dueAt: 1 }));

      expect(await table.due('DUE#0', 10, 10)).toEqual([]);
      expect(await table.due('DUE#1', 10, 10)).toMatchObject([key('another')]);
    });

    it('due does not return items whose timer was removed or moved', async () => {
      const table = await engine.createTable();
      await table.put(anItem('done', aTimer(1)));
      await table.put(anItem('moved', aTimer(2)));

      await table.put(anItem('done'));
      await table.put(anItem('moved', aTimer(20)));

      expect(await table.due('DUE#0', 10, 10)).toEqual([]);
      expect(await table.due('DUE#0', 20, 10)).toEqual([{ ...key('moved'), dueAt: 20 }]);
    });
  });

  describe.skipIf(engine === IN_MEMORY)('a comparison with the table in memory', () => {
    it('random commands have the same results as in the table in memory', async () => {
      const table = await engine.createTable();
      let run = 0;

      await fc.assert(
        fc.asyncProperty(tableCommands(), async (commands) => {
          run += 1;
          const found = await outcomesOf(commands, within(table, `${run} `));
          const expected = await outcomesOf(commands, createMemoryTable());

          expect(found).toEqual(expected);
        }),
        { numRuns: 20 },
      );
    });
  });
});

function key(sk: string): Key {
  return { pk: 'THINGS', sk };
}

function anItem(sk: string, given: object = {}): Item {
  return { ...key(sk), ...given };
}

function aTimer(dueAt: number) {
  return { dueShard: 'DUE#0', dueAt };
}

function aQuery(given: Partial<Query> = {}): Query {
  return { pk: 'THINGS', range: { from: ' ', to: '\uffff' }, limit: 100, ...given };
}

function aThresholdIndexQuery(given: Partial<ThresholdIndexQuery> = {}): ThresholdIndexQuery {
  return {
    index: 'falling',
    pk: 'THINGS',
    range: { from: ' ', to: '\uffff' },
    limit: 100,
    ...given,
  };
}

function exactly(position: number) {
  return { from: String(position), to: String(position) };
}

async function putAll(table: Table, sortKeys: readonly string[]): Promise<void> {
  for (const sk of sortKeys) await table.put(anItem(sk));
}

async function keysOf(table: Table, query: Query): Promise<readonly string[]> {
  const { entries } = await table.query(query);
  return entries.map(({ sk }) => sk);
}

async function thresholdIndexOf(
  table: Table,
  index: ThresholdIndexQuery['index'],
  given: Partial<ThresholdIndexQuery> = {},
): Promise<readonly string[]> {
  const { entries } = await table.queryThresholdIndex(aThresholdIndexQuery({ index, ...given }));
  return entries.map(({ sk }) => sk);
}

/** The sort keys of each page, up to the last page. */
async function pagesOf(table: Table, query: Query): Promise<readonly (readonly string[])[]> {
  const { entries, next } = await table.query(query);
  const page = entries.map(({ sk }) => sk);
  return next === undefined ? [page] : [page, ...(await pagesOf(table, { ...query, after: next }))];
}

async function thresholdIndexPagesOf(
  table: Table,
  query: ThresholdIndexQuery,
): Promise<readonly (readonly string[])[]> {
  const { entries, next } = await table.queryThresholdIndex(query);
  const page = entries.map(({ sk }) => sk);
  return next === undefined
    ? [page]
    : [page, ...(await thresholdIndexPagesOf(table, { ...query, after: next }))];
}
