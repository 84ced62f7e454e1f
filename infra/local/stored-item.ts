import { type Item, type Key, TABLE_LIMITS, type Write, wholeItem } from '#shared/stores/table.ts';
import { itemSize } from './item-size.ts';

/** The key attributes of the table and its indexes. */
const KEYS = ['pk', 'sk', 'falling', 'rising', 'wakes', 'dueShard'];
/**
 * The maximum length of a key in bytes. DynamoDB allows partition keys of twice this length, but no
 * store uses them.
 */
const LONGEST_KEY = 1024;

/** Rejects the same keys as DynamoDB. */
export function expectKeys(item: Item): void {
  for (const name of KEYS) {
    const key = item[name];
    if (typeof key !== 'string') continue;
    if (key === '') throw new RangeError(`${name} is never empty`);
    if (3 * key.length > LONGEST_KEY && Buffer.byteLength(key) > LONGEST_KEY) {
      throw new RangeError(`${name} is longer than ${LONGEST_KEY} bytes`);
    }
  }
}

/**
 * The item that a later `get` returns, without undefined members at any depth. Throws RangeError if
 * DynamoDB or its client would reject the item. The result is frozen, so that readers can share it.
 */
export function asStored(item: Item): Item {
  expectKeys(item);
  const measure = { characters: 0 };
  const stored = { ...membersAsStored(wholeItem(item), measure), pk: item.pk, sk: item.sk };
  // A character has at most three bytes, so only large items need the exact size.
  if (4 * measure.characters > TABLE_LIMITS.itemBytes) {
    const bytes = itemSize(stored);
    if (bytes > TABLE_LIMITS.itemBytes) throw new RangeError(`an item has ${bytes} bytes`);
  }
  return Object.freeze(stored);
}

/** The writes of a transaction, one for each key. */
export function asStoredWrites(
  writes: readonly Write[],
): readonly { readonly key: Key; readonly next: Item | undefined; readonly version?: number }[] {
  if (writes.length === 0) throw new RangeError('a transaction has no writes');
  if (writes.length > TABLE_LIMITS.writesOfTransaction) {
    throw new RangeError(`a transaction has ${writes.length} writes`);
  }
  const stored = writes.map((write) => {
    const condition = write.version === undefined ? {} : { version: write.version };
    if ('put' in write) return { key: write.put, next: asStored(write.put), ...condition };
    expectKeys(write.delete);
    return { key: write.delete, next: undefined, ...condition };
  });
  expectEachOnce(stored.map(({ key }) => key));
  const bytes = stored.reduce((sum, { next }) => sum + (next ? itemSize(next) : 0), 0);
  if (bytes > TABLE_LIMITS.transactionBytes) {
    throw new RangeError(`a transaction has ${bytes} bytes`);
  }
  return stored;
}

/** DynamoDB rejects a request with a duplicate key. */
export function expectEachOnce(keys: readonly Key[]): void {
  const seen = new Map<string, Set<string>>();
  for (const { pk, sk } of keys) {
    const ofPartition = seen.get(pk) ?? new Set();
    if (ofPartition.has(sk)) throw new RangeError('a request contains a key twice');
    seen.set(pk, ofPartition.add(sk));
  }
}

type Measure = { characters: number };

function membersAsStored(members: object, measure: Measure): Record<string, unknown> {
  const reported: [string, unknown][] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    measure.characters += name.length + 8;
    reported.push([name, valueAsStored(value, measure)]);
  }
  return Object.freeze(Object.fromEntries(reported));
}

function valueAsStored(value: unknown, measure: Measure): unknown {
  if (typeof value === 'string') {
    measure.characters += value.length;
    return value;
  }
  if (Array.isArray(value)) {
    measure.characters += 8 * value.length;
    const entries = value.filter((entry) => entry !== undefined);
    return Object.freeze(entries.map((entry) => valueAsStored(entry, measure)));
  }
  if (typeof value === 'object' && value !== null) {
    // The SDK does not treat a map with a member `constructor` as a map, and drops `__proto__`.
    for (const name of ['constructor', '__proto__']) {
      if (Object.hasOwn(value, name)) throw new RangeError(`no member is named ${name}`);
    }
    return membersAsStored(value, measure);
  }
  const exact = typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value === 'bigint' || !exact) throw new RangeError(`${value} is not stored exactly`);
  return value;
}
