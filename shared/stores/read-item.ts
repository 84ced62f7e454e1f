import * as z from 'zod';
import { withUnknown } from '#shared/domain/unknown-attributes.ts';
import { type ReadSome, type Unreadable, UnreadableError } from '#shared/domain/unreadable.ts';
import { type ItemKind, NEWEST_SHAPES } from './item-kinds.ts';
import type { Item } from './table.ts';

type ItemSchema = z.ZodObject | z.ZodLazy<z.ZodObject>;

/**
 * Parses an item with its schema and keeps attributes that only another version has. Throws
 * UnreadableError with the item's key if the item does not match the schema.
 */
export function readItem<Read extends object>(
  kind: ItemKind,
  schema: z.ZodType<Read> & ItemSchema,
  item: Item,
): Read {
  expectKnownShape(kind, item);
  const parsed = schema.safeParse(item);
  if (!parsed.success) throw unreadableItem(item, parsed.error);
  // `unwrap` would build the whole schema again for each item.
  const { shape } = schema instanceof z.ZodLazy ? schema._zod.innerType : schema;
  const unknown = Object.keys(item).filter((name) => !OF_THE_TABLE.has(name) && !(name in shape));
  if (unknown.length === 0) return parsed.data;
  return withUnknown(parsed.data, Object.fromEntries(unknown.map((name) => [name, item[name]])));
}

/**
 * Throws UnreadableError for an item of a newer shape than this code supports. Its attributes may
 * have another meaning even if the schema accepts them.
 */
export function expectKnownShape(kind: ItemKind, item: Item): void {
  const shape = item.v ?? 1;
  const newest = NEWEST_SHAPES[kind];
  if (typeof shape === 'number' && shape >= 1 && shape <= newest) return;
  throw new UnreadableError(
    `${item.pk} ${item.sk}`,
    `shape ${JSON.stringify(shape)}, which this version does not support (newest supported: ${newest})`,
  );
}

/** Attributes that stores derive from other attributes. */
const OF_THE_TABLE = new Set([
  'pk',
  'sk',
  'version',
  'v',
  'ttl',
  'dueShard',
  'dueAt',
  'falling',
  'rising',
  'wakes',
]);

export function unreadableItem({ pk, sk }: Item, error: z.ZodError): UnreadableError {
  return new UnreadableError(`${pk} ${sk}`, reasonOf(error), { cause: error });
}

/** Reads items one by one; unreadable ones are returned separately. */
export function readEach<Entry, Left = Unreadable>(
  items: readonly Item[],
  fromItem: (item: Item) => Entry,
  leftOut: (item: Item, reason: string) => Left,
): ReadSome<Entry, Left> {
  const entries: Entry[] = [];
  const unreadable: Left[] = [];
  for (const item of items) {
    try {
      entries.push(fromItem(item));
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      unreadable.push(leftOut(item, error.reason));
    }
  }
  return { entries, unreadable };
}

/** Maximum number of members named in a reason. */
const NAMED = 3;

function reasonOf({ issues }: z.ZodError): string {
  const words = [...new Set(issues.flatMap(wordsOf))];
  const more = words.length > NAMED ? `, and ${words.length - NAMED} more` : '';
  return `${words.slice(0, NAMED).join(', ')}${more}`;
}

function wordsOf(issue: z.core.$ZodIssue): readonly string[] {
  const path = (...more: readonly string[]) => [...issue.path.map(String), ...more].join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `unknown member "${path(key)}"`);
  }
  return [`unexpected value of "${path()}"`];
}
