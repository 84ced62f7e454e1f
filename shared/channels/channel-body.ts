import * as z from 'zod';
import { type Kind, SCHEMAS } from './kinds.ts';
import { unionOf } from './union-of.ts';

const bodies = () => Object.values(SCHEMAS).map(({ body }) => body._zod.innerType);

/** A channel in a request. */
export const ChannelBody = z.lazy(() =>
  unionOf(bodies(), {
    error: ({ code }) =>
      code === 'invalid_union'
        ? `expected one of ${Object.keys(SCHEMAS)
            .map((kind) => `"${kind}"`)
            .join(', ')}`
        : undefined,
  }),
);
export type ChannelBody = z.output<typeof ChannelBody>;

/**
 * The request bodies of all kinds, extended by the given members. The TypeScript type has only the
 * members that all kinds share.
 */
export function eachKind<Members extends z.ZodRawShape>(members: Members) {
  return unionOf(bodies().map((body: Body) => body.extend(members)));
}

type Body = z.ZodObject<{ readonly kind: z.ZodLiteral<Kind> }, z.core.$strict>;
