import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ValidationIssue } from './answer-shapes.ts';
import { expectation } from './expectation.ts';
import { jsonMistake } from './json-mistake.ts';
import { ProblemError } from './problem.ts';
import { repeatedMember } from './repeated-member.ts';

/** The parts of the gateway's event that are used. */
export type HttpEvent = Pick<
  APIGatewayProxyEvent,
  | 'httpMethod'
  | 'resource'
  | 'path'
  | 'queryStringParameters'
  | 'multiValueQueryStringParameters'
  | 'headers'
  | 'body'
  | 'isBase64Encoded'
> & {
  /** Percent-encoded by the client; `pathOf` decodes them. */
  readonly pathParameters: object | null;
  readonly requestContext: {
    readonly authorizer?: unknown;
    /** The path with its prefix: a stage, or the base path of a domain. */
    readonly path?: string;
  };
};

/** The body of a request without a byte order mark, which RFC 8259 allows readers to ignore. */
export function textOf({ body, isBase64Encoded }: HttpEvent): string {
  const encoded = body ?? '';
  const text = isBase64Encoded ? Buffer.from(encoded, 'base64').toString('utf8') : encoded;
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/**
 * The validated body of a request. Throws a problem with the expected value of each invalid member.
 */
export function readBody<Schema extends z.ZodType>(
  event: HttpEvent,
  schema: Schema,
): z.output<Schema> {
  expectJson(event);
  const text = soundTextOf(event);
  const value = parseJson(text);
  const repeated = repeatedMember(text);
  if (repeated !== undefined) {
    throw invalidMembers([{ path: repeated, message: 'expected each member at most once' }]);
  }
  return check(schema, value, '');
}

/** The validated fields of a form; a missing body is an empty form. */
export function readForm<Schema extends z.ZodType>(
  event: HttpEvent,
  schema: Schema,
): z.output<Schema> {
  const type = headerOf(event, 'Content-Type');
  if (type !== undefined && type.split(';', 1)[0]?.trim().toLowerCase() !== FORM_TYPE) {
    throw new ProblemError(`expected Content-Type: ${FORM_TYPE}`, {
      type: 'unsupported_media_type',
    });
  }
  const fields = new URLSearchParams(soundTextOf(event));
  const repeated = [...fields.keys()].find((name) => fields.getAll(name).length > 1);
  if (repeated !== undefined) {
    throw invalidMembers([{ path: [repeated], message: 'expected each field at most once' }]);
  }
  return check(schema, Object.fromEntries(fields), '');
}

/** The body of a request as text; throws a problem if it is too long or not UTF-8. */
function soundTextOf(event: HttpEvent): string {
  const text = textOf(event);
  const { bodyBytes } = LIMITS.request;
  if (Buffer.byteLength(text) > bodyBytes) {
    throw new ProblemError(`expected a body of at most ${bodyBytes} bytes`, { type: 'too_large' });
  }
  // The gateway replaced invalid UTF-8 with this character, which clients do not send.
  if (text.includes('\uFFFD')) throw invalidRequest([{ pointer: '', detail: 'expected UTF-8' }]);
  return text;
}

/**
 * The body must be JSON or text in UTF-8, because simple clients send JSON as `text/plain`. The
 * form type is accepted too, because it is the default of `curl -d`.
 */
function expectJson(event: HttpEvent): void {
  const type = headerOf(event, 'Content-Type');
  if (type === undefined || JSON_TYPE.test(type) || type === FORM_TYPE) return;
  throw new ProblemError('expected Content-Type: application/json', {
    type: 'unsupported_media_type',
  });
}

const JSON_TYPE =
  /^ *(application\/([\w.-]{1,50}\+)?json|text\/plain) *(; *charset *= *"?utf-8"? *)?;? *$/i;
/** The content type of HTML forms. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Validates a document that was derived from stored data, in the same way as a request body. */
export function checkDocument<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
): z.output<Schema> {
  return check(schema, document, '');
}

/** The problem for members that are invalid with respect to stored data. */
export function invalidMembers(
  members: readonly { readonly path: Path; readonly message: string }[],
): ProblemError {
  return invalidRequest(
    members.map(({ path, message }) => ({ pointer: pointerOf(path, ''), detail: message })),
  );
}

