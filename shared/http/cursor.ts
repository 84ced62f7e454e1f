import { createHash } from 'node:crypto';
import * as z from 'zod';
import { LIMITS } from '#shared/domain/limits.ts';
import { type HttpEvent, invalidParameter, pathOf } from './request.ts';

const EXPECTED = 'expected a cursor from an earlier response';

/** The base64 of a sort key. */
export const CursorText = z.string().regex(/^[\w-]{1,540}$/, EXPECTED);

/**
 * The sort key of a page's last entry as an opaque text. A sort key consists of `prefix` and the
 * `id` of an entry. A forged cursor reveals nothing, because the table rejects a start key outside
 * the queried range.
 */
export function cursorParameter(id: z.ZodType<string, string>, prefix = '') {
  return CursorText.transform((text, context) => {
    const key = Buffer.from(text, 'base64url').toString('utf8');
    const place = key.slice(prefix.length);
    const isOfEntry = key.startsWith(prefix) && id.safeParse(place).data === place;
    if (isOfEntry && toCursor(key) === text) return key;
    context.issues.push({ code: 'custom', input: text, message: EXPECTED });
    return z.NEVER;
  });
}

/** Matches every sort key. Sort keys consist of ids, hex digits and times. */
const KEY = /^[!-~]{1,400}$/;

/** The cursor of a sort key. */
export function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** The cursor of a sort key that is valid for one query only. */
export function toBoundCursor(key: string, question: string): string {
  return toCursor(`${checksumOf(question)}~${key}`);
}

/**
 * The entry after which a page starts, and the query to which its cursors are bound: the operation,
 * its path parameters and its filter. Rejects a cursor of another query, and one whose place is not
 * among the entries of the query.
 */
export function startOfPage(
  event: HttpEvent,
  filter: object,
  cursor: string | undefined,
  isPlace: (place: string) => boolean = () => true,
): { readonly after: string | undefined; readonly question: string } {
  const question = questionOf(event.resource, pathOf(event), filter);
  if (cursor === undefined) return { after: undefined, question };
  const after = placeIn(cursor, question);
  if (after === undefined || !isPlace(after))
    throw invalidParameter('cursor', `${EXPECTED} to the same query`);
  return { after, question };
}

/** The text of a query for `toBoundCursor`. */
export function questionOf(
  resource: string,
  path: Readonly<Record<string, string>>,
  filter: object,
): string {
  return JSON.stringify([resource, path, filter]);
}

/** The sort key in a cursor; undefined if it belongs to another query or was not created here. */
function placeIn(cursor: string, question: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const checksum = `${checksumOf(question)}~`;
  const isOurs = text.startsWith(checksum) && KEY.test(text) && toCursor(text) === cursor;
  return isOurs ? text.slice(checksum.length) : undefined;
}

function checksumOf(question: string): string {
  return createHash('sha256').update(question).digest('hex').slice(0, 8);
}

/** The parameter for the maximum number of entries in an answer. */
export function limitParameter(most: number, usual = Math.min(50, most), least = 1) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `expected at least ${least}`).max(most, `expected at most ${most}`))
    .default(usual);
}

/**
 * The parameter for the maximum number of points of a chart. Even the widest screen cannot show
 * more than 2000 points separately.
 */
export function pointsParameter() {
  // Each section of time keeps up to four points, so four is the minimum.
  return limitParameter(2000, 500, 4);
}

/** The parameter `limit` with the default page size. */
export const UsualLimit = limitParameter(LIMITS.answer.entries);

/** The query parameters of a paginated list: `limit` and `cursor`. */
export function pageOf(...key: Parameters<typeof cursorParameter>) {
  return z.strictObject({
    limit: UsualLimit,
    cursor: cursorParameter(...key).optional(),
  });
}
