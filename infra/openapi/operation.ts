import * as z from 'zod';
import { type Columns, csvOf } from '#shared/domain/csv.ts';
import type { JsonSchema } from '#shared/http/described.ts';
import type { ProblemType } from '#shared/http/problem.ts';
import type { Access, Route } from '#shared/http/route.ts';
import { schemaOf } from './json-schema.ts';

/** The texts of one route, besides the properties in its definition. */
export type Words = {
  /** The name of the method in generated clients. */
  readonly id: string;
  readonly tag:
    | 'Watchlists'
    | 'Watches'
    | 'Alerts'
    | 'Actions'
    | 'Charts'
    | 'Mutes'
    | 'Changes'
    | 'Usage'
    | 'Channels'
    | 'Contracts'
    | 'Rules'
    | 'Keys'
    | 'Operations'
    | 'Health'
    | 'NFT data'
    | 'Interface';
  readonly summary: string;
  readonly description?: string;
  readonly headers?: readonly Parameter[];
  readonly answers: Readonly<Record<number, Answer>>;
  /**
   * The problems of this route, except invalid requests, invalid bodies and missing scopes, which
   * are derived from the route.
   */
  readonly problems?: readonly ProblemType[];
  /** Additional headers of responses with a problem. */
  readonly problemHeaders?: Readonly<Record<string, string>>;
};

/** The texts of all routes. A route, parameter or body without texts does not compile. */
export type WordsOf<Table extends Readonly<Record<string, Route>>> = {
  readonly [Key in keyof Table]: Words &
    (keyof QueryOf<Table[Key]> extends never
      ? { readonly query?: undefined }
      : { readonly query: { readonly [Name in keyof QueryOf<Table[Key]>]: string } }) &
    (Table[Key]['body'] extends z.ZodUndefined
      ? { readonly bodies?: undefined }
      : { readonly bodies: Examples });
};

/** The parameters of a route. */
type QueryOf<Any extends Route> = Extract<Any['query'], z.ZodObject>['shape'];

/** Request bodies by name. */
type Examples = Readonly<Record<string, unknown>>;

/** An operation in the document. */
export type Operation = Omit<Words, 'headers' | 'problems'> & {
  readonly access: Access;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly problems: readonly ProblemType[];
};

/** Combines the routes of a function with their texts. */
export function describeRoutes<Table extends Readonly<Record<string, Route>>>(
  routes: Table,
  words: WordsOf<Table>,
): Readonly<Record<string, Operation>> {
  const table: Readonly<Record<string, Words & Described>> = words;
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, described]) => {
      const { [key]: route } = routes;
      return route === undefined ? [] : [[key, operationOf(route, described)]];
    }),
  );
}

type Described = {
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly bodies?: Examples | undefined;
};

function operationOf(
  { access, query, body, bodyType }: Route,
  { headers = [], query: parameters = {}, bodies, problems = [], ...words }: Words & Described,
): Operation {
  const ofBody = ['too_large', 'unsupported_media_type'] as const;
  return {
    ...words,
    access,
    parameters: [...parametersOf(query, parameters), ...headers],
    ...(bodies === undefined ? {} : { body: { ...bodyOf(body, bodies), type: bodyType } }),
    problems: [
      'invalid_request',
      ...(bodies === undefined ? [] : ofBody),
      ...problems,
      ...(access === 'public' ? [] : (['forbidden'] as const)),
    ],
  };
}

function bodyOf(schema: z.ZodType, examples: Examples): Omit<Body, 'type'> {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : undefined;
  return inner instanceof z.ZodType
    ? { schema: inner, required: false, examples }
    : { schema, required: true, examples };
}

export type Parameter = {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
};

type Body = {
  readonly type: Route['bodyType'];
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly examples: Examples;
};

/** An answer with an example in JSON, of another type, or without a body. */
export type Answer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The same example as CSV, for operations with `format`. */
  readonly csv?: string;
} & (
  | { readonly schema: z.ZodType; readonly example: unknown; readonly type?: never }
  | { readonly schema?: never; readonly example?: never; readonly type?: string }
);

export function json(
  description: string,
  schema: z.ZodType,
  example: unknown,
  headers: NonNullable<Answer['headers']> = {},
): Answer {
  return { description, headers, schema, example };
}

/** A JSON answer with a page of entries, which `format=csv` returns as a table. */
export function jsonOrCsv<Row>(page: Answer, columns: Columns<Row>, rows: readonly Row[]): Answer {
  return { ...page, csv: csvOf(columns, rows), headers: { ...page.headers, ...OF_CSV } };
}

const OF_CSV = {
  Link: 'For CSV: the path of the next page, with `rel="next"`; absent on the last page.',
  'Content-Disposition': 'For CSV: the name of the file.',
};

/** The description of the parameter `format`. */
export const FORMAT =
  'The format of the response. `csv` is a table for spreadsheets (RFC 4180) with a header row; numbers are exact, and texts that look like formulas begin with an apostrophe. If an entry is unreadable, `csv` returns a problem document.';

/** Headers of responses with a list, and of responses to requests that create a resource. */
export const ETAG = { ETag: 'The revision of the list, in quotes.' };
export const LOCATION = { Location: 'The path of the new resource.' };

/** Problems of an operation that searches for a collection at the provider. */
export const SEARCH_PROBLEMS = [
  'upstream_failed',
  'upstream_unavailable',
  'upstream_timeout',
] as const;

/** Problems of an operation on one named resource. */
export const LOOKUP_PROBLEMS = ['not_found', 'unreadable'] as const;

/** Problems of an operation that changes one named resource. */
export const EDIT_PROBLEMS = [...LOOKUP_PROBLEMS, 'conflict', 'precondition_failed'] as const;
/** Problems of an operation that deletes a resource and needs `If-Match`. */
export const DELETE_PROBLEMS = [...EDIT_PROBLEMS, 'precondition_required'] as const;

/** The parameters of paging. */
export const pages = {
  limit: 'The maximum number of entries on a page.',
  cursor: 'The `cursor` of the previous page; omit it for the first page.',
};

function parametersOf(
  schema: z.ZodType,
  words: Readonly<Record<string, string>>,
): readonly Parameter[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    description: words[name] ?? '',
    required: required.includes(name),
    schema: typeof property === 'object' ? property : {},
  }));
}

/** The headers of an answer by name, with their descriptions. */
export function headerObjects(words: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(words).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}

/**
 * A request header. The parameter has no example, because the documentation page would send it with
 * each trial request.
 */
export function header(
  name: string,
  description: string,
  { pattern, required = false }: { readonly pattern: RegExp; readonly required?: boolean },
): Parameter {
  const schema = { type: 'string', pattern: pattern.source } as const;
  return { name, in: 'header', description, required, schema };
}
