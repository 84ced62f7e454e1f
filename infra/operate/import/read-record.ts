import type * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { expectation } from '#shared/http/expectation.ts';
import type { Line } from './read-lines.ts';

/** The validated record of a line, or the validation issues as text. */
export function readRecord<Schema extends z.ZodType>(
  line: Line,
  schema: Schema,
): { readonly record: z.output<Schema> } | { readonly problem: string } {
  if ('problem' in line) return line;
  const { data, error } = JsonText.pipe(schema).safeParse(line.text, { error: expectation });
  if (error === undefined) return { record: data };
  const problems = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  return { problem: problems.join('; ') };
}
