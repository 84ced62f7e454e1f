import * as z from 'zod';

/** An id that a person may choose: it becomes part of keys, so its alphabet is small. */
export const Identifier = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'expected an id of 1 to 40 lower-case letters, digits and hyphens, not beginning with a hyphen',
  );

/** One line of text for people: NFC, no control characters, at most 100 characters. */
export const Line = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1, 'expected some text')
      .max(100, 'expected at most 100 characters')
      .regex(
        /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u,
        'expected one line without control characters',
      ),
  );

/** Gives an id to what has none: the kind and the first free number. */
export function named<Thing extends { readonly id?: string | undefined }>(
  kind: string,
  things: readonly Thing[],
): readonly (Thing & { readonly id: string })[] {
  const taken = new Set(things.map(({ id }) => id));
  let number = 0;
  const next = (): string => {
    number += 1;
    const id = `${kind}-${number}`;
    return taken.has(id) ? next() : id;
  };
  return things.map((thing) => ({ ...thing, id: thing.id ?? next() }));
}
