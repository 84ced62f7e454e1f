import type * as z from 'zod';

/** Schemas of requests describe what is written, schemas of answers what is read. */
export type Side = 'input' | 'output';

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

/** The description of each member of an object: a member without words does not compile. */
type Members<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? [members: { readonly [Member in keyof Shape]: string }]
    : [members?: never];

/** The description of `unreadable`. */
export const LEFT_OUT =
  'The entries that are left out because this version of the stack cannot read them.';

export const NEXT_PAGE =
  'Where the next page begins: the `cursor` of the next request; null at the end.';

/** The members of each page that reads on until it is full. */
export const filledPageMembers = {
  cursor: NEXT_PAGE,
  stoppedShort: 'Whether reading stopped before the page was full: continue with `cursor`.',
  unreadable: LEFT_OUT,
};

/** The members of each answer about a part of a list. */
export const ofListMembers = {
  revision: 'The revision of the list.',
  pendingChanges: 'The number of contracts on which this revision is not in effect yet.',
};

/** How a moment is reported, for descriptions. */
export const MOMENT = 'ISO 8601, UTC, with milliseconds';
