import type * as z from 'zod';
import type { Side } from './json-schema.ts';

/** A schema that has a name in the document, with what it means. */
export type Component = {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly sides: readonly Side[];
  readonly description: string;
  readonly members: Readonly<Record<string, string>>;
};

/** An object, each member of which says what it is: a member without words does not compile. */
export function object<Shape extends z.core.$ZodLooseShape>(
  side: Side,
  name: string,
  schema: z.ZodObject<Shape>,
  description: string,
  members: { readonly [Member in keyof Shape]: string },
): Component {
  return { name, schema, sides: [side], description, members };
}

export function other(
  sides: readonly Side[],
  name: string,
  schema: z.ZodType,
  description: string,
): Component {
  return { name, schema, sides, description, members: {} };
}

/** What a page says of what it leaves out. */
export const LEFT_OUT = 'What it leaves out, since another version of the stack has written it.';

/** The members of each page that reads on until it is full. */
export const filledPageMembers = {
  cursor: 'Where the next page begins; null at the end.',
  stoppedShort:
    'Whether it has room for more, and reading stopped before any was found: `cursor` goes on.',
  unreadable: LEFT_OUT,
};

/** How a moment is reported, for descriptions. */
export const MOMENT = 'ISO 8601, UTC, with milliseconds';