/** The problem for a parameter that is invalid with respect to stored data. */
export function invalidParameter(name: string, detail: string): ProblemError {
  return invalidRequest([{ pointer: `?${name}`, detail }]);
}

/** The validated query of a request. Rejects unknown and repeated parameters. */
export function readQuery<Schema extends z.ZodType>(
  event: HttpEvent,
  schema: Schema,
): z.output<Schema> {
  const repeated = Object.entries(event.multiValueQueryStringParameters ?? {}).find(
    ([, values]) => values !== undefined && values.length > 1,
  );
  if (repeated !== undefined) {
    throw new ProblemError(`expected "${repeated[0]}" only once`, {
      type: 'invalid_request',
      issues: [{ pointer: `?${repeated[0]}`, detail: 'expected this parameter only once' }],
    });
  }
  return check(schema, event.queryStringParameters ?? {}, '?');
}

/**
 * The decoded parameters of the path, which API Gateway REST passes percent-encoded. A malformed
 * encoding is an invalid request.
 */
export function pathOf({ pathParameters }: HttpEvent): Readonly<Record<string, string>> {
  const decoded = Object.entries(pathParameters ?? {}).map(([name, sent]) => {
    const value = percentDecoded(String(sent));
    if (value !== undefined) return [name, value] as const;
    const message = `expected percent-encoded UTF-8, found "${sent}"`;
    throw invalidMembers([{ path: [name], message }]);
  });
  return Object.fromEntries(decoded);
}

/**
 * The path with which the client of this request reaches a path of the API. Under `execute-api` it
 * begins with a stage (`/prod`), and under a domain possibly with a base path.
 * `requestContext.path` includes this prefix and `resource` does not, so the prefix is their
 * difference.
 */
export function linkTo({ resource, requestContext }: HttpEvent, path: `/${string}`): string {
  const { path: asked = resource } = requestContext;
  const parts = (text: string) => text.split('/').filter((part) => part !== '');
  const prefix = parts(asked).slice(0, parts(asked).length - parts(resource).length);
  return `${prefix.map((part) => `/${part}`).join('')}${path}`;
}

function percentDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** The validated parameters of the path. */
export function readPath<Schema extends z.ZodType>(
  event: HttpEvent,
  schema: Schema,
): z.output<Schema> {
  return check(schema, pathOf(event), '');
}

/** A header by its case-insensitive name. */
export function headerOf({ headers }: HttpEvent, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.entries(headers).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root: '' | '?',
): z.output<Schema> {
  const result = schema.safeParse(value, { error: expectation });
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.flatMap((issue) => issuesOf(issue, [], root)));
}

/** The problem for validation issues. */
export function invalidRequest(all: readonly ValidationIssue[]): ProblemError {
  const issues = all.slice(0, LIMITS.request.issues);
  const [first] = issues;
  const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
  const detail =
    first === undefined ? 'not valid' : `${first.pointer || 'the body'}: ${first.detail}${more}`;
  return new ProblemError(detail, { type: 'invalid_request', issues });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `expected a JSON document: ${jsonMistake(text)}`;
    throw new ProblemError(`the body: ${detail}`, {
      type: 'invalid_request',
      issues: [{ pointer: '', detail }],
      cause,
    });
  }
}

type Path = readonly PropertyKey[];

function issuesOf(
  issue: z.core.$ZodIssue,
  above: Path,
  root: '' | '?',
): readonly ValidationIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf([...path, key], root),
      detail: issue.message,
    }));
  }
  if (issue.code === 'invalid_union') {
    const branch = nearestBranch(issue.errors);
    if (branch !== undefined) return branch.flatMap((inner) => issuesOf(inner, path, root));
  }
  return [{ pointer: pointerOf(path, root), detail: issue.message }];
}

/** The branch of a union whose type matches the value. */
function nearestBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const isOfAnotherType = ({ code, path }: z.core.$ZodIssue) =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  return branches.find((issues) => issues.length > 0 && !issues.some(isOfAnotherType));
}

/** A JSON pointer into the body, or the name of a parameter after a question mark. */
function pointerOf(path: Path, root: '' | '?'): string {
  if (root === '?') return `?${path.map(String).join('.')}`;
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
