import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect } from 'vitest';
import { OPERATIONS, openApiDocument } from '#infra/openapi/document.ts';
import { Problem } from '#shared/http/answer-shapes.ts';

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The document as it is served. */
export const servedDocument: unknown = JSON.parse(JSON.stringify(openApiDocument()));

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: 'openapi', ...(servedDocument as object) });

/** The violations of a schema of the document; undefined if there are none. */
export function issuesOf(reference: string, value: unknown): string | undefined {
  const validate = ajv.getSchema(`openapi${reference}`);
  if (validate === undefined) return `there is no ${reference}`;
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

/** Whether a value matches a self-contained schema. */
export function validates(schema: object, value: unknown): boolean {
  return ajv.validate(schema, value);
}

/** A handler whose answers are validated against the document. */
export function documented(handler: Handler): Handler {
  return async (event, context) => {
    const answer = await handler(event, context);
    expectDocumented(`${event.httpMethod} ${event.resource}`, answer);
    return answer;
  };
}

/**
 * Headers that every answer may have. The document describes them in one place, not in each answer.
 */
const COMMON = ['Content-Type', 'Cache-Control'];

/** Validates an answer against the document. */
export function expectDocumented(asked: string, answer: APIGatewayProxyResult): void {
  const isHead = asked.startsWith('HEAD ');
  const route = isHead ? asked.replace('HEAD', 'GET') : asked;
  const operation = OPERATIONS[route];
  const { statusCode, headers = {}, body } = answer;
  // In tests, the paths of requests start with a stage, as under `execute-api`, so links must also
  // start with it.
  const bare = `${headers.Location}\n${body}`.match(/(?<=^|[",])\/v1\/[^",]*/gm);
  if (!route.endsWith('/openapi.json')) expect(bare, `${asked}: links without a stage`).toBeNull();
  if (operation === undefined) {
    expect(route.startsWith('OPTIONS ') ? [204] : [404, 405], route).toContain(statusCode);
    return;
  }
  const documented = operation.answers[statusCode];
  const what = `${asked} ${statusCode}`;
  if (isHead) {
    expect(body, what).toBe('');
    return;
  }
  if (documented === undefined) {
    const problem = Problem.parse(JSON.parse(body));
    const [, type] = /^urn:floorwatch:problem:(\w+)$/.exec(problem.type) ?? [];
    expect([...operation.problems, 'internal'], what).toContain(type);
    expect(problem.status, what).toBe(statusCode);
    expect(headers['Content-Type'], what).toBe('application/problem+json');
    expect('message' in problem, what).toBe(operation.tag === 'NFT data');
    const known = [...COMMON, 'Retry-After', ...Object.keys(operation.problemHeaders ?? {})];
    expect(known, what).toEqual(expect.arrayContaining(Object.keys(headers)));
    return;
  }
  const known = [...COMMON, ...Object.keys(documented.headers ?? {})];
  expect(known, what).toEqual(expect.arrayContaining(Object.keys(headers)));
  if (documented.schema === undefined) {
    if (documented.type === undefined) expect(body, what).toBe('');
    return;
  }
  if (documented.csv !== undefined && String(headers['Content-Type']).startsWith('text/csv')) {
    const [names] = documented.csv.split('\r\n');
    expect(body.split('\r\n')[0], what).toBe(names);
    return;
  }
  const value: unknown = JSON.parse(body);
  expect(documented.schema.parse(value), what).toEqual(value);
  const [content] = Object.values(contentOf(route, statusCode));
  expect(issuesOf(content?.schema?.$ref ?? '', value), `${what} ${body}`).toBeUndefined();
}

type Content = Readonly<Record<string, { readonly schema?: { readonly $ref: string } }>>;

function contentOf(route: string, status: number): Content {
  const [method = '', path = ''] = route.split(' ');
  const { paths } = servedDocument as {
    readonly paths: Record<
      string,
      Record<string, { responses: Record<string, { content: Content }> }>
    >;
  };
  return paths[path]?.[method.toLowerCase()]?.responses[status]?.content ?? {};
}
