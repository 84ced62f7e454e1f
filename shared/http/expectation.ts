import type * as z from 'zod';
import { nearestOf } from '#shared/domain/nearest.ts';

/** The messages of validation errors. Messages of a schema take precedence. */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kindOf(issue.expected)}, found ${found(issue.input)}`;
    case 'invalid_value':
      return `expected ${choice(issue.values)}`;
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${bound(issue, issue.maximum)}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${bound(issue, issue.minimum)}`;
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return `expected ${[...new Set(issue.errors.flatMap(kindOfBranch))].join(' or ') || OTHER}`;
    case 'unrecognized_keys':
      return `unknown member${meantBy(issue)}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
      return `expected ${OTHER}`;
  }
};

type Unrecognized = z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>;

/** Suggests the intended member for a single unknown one. */
function meantBy({ keys: [name = '', ...others], inst }: Unrecognized): string {
  const definition: object = inst?._zod.def ?? {};
  const { shape = {} } = 'shape' in definition ? definition : {};
  if (others.length > 0 || typeof shape !== 'object' || shape === null) return '';
  const nearest = nearestOf(name, Object.keys(shape));
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

const OTHER = 'a different value';

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a time',
  null: 'null',
  undefined: 'nothing',
};

const kindOf = (expected: string) => KINDS[expected] ?? OTHER;

/** Describes a found JSON value in words. */
function found(input: unknown): string {
  if (input === undefined) return 'nothing';
  if (input === null || typeof input === 'boolean') return `${input}`;
  if (typeof input === 'number') return `the number ${input}`;
  return Array.isArray(input) ? 'a list' : (KINDS[typeof input] ?? OTHER);
}

function choice(values: readonly z.core.util.Primitive[]): string {
  const reported = values.map((value) =>
    typeof value === 'string' ? `"${value}"` : String(value),
  );
  return reported.length === 1 ? reported.join('') : `one of ${reported.join(', ')}`;
}

type Bounded = {
  readonly origin?: string | undefined;
  readonly path?: readonly PropertyKey[] | undefined;
};

/** A limit with its unit: `50 rules`, `100 characters`, a number, or a time. */
function bound({ origin, path = [] }: Bounded, limit: number | bigint): string {
  if (origin === 'date') return new Date(Number(limit)).toISOString();
  if (origin === 'string') return `${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin !== 'array' && origin !== 'set' && origin !== 'map') return `${limit}`;
  const name = path.at(-1);
  // Only a plural names the entries: `50 rules`, but not `1 rules` or `50 on`.
  if (typeof name === 'string' && name.endsWith('s') && limit !== 1) return `${limit} ${name}`;
  return `${limit} ${limit === 1 ? 'entry' : 'entries'}`;
}

/**
 * The type that a branch of a union expects; empty unless the branch's first issue is about the
 * whole value.
 */
function kindOfBranch([first]: readonly z.core.$ZodIssue[]): readonly string[] {
  if (first === undefined || first.path.length > 0) return [];
  if (first.code === 'invalid_type') return [kindOf(first.expected)];
  return first.code === 'invalid_value' ? [choice(first.values)] : [];
}
