// biome-ignore lint/correctness/noUnresolvedImports: the linter does not know this module of Node 24
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import * as z from 'zod';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import type { Item, Key } from '#shared/stores/table.ts';
import { accessByKey } from './access-by-key.ts';
import { expectRange, inByteOrder } from './byte-order.ts';

/** SQLite compares texts by their bytes in UTF-8, as DynamoDB does. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, version INTEGER,
    falling TEXT, rising TEXT, wakes TEXT, dueShard TEXT, dueAt INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (pk, sk)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS falling ON items (pk, falling, sk) WHERE falling IS NOT NULL;
  CREATE INDEX IF NOT EXISTS rising ON items (pk, rising, sk) WHERE rising IS NOT NULL;
  CREATE INDEX IF NOT EXISTS wakes ON items (pk, wakes, sk) WHERE wakes IS NOT NULL;
  CREATE INDEX IF NOT EXISTS due ON items (dueShard, dueAt, pk, sk)
    WHERE dueShard IS NOT NULL AND dueAt IS NOT NULL;
`;

/**
 * A table in a SQLite database, with DynamoDB's conditions, sort orders, pages and errors. A single
 * process uses the database, and each call ends before the next one starts.
 */
export function createSqliteTable(database: DatabaseSync): BulkTable {
  database.exec(SCHEMA);
  const select = database.prepare('SELECT body FROM items WHERE pk = ? AND sk = ?');
  const selectVersion = database.prepare('SELECT version FROM items WHERE pk = ? AND sk = ?');
  const insert = database.prepare(
    `INSERT OR REPLACE INTO items (pk, sk, version, falling, rising, wakes, dueShard, dueAt, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?');
  const inRange = 'SELECT sk, body FROM items WHERE pk = ? AND sk BETWEEN ? AND ?';
  const queries = {
    ascending: database.prepare(`${inRange} AND sk > ? ORDER BY sk LIMIT ?`),
    descending: database.prepare(`${inRange} AND sk < ? ORDER BY sk DESC LIMIT ?`),
  };
  const climb = (index: string) =>
    database.prepare(
      `SELECT sk, ${index} AS position FROM items
       WHERE pk = ? AND ${index} BETWEEN ? AND ? AND (${index}, sk) > (?, ?)
       ORDER BY ${index}, sk LIMIT ?`,
    );
  const climbs = { falling: climb('falling'), rising: climb('rising'), wakes: climb('wakes') };
  const selectDue = database.prepare(
    `SELECT pk, sk, dueAt FROM items
     WHERE dueShard = ? AND dueAt <= ? AND (dueAt, pk, sk) > (?, ?, ?)
     ORDER BY dueAt, pk, sk LIMIT ?`,
  );

  const find = ({ pk, sk }: Key): Item | undefined => {
    const row = select.get(pk, sk);
    return row === undefined ? undefined : itemIn(row);
  };
  const replace = ({ pk, sk }: Key, next: Item | undefined) => {
    if (next === undefined) {
      remove.run(pk, sk);
      return;
    }
    const { version, falling, rising, wakes, dueShard, dueAt } = next;
    insert.run(
      ...([pk, sk, numberOrNull(version), textOrNull(falling), textOrNull(rising)] as const),
      ...([
        textOrNull(wakes),
        textOrNull(dueShard),
        numberOrNull(dueAt),
        JSON.stringify(next),
      ] as const),
    );
  };
  const together = (work: () => void) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      work();
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };

  return {
    ...accessByKey({
      find,
      findVersion: ({ pk, sk }) => selectVersion.get(pk, sk),
      replace,
      together,
    }),

    query: async ({ pk, range, limit, descending = false, after }) => {
      expectRange(
        { from: inByteOrder(range.from), to: inByteOrder(range.to) },
        after && inByteOrder(after),
      );
      const rows = descending
        ? queries.descending.all(pk, range.from, range.to, after ?? BEHIND_ALL, limit)
        : queries.ascending.all(pk, range.from, range.to, after ?? '', limit);
      const entries = rows.map(itemIn);
      const last = entries.length === limit ? entries.at(-1) : undefined;
      const isEnd = last?.sk === (descending ? range.from : range.to);
      return { entries, ...(last && !isEnd && { next: last.sk }) };
    },

    queryThresholdIndex: async ({ index, pk, range, limit, after }) => {
      const [from, to] = [inByteOrder(range.from), inByteOrder(range.to)];
      expectRange({ from, to }, after && inByteOrder(after.position));
      const { position = '', sk = '' } = after ?? {};
      const rows = climbs[index].all(pk, range.from, range.to, position, sk, limit);
      const kept = rows.map((row) => PlaceRow.parse(row));
      const last = kept.length === limit ? kept.at(-1) : undefined;
      return { entries: kept.map(({ sk }) => ({ pk, sk })), ...(last && { next: last }) };
    },

    due: async (shard, until, limit, after) => {
      const { dueAt = -1, pk = '', sk = '' } = after ?? {};
      return selectDue.all(shard, until, dueAt, pk, sk, limit).map((row) => DueRow.parse(row));
    },
  };
}

/** Sorts after every sort key: no UTF-8 text contains this byte. */
const BEHIND_ALL = new Uint8Array([0xff]);

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);
const numberOrNull = (value: unknown) => (typeof value === 'number' ? value : null);

const BodyRow = z.object({ body: z.string() });
const StoredItem = z.looseObject({ pk: z.string(), sk: z.string() });
const PlaceRow = z.object({ sk: z.string(), position: z.string() });
const DueRow = z.object({ pk: z.string(), sk: z.string(), dueAt: z.number() });

function itemIn(row: Record<string, SQLOutputValue>): Item {
  return StoredItem.parse(JSON.parse(BodyRow.parse(row).body));
}
