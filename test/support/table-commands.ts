import fc from 'fast-check';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import {
  type DueKey,
  type Item,
  type Key,
  keyOfWrite,
  type Query,
  type Range,
  type Table,
  type ThresholdIndexQuery,
  type Write,
} from '#shared/stores/table.ts';

/** A command on a table, with the part of its result on which every engine has to agree. */
export type TableCommand = {
  /** The command in words. */
  readonly toString: () => string;
  readonly run: (table: Table) => Promise<unknown>;
};

/** The results of commands in sequence; a rejection is a result, too. */
export async function outcomesOf(
  commands: readonly TableCommand[],
  table: Table,
): Promise<readonly string[]> {
  const outcomes: string[] = [];
  for (const command of commands) {
    const outcome = await command.run(table).catch((error: unknown) => {
      if (error instanceof VersionConflictError) return 'conflict';
      return error instanceof OutcomeUnknownError ? 'unknown' : 'refused';
    });
    outcomes.push(`${command.toString()}: ${JSON.stringify(sortedMembers(outcome)) ?? 'nothing'}`);
  }
  return outcomes;
}

/** A part of a table that is isolated from the other parts. */
export function within(table: Table, name: string): Table {
  const inside = <Place extends { readonly pk: string }>(place: Place) => ({
    ...place,
    pk: `${name}${place.pk}`,
  });
  const withoutName = (text: string) => text.slice(name.length);
  const outside = <Place extends Key>(place: Place) => {
    const { pk, dueShard } = { dueShard: undefined, ...place };
    const shard = typeof dueShard === 'string' ? { dueShard: withoutName(dueShard) } : {};
    return { ...place, pk: withoutName(pk), ...shard };
  };
  const itemInside = (item: Item): Item => {
    const { dueShard } = item;
    const shard = typeof dueShard === 'string' ? { dueShard: `${name}${dueShard}` } : {};
    return { ...inside(item), ...shard };
  };
  const writeInside = (write: Write): Write =>
    'put' in write
      ? { ...write, put: itemInside(write.put) }
      : { ...write, delete: inside(write.delete) };
  return {
    get: async (key) => {
      const found = await table.get(inside(key));
      return found && outside(found);
    },
    put: (item, version) => table.put(itemInside(item), version),
    delete: (key, version) => table.delete(inside(key), version),
    transact: (writes) => table.transact(writes.map(writeInside)),
    query: async (query) => {
      const page = await table.query(inside(query));
      return { ...page, entries: page.entries.map(outside) };
    },
    queryThresholdIndex: async (query) => {
      const page = await table.queryThresholdIndex(inside(query));
      return { ...page, entries: page.entries.map(outside) };
    },
    due: async (shard, until, limit, after) =>
      (await table.due(`${name}${shard}`, until, limit, after && inside(after))).map(outside),
  };
}

/**
 * Texts that are easily confused. DynamoDB sorts them by their bytes in UTF-8: an emoji comes after
 * U+FFFF there, but before U+E000 in JavaScript.
 */
const WORDS = [
  'a',
  'a#',
  'a#1',
  'a-',
  'A',
  'b',
  'a\u{1F680}',
  'a\uE000',
  'a\uFFFD',
  '\u{1F680}',
  'é',
];

/** A key has at most 1024 bytes. */
const LONGEST_KEY = 'k'.repeat(1024);
const TOO_LONG_KEY = 'k'.repeat(1025);

/** Commands on a few partitions, keys, positions and versions, so that they often conflict. */
export function tableCommands(): fc.Arbitrary<readonly TableCommand[]> {
  return fc.array(aCommand(), { minLength: 1, maxLength: 60, size: 'max' });
}

const version = fc.integer({ min: 0, max: 3 });
const limit = fc.integer({ min: 1, max: 5 });
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const contents = fc.letrec<{ readonly any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('', 'Ξ “quoted” \n', '\u{1F680}', ' ', 0, -12.5, 1e-7, 2 ** 53 - 1, true, null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('toString', '#', '\u{1F680}', 'S', 'a.b'), tie('any'), {
      maxKeys: 3,
    }),
  ),
})).any;

