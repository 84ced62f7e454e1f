import type * as z from 'zod';
import { type Kind, SCHEMAS } from './kinds.ts';
import { unionOf } from './union-of.ts';

const BODIES = Object.values(SCHEMAS).map(({ body }) => body);

/** Where a list's alerts go, besides to the operators of the stack, as people write it. */
export const ChannelBody = unionOf(BODIES, {
  error: ({ code }) =>
    code === 'invalid_union'
      ? `expected one of ${Object.keys(SCHEMAS)
          .map((kind) => `"${kind}"`)
          .join(', ')}`
      : undefined,
});
export type ChannelBody = z.output<typeof ChannelBody>;

/** The bodies of all kinds, with more members; types know of what all of them have. */
export function eachKind<Members extends z.ZodRawShape>(members: Members) {
  return unionOf(BODIES.map((body: Body) => body.extend(members)));
}

type Body = z.ZodObject<{ readonly kind: z.ZodLiteral<Kind> }, z.core.$strict>;
