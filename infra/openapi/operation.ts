import type * as z from 'zod';
import type { Scope } from '#shared/domain/access/api-key.ts';
import type { ProblemType } from '#shared/http/problem.ts';
import { type JsonSchema, schemaOf } from './json-schema.ts';

/** What one method does on one path. */
export type Operation = {
  /** What generated clients call it. */
  readonly id: string;
  readonly tag:
    | 'Watchlists'
    | 'Watches'
    | 'Alerts'
    | 'Mutes'
    | 'Changes'
    | 'Usage'
    | 'Channels'
    | 'Contracts'
    | 'Rules'
    | 'Health'
    | 'NFT data'
    | 'Interface';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly problems: readonly ProblemType[];
  /** Headers that its problems may have beside those that all have. */
  readonly problemHeaders?: Readonly<Record<string, string>>;
  /** What its key has to allow, where that is not `read` for GET and `write` for any other method. */
  readonly scope?: Scope;
  /** Whether it is for everybody, without a key. */
  readonly isPublic?: boolean;
};

export type Parameter = {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
};

type Body = {
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly examples: Readonly<Record<string, unknown>>;
};

type Answer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON of this form, unless another type is named; no body where there is neither. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  readonly type?: string;
};

/** The parameters that a schema of the query takes. */
export function query<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  words: { readonly [Name in keyof Shape]: string },
): readonly Parameter[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  const descriptions: Readonly<Record<string, string>> = words;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    description: descriptions[name] ?? '',
    required: required.includes(name),
    schema: typeof property === 'object' ? property : {},
  }));
}

/** Headers of an answer, by their names, each with what it says. */
export function headerObjects(words: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(words).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}

/** A header of a request. It shows no example: a page to try it on would send that. */
export function header(
  name: string,
  description: string,
  { pattern, required = false }: { readonly pattern: RegExp; readonly required?: boolean },
): Parameter {
  const schema = { type: 'string', pattern: pattern.source } as const;
  return { name, in: 'header', description, required, schema };
}
