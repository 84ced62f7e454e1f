import { hash } from 'node:crypto';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/** The start of a page, as encoded in a cursor. */
export type Place = {
  /** The last entry of the previous page. */
  readonly after: string;
  /** The page number, starting at 1. */
  readonly page: number;
  /** The page size, the same for all pages of a query. */
  readonly limit: number;
};

/** The prefix of our cursors, which no known upstream uses. */
const MARK = 'fw1.';

/** Whether the archive issued a cursor; if not, the upstream issued it. */
export function isArchiveCursor(cursor: string): boolean {
  return cursor.startsWith(MARK);
}

/** The cursor of a position, as an opaque text. */
export function cursorTo({ after, page, limit }: Place, question: string): string {
  const place = [after, page, limit, checksum([after, page, limit], question)];
  return MARK + Buffer.from(JSON.stringify(place), 'utf8').toString('base64url');
}

/**
 * The position of a cursor; undefined if it does not belong to this query.
 *
 * The checksum detects a cursor that was truncated, changed or taken from another query. No secret
 * is needed: a forged position reveals nothing that a query would not.
 */
export function placeFromCursor(cursor: string, question: string): Place | undefined {
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
  return hash('sha256', formatted, 'base64url').slice(0, 16);
}
