import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pageRoutes } from '#functions/serve-pages/routes.ts';
import { OPERATIONS } from '#infra/openapi/document.ts';
import { PROBLEM_EXAMPLES } from '#infra/openapi/problems.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';
import { issuesOf, servedDocument, validates } from '#test/support/documented.ts';

const template = synthesize();

const Example = z.object({ value: z.unknown() });
const Content = z.record(
  z.string(),
  z.object({
    schema: z
      .union([z.object({ $ref: z.string() }), z.strictObject({ type: z.literal('string') })])
      .optional(),
    example: z.unknown().optional(),
    examples: z.record(z.string(), Example).default({}),
  }),
);
const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  description: z.string(),
  required: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
});
const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).length(1),
  summary: z.string(),
  security: z.array(z.object({ apiKey: z.array(z.string()) })),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: Content.default({}) }),
  ),
});
const document = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  })
  .parse(servedDocument);

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);

it('the served document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();

  expect(await validator.validate(servedDocument as Record<string, unknown>)).toEqual({
    valid: true,
  });
  expect(validator.version).toBe('3.1');
});

it('the OpenAPI document describes exactly the routes of the template', () => {
  const resources = resourcesOf(template, 'AWS::ApiGateway::Resource');
  const pathOf = (id: string): string => {
    const properties = resources[id]?.Properties;
    return properties
      ? `${pathOf(textOf(template, properties.ParentId))}/${properties.PathPart}`
      : '';
  };
  const routes = Object.values(resourcesOf(template, 'AWS::ApiGateway::Method'))
    .filter(({ Properties }) => !['ANY', 'HEAD', 'OPTIONS'].includes(Properties.HttpMethod))
    .map(
      ({ Properties }) =>
        `${Properties.HttpMethod} ${pathOf(textOf(template, Properties.ResourceId)) || '/'}`,
    );

  expect(operations.map(({ route }) => route).toSorted()).toEqual(routes.toSorted());
});

it('the OpenAPI document requires an API key on every route except links in messages, one-time codes, the console, the documentation and the health check', () => {
  const open = operations.filter(({ operation }) => operation.security.length === 0);

  expect(open.map(({ route }) => route)).toEqual([
    ...['GET /v1/health', 'POST /v1/sign-ins/redeem'],
    ...['GET /v1/actions/{action}', 'POST /v1/actions/{action}'],
    ...['GET /v1/subscriptions/{subscription}', 'POST /v1/subscriptions/{subscription}'],
    'GET /v1/charts/{chart}',
    ...Object.keys(pageRoutes),
  ]);
});

it('each problem type is listed for an operation, except method_not_allowed', () => {
  const reported = Object.values(OPERATIONS).flatMap(({ problems }) => [...problems, 'internal']);
  const ofNone = 'method_not_allowed';

  expect([...new Set([...reported, ofNone])].toSorted()).toEqual(
    Object.keys(PROBLEM_EXAMPLES).toSorted(),
  );
});

const Described = z.object({ info: z.object({ description: z.string() }) });

it('the description begins with a guide to operations, followed by the conventions and the limits', () => {
  const { info } = Described.parse(servedDocument);
  const headings = [...info.description.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  const [, guide = ''] = info.description.split('## ');
  const named = [...guide.matchAll(/`((?:GET|POST) [^`]+)`/g)].map(([, route = '']) => route);

  expect(headings).toEqual(['First steps', 'Conventions', 'Limits']);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((route) => OPERATIONS[route] === undefined)).toEqual([]);
});

it('each operation has a unique operationId', () => {
  const ids = operations.map(({ operation }) => operation.operationId);

  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
});

describe.each(operations)('the operation $route', ({ route, operation }) => {
  const answers = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    Object.values(content).map((of) => ({ status, of })),
  );
  const bodies = Object.values(operation.requestBody?.content ?? {});
  const shown = [...bodies, ...answers.map(({ of }) => of)].flatMap(
    ({ schema, example, examples }) =>
      [example, ...Object.values(examples).map(({ value }) => value)]
        .filter((value) => value !== undefined)
        .map((value) => ({ schema, value })),
  );

  it('the examples of an operation match their schemas', () => {
    for (const { schema, value } of shown) {
      if (schema !== undefined && 'type' in schema) expect(value).toEqual(expect.any(String));
      else expect(issuesOf(schema?.$ref ?? '', value), JSON.stringify(value)).toBeUndefined();
    }
    for (const { schema, example } of operation.parameters) {
      if (example !== undefined) expect(validates(schema, example)).toBe(true);
    }
  });

  it('the examples of an operation match the schemas of its function', () => {
    const { body, answers: reported = {} } = OPERATIONS[route] ?? {};

    for (const example of Object.values(body?.examples ?? {})) body?.schema.parse(example);
    for (const { schema, example } of Object.values(reported)) {
      if (schema !== undefined) expect(schema.parse(example)).toEqual(example);
    }
  });

  it('each parameter and response of an operation has a description', () => {
    for (const { name, description } of operation.parameters) {
      expect(description, name).toMatch(/\.$/);
    }
    for (const { description } of Object.values(operation.responses)) {
      expect(description).toMatch(/\.$/);
    }
  });
});

it('the description lists every limit', () => {
  const { info } = servedDocument as { readonly info: { readonly description: string } };
  const reported = info.description;

  for (const [of, limits] of Object.entries(LIMITS)) {
    const row = reported.split('\n').find((line) => line.startsWith(`| ${of} |`));
    for (const most of Object.values(limits)) expect(row).toContain(most.toLocaleString('en-US'));
  }
});

it('each member of a schema has a description', () => {
  const silent = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
    const properties = Object.entries(
      z.record(z.string(), z.looseObject({})).parse(schema.properties ?? {}),
    );
    const members = properties.filter(([, property]) => !('description' in property));
    return members.map(([member]) => `${name}.${member}`);
  });

  expect(silent).toEqual([]);
});
