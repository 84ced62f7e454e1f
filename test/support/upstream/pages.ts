import * as z from 'zod';

export const PAGE_SIZE = 100;

/** Parses a text as JSON. */
export const JsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({ code: 'custom', input: text, message: 'expected JSON' });
    return z.NEVER;
  }
});

/** The position of a page; `to` is the time of the first page, so that pages do not shift. */
export type Place = z.output<typeof Place>;
const Place = z.object({
  skip: z.int().min(0),
  size: z.int().min(1).max(PAGE_SIZE),
  page: z.int().min(1),
  to: z.number().optional(),
});

export const Cursor = z
  .string()
  .transform((text) => Buffer.from(text, 'base64url').toString('utf8'))
  .pipe(JsonText)
  .pipe(Place)
  .optional();

/** The page of a list at a position, in the envelope of the interface. */
export function pageOf<Item, Reported>(
  items: Iterable<Item>,
  place: Place,
  tell: (item: Item) => Reported,
) {
  const { skip, size, page } = place;
  const found = Iterator.from(items)
    .drop(skip)
    .take(size + 1)
    .toArray();
  const next = { ...place, skip: skip + size, page: page + 1 };
  return {
    page,
    page_size: size,
    cursor: found.length > size ? Buffer.from(JSON.stringify(next)).toString('base64url') : '',
    result: found.slice(0, size).map(tell),
  };
}