function aCommand(): fc.Arbitrary<TableCommand> {
  const word = fc.constantFrom(...WORDS);
  const sortKey = oftenA(word, ['', LONGEST_KEY, TOO_LONG_KEY]);
  const position = oftenA(word, [LONGEST_KEY]);
  const range: fc.Arbitrary<Range> = fc.record({
    from: word,
    to: oftenA(word, [LONGEST_KEY, 'a\uFFFF', '\uFFFF']),
  });
  const partition = fc.constantFrom('P1', 'P2');
  const shard = fc.constantFrom('DUE#0', 'DUE#1');
  const instant = fc.constantFrom(0, 9, 10, 999, 1000, 1_795_262_400_000);
  const key: fc.Arbitrary<Key> = fc.record({ pk: partition, sk: sortKey });
  const item: fc.Arbitrary<Item> = fc
    .record({
      key,
      version: maybe(fc.integer({ min: 1, max: 3 })),
      falling: maybe(position),
      wakes: maybe(position),
      rising: maybe(word),
      timer: maybe(fc.record({ dueShard: shard, dueAt: instant })),
      contents: maybe(contents),
    })
    .map(({ key, timer, ...attributes }) => ({
      ...key,
      ...attributes,
      ...timer,
    }));
  const query: fc.Arbitrary<Query> = fc
    .record({
      pk: partition,
      range,
      limit,
      descending: fc.boolean(),
      after: maybe(word),
    })
    // DynamoDB Local rejects a query that starts after the last key of its range.
    .filter(({ range: { from, to }, descending, after }) => after !== (descending ? from : to));
  const thresholdIndex: fc.Arbitrary<ThresholdIndexQuery> = fc.record({
    index: fc.constantFrom('falling', 'rising', 'wakes'),
    pk: partition,
    range,
    limit,
  });
  const write: fc.Arbitrary<Write> = fc.oneof(
    fc.record({ put: item, version: maybe(version) }),
    fc.record({ delete: key, version }),
  );
  const distinct = { maxLength: 4, selector: (one: Write) => shown(keyOf(one)) };
  const transaction = fc.uniqueArray(write, distinct).map(transacting);
  return fc.oneof(
    { arbitrary: fc.tuple(item, maybe(version)).map(putting), weight: 5 },
    fc.tuple(key, version).map(deleting),
    { arbitrary: transaction, weight: 3 },
    key.map(getting),
    query.map(paging),
    thresholdIndex.map(climbing),
    fc.tuple(shard, instant, limit).map(lookingForDue),
  );
}

function oftenA(word: fc.Arbitrary<string>, others: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ arbitrary: word, weight: 20 }, fc.constantFrom(...others));
}

function putting([item, at]: readonly [Item, number | undefined]): TableCommand {
  return { toString: () => `put ${shown(item)} at ${at}`, run: (table) => table.put(item, at) };
}

function deleting([key, at]: readonly [Key, number]): TableCommand {
  return { toString: () => `delete ${shown(key)} at ${at}`, run: (table) => table.delete(key, at) };
}

function transacting(writes: readonly Write[]): TableCommand {
  return {
    toString: () => `transact ${shown(writes)}`,
    run: (table) => table.transact(writes),
  };
}

function getting(key: Key): TableCommand {
  return { toString: () => `get ${shown(key)}`, run: (table) => table.get(key) };
}

/** All pages of a query; engines may differ in whether the last one is empty. */
function paging(query: Query): TableCommand {
  return {
    toString: () => `query ${shown(query)}`,
    run: async (table) => {
      const pages: (readonly Item[])[] = [];
      let after = query.after;
      do {
        const { entries, next } = await table.query({ ...query, after });
        if (entries.length > 0) pages.push(entries);
        after = next;
      } while (after !== undefined);
      return pages;
    },
  };
}

/**
 * All pages of a threshold index. Keys are sorted, because engines may order keys at the same
 * position differently.
 */
function climbing(query: ThresholdIndexQuery): TableCommand {
  return {
    toString: () => `thresholdIndex ${shown(query)}`,
    run: async (table) => {
      const positions: unknown[] = [];
      const keys: string[] = [];
      let after: ThresholdIndexQuery['after'];
      do {
        const { entries, next } = await table.queryThresholdIndex({ ...query, after });
        for (const key of entries) {
          positions.push((await table.get(key))?.[query.index]);
          keys.push(key.sk);
        }
        after = next;
      } while (after !== undefined);
      return { positions, keys: keys.toSorted() };
    },
  };
}

/**
 * All pages of due work, with keys at the same time in any order, because engines may split them
 * differently.
 */
function lookingForDue([shard, until, most]: readonly [string, number, number]): TableCommand {
  return {
    toString: () => `due ${shard} until ${until}, ${most} at most`,
    run: async (table) => {
      const found: DueKey[] = [];
      const lengths: number[] = [];
      do {
        const page = await table.due(shard, until, most, found.at(-1));
        lengths.push(page.length);
        found.push(...page);
      } while (lengths.at(-1) === most && lengths.length < 100);
      return {
        lengths,
        moments: found.map(({ dueAt }) => dueAt),
        keys: found.map(({ pk, sk, dueAt }) => `${pk} ${sk} ${dueAt}`).toSorted(),
      };
    },
  };
}

function keyOf(write: Write): Key {
  const { pk, sk } = keyOfWrite(write);
  return { pk, sk };
}

const shown = (value: unknown) => JSON.stringify(value).replaceAll(/(.)\1{9,}/g, '$1…');

/** DynamoDB does not keep the order of members. */
function sortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortedMembers(member)]));
}
