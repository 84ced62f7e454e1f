import { createHash } from 'node:crypto';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/** Where a page begins, as it stands in a cursor. */
export type Place = {
  /** What the page before ended with. */
  readonly after: string;
  /** The number of the page, from 1. */
  readonly page: number;
  /** How many entries each page of the walk holds. */
  readonly limit: number;
};

/** What our cursors begin with, and no other's we know of. */
const MARK = 'fw1.';

/** Whether a cursor is one of the archive's; others are the upstream's. */
export function isArchiveCursor(cursor: string): boolean {
  return cursor.startsWith(MARK);
}

/** A place in the answer to a question, as an opaque text. */
export function cursorTo({ after, page, limit }: Place, question: string): string {
  const place = [after, page, limit, checksum([after, page, limit], question)];
  return MARK + Buffer.from(JSON.stringify(place), 'utf8').toString('base64url');
}

/**
 * The position of a cursor; undefined if no answer to this query contained it.
 *
 * The checksum detects a cursor that was cut, changed or taken from another query. It is no secret:
 * a forged position shows nothing that a query would not.
 */
export function placeOf(cursor: string, question: string): Place | undefined {
  const text = Buffer.from(cursor.slice(MARK.length), 'base64url').toString('utf8');
  const [after, page, limit, sum] = WrittenPlace.safeParse(text).data ?? [];
  if (after === undefined || page === undefined || limit === undefined) return undefined;
  if (sum !== checksum([after, page, limit], question)) return undefined;
  const place = { after, page, limit };
  return cursorTo(place, question) === cursor ? place : undefined;
}

const WrittenPlace = JsonText.pipe(
  z.tuple([z.string().min(1), z.int().min(2), z.int().min(1).max(100), z.string()]),
);

function checksum(place: readonly unknown[], question: string): string {
  const formatted = JSON.stringify([question, ...place]);
  return createHash('sha256').update(formatted).digest('base64url').slice(0, 16);
}
