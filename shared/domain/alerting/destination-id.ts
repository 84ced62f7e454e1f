import * as z from 'zod';

/** The operators' destinations. */
export const StackDestinationId = z.enum(['stack-topic', 'stack-slack']);
export type StackDestinationId = z.output<typeof StackDestinationId>;

/** A destination of alerts: the operators, or a channel of a list, `<tenant>#<list>#<channel>`. */
export const DestinationId = z.lazy(() =>
  z.union([StackDestinationId, z.templateLiteral([z.string(), '#', z.string(), '#', z.string()])]),
);
export type DestinationId = z.output<typeof DestinationId>;
