import * as z from 'zod';
import type { Forms } from './forms.ts';
import { LIMITS } from './limits.ts';

/** An id chosen by a person. Ids are part of keys, so few characters are allowed. */
export const Identifier = identifier(
  `expected an id of 1 to ${LIMITS.text.identifier} lower-case letters, digits and hyphens, not beginning with a hyphen`,
);

/** An id with a custom error message. */
export function identifier(message: string) {
  return z.string().regex(new RegExp(`^${identifierPattern()}$`), message);
}

export function identifierPattern(): string {
  return `[a-z0-9][a-z0-9-]{0,${LIMITS.text.identifier - 1}}`;
}

const CONTROLS = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Noncharacter_Code_Point}';

/** One line of text for people: NFC, without control characters, at most 100 characters. */
export const Line = lineOf(1, LIMITS.text.characters);

/** A person's name, which may be empty. */
export const PersonName = lineOf(0, LIMITS.text.personName);

function lineOf(least: number, most: number) {
  return z.lazy(() =>
    z
      .string()
      .transform((text) => text.normalize('NFC').trim())
      .pipe(
        z
          .string()
          .min(least, 'expected at least one character that is not a space')
          .max(most, `expected at most ${most} characters`)
          .regex(
            new RegExp(`^[^${CONTROLS}]*$`, 'u'),
            'expected one line without control characters',
          ),
      ),
  );
}

export function lineForms(): Forms {
  return [[Line, lineForm()]];
}

/** The JSON Schema of a text that must be one line. */
export function lineForm() {
  return { minLength: 1, maxLength: LIMITS.text.characters, pattern: '\\S' };
}

/** Converts an external text to one line. */
export function onOneLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(new RegExp(`[${CONTROLS}]+`, 'gu'), ' ')
    .trim();
}

/** Shortens a text to a number of characters, with an ellipsis if it was cut. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

/** Gives an id to each thing without one: its kind and the first free number. */
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
