import type * as z from 'zod';
import type { Side } from './json-schema.ts';

/** A schema that has a name in the document, with what it means. */
export type Component = {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly side: Side;
  readonly description: string;
  readonly members: Readonly<Record<string, string>>;
};

/** A schema of requests. */
export const input = ofSide('input');

/** A schema of answers, or of both. */
export const output = ofSide('output');

function ofSide(side: Side) {
  return <Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    description: string,
    ...[members = {}]: Members<Schema>
  ): Component => ({ name, schema, side, description, members });
}

/** What each member of an object is: a member without words does not compile. */
type Members<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? [members: { readonly [Member in keyof Shape]: string }]
    : [members?: never];

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
