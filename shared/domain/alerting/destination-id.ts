import * as z from 'zod';

/** Where the operators of the stack get alerts. */
export const StackDestinationId = z.enum(['stack-topic', 'stack-slack']);
export type StackDestinationId = z.output<typeof StackDestinationId>;

/** Where alerts go: to the operators, or to one channel of a list, `<tenant>#<list>#<channel>`. */
export const DestinationId = z.union([
  StackDestinationId,
  z.templateLiteral([z.string(), '#', z.string(), '#', z.string()]),
]);
export type DestinationId = z.output<typeof DestinationId>;
