import * as z from 'zod';

/** The help for an option, an argument or a subcommand. */
type HelpText = {
  readonly description: string;
  /** The name of an option's value, or of a subcommand. */
  readonly value?: string;
  readonly isArgument?: boolean;
};

export const helpTexts = z.registry<HelpText>();

/** An option with a value: the member `startAt` of a command's options is `--start-at <value>`. */
export function option<Schema extends z.ZodType>(
  value: string,
  description: string,
  schema: Schema,
): Schema {
  return withHelp(schema, { value, description });
}

/** An option without a value. */
export function flag(description: string): z.ZodDefault<z.ZodBoolean> {
  return withHelp(z.boolean().default(false), { description });
}

export function argument<Schema extends z.ZodType>(description: string, schema: Schema): Schema {
  return withHelp(schema, { description, isArgument: true });
}

/** A subcommand with its options and arguments. */
export function subcommand<const Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  description: string,
  options: Shape,
) {
  const schema = z.object({ command: z.literal(name), ...options });
  return withHelp(schema, { value: name, description });
}

export const text = z.string().optional();

export function wholeNumber(least: number, most: number) {
  const expected = `expected a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((number) => number >= least && number <= most, expected);
}

// Several options may share a schema, so the help is attached to a copy.
function withHelp<Schema extends z.ZodType>(schema: Schema, help: HelpText): Schema {
  const copy = schema.clone();
  helpTexts.add(copy, help);
  return copy;
}
