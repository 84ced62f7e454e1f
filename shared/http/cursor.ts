import { createHash } from 'node:crypto';
import * as z from 'zod';
import { LIMITS } from '#shared/domain/limits.ts';

const EXPECTED = 'expected a cursor as an earlier answer gave it';

/** Base64 of a place; only what an answer has given leads anywhere. */
export const CursorText = z.string().regex(/^[\w-]{1,540}$/, EXPECTED);

/**
 * The sort key of the last entry of a page, as an opaque text. A sort key is `prefix` and the `id` of an
 * entry. A forged cursor is refused, because the table rejects a start key outside of the queried range.
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

/** Every sort key is made of ids, hex digits and moments. */
const KEY = /^[!-~]{1,400}$/;

/** The text for a place. */
export function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** The text for a place among the answers to one question, which leads nowhere with another. */
export function toBoundCursor(key: string, question: string): string {
  return toCursor(`${checksumOf(question)}~${key}`);
}

/** The position in a cursor; undefined if the cursor is of another query, or was not made here. */
export function placeIn(cursor: string, question: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const checksum = `${checksumOf(question)}~`;
  const isOurs = text.startsWith(checksum) && KEY.test(text) && toCursor(text) === cursor;
  return isOurs ? text.slice(checksum.length) : undefined;
}

function checksumOf(question: string): string {
  return createHash('sha256').update(question).digest('hex').slice(0, 8);
}

/** How many things an answer holds. */
export function limitParameter(most: number, usual = Math.min(50, most), least = 1) {
  return z
    .string()
    .regex(/^\d{1,4}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `expected at least ${least}`).max(most, `expected at most ${most}`))
    .default(usual);
}

/** How many things a page holds where nothing is said of it. */
export const UsualLimit = limitParameter(LIMITS.answer.entries);

/** The query of a list that is reported in pages. */
export function pageOf(...key: Parameters<typeof cursorParameter>) {
  return z.strictObject({
    limit: UsualLimit,
    cursor: cursorParameter(...key).optional(),
  });
}
