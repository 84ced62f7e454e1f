import fc from 'fast-check';
import * as z from 'zod';
import { servedDocument } from '#test/support/documented.ts';
import { type Schema, valuesOf } from './from-schema.ts';
import type { Answer, Asking } from './interface.ts';
import { NASTY_BODIES, NASTY_HEADERS, NASTY_PARTS, NASTY_VALUES } from './nasty.ts';
import { keyOf, type Names, ROLES, type Role, TENANTS, type Tenant } from './three-tenants.ts';

/** A text in a request: either a literal, or the index of a text from earlier responses. */
type Text = { readonly known: number } | { readonly written: string };
type Named = readonly (readonly [name: string, text: Text])[];

/** A planned request. Texts from earlier responses are filled in later. */
export type Plan = {
  readonly route: string;
  readonly tenant: Tenant;
  readonly key: Role | 'none' | 'forged' | 'unknown';
  readonly path: Named;
  readonly query: Named;
  readonly headers: Named;
  readonly body:
    | { readonly json: unknown; readonly id: 'of the path' | 'its own' | 'new' }
    | { readonly nasty: string }
    | undefined;
  readonly inBase64: boolean;
};

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
});
const Operation = z.object({
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z
          .object({
            schema: z.record(z.string(), z.unknown()),
            examples: z.record(z.string(), z.object({ value: z.unknown() })).default({}),
          })
          .optional(),
      }),
    })
    .optional(),
  responses: z.record(z.string(), z.unknown()),
  security: z.array(z.unknown()).optional(),
});
export type DocumentedOperation = z.output<typeof Operation>;
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })
  .parse(servedDocument);

/** All operations of the OpenAPI document, by method and path. */
export const DOCUMENTED: ReadonlyMap<string, DocumentedOperation> = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  ),
);

/** Valid and invalid requests to all routes of the document. */
export function plans(): fc.Arbitrary<Plan> {
  const documented = [...DOCUMENTED].map(([route, operation]) => plansOf(route, operation));
  const others = fc.constantFrom(...elsewhere()).chain((route) => plansOf(route));
  return fc.oneof(
    { weight: 40, arbitrary: fc.oneof(...documented) },
    { weight: 1, arbitrary: others },
  );
}

/** Routes that do not exist. */
function elsewhere(): readonly string[] {
  const methods = ['PATCH', 'DELETE', 'PUT', 'POST', 'OPTIONS'];
  const routes = Object.keys(paths).flatMap((path) => methods.map((method) => `${method} ${path}`));
  const unknown = ['GET /', 'GET /v1', 'GET /v1/none', 'GET /v2/watchlists', 'PUT //', 'GET /v1/%'];
  return [...routes.filter((route) => !DOCUMENTED.has(route)), ...unknown];
}

function plansOf(route: string, operation?: DocumentedOperation): fc.Arbitrary<Plan> {
  const { parameters = [], requestBody } = operation ?? {};
  const within = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const json = requestBody?.content['application/json'];
  return fc.record<Plan>({
    route: fc.constant(route),
    tenant: fc.oneof(
      { weight: 3, arbitrary: fc.constant(TENANTS[0]) },
      { weight: 1, arbitrary: fc.constantFrom(...TENANTS) },
    ),
    key: fc.oneof(
      { weight: 20, arbitrary: fc.constant('owner' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...ROLES) },
      { weight: 1, arbitrary: fc.constantFrom('none', 'forged', 'unknown') },
    ),
    path: allOf(within('path').map((parameter) => textsOf(parameter, NASTY_PARTS))),
    query: namedOf(within('query'), NASTY_PARTS, 'no-such-parameter'),
    headers: namedOf(within('header'), NASTY_HEADERS, 'Content-Type'),
    body: json === undefined ? rareBodies : bodies(json.schema, shownIn(json.examples)),
    inBase64: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  });
}

const shownIn = (examples: Readonly<Record<string, { readonly value: unknown }>>) =>
  Object.values(examples).map(({ value }) => value);

function allOf<Value>(values: readonly fc.Arbitrary<Value>[]): fc.Arbitrary<readonly Value[]> {
  return fc.tuple(...values);
}

type OneParameter = z.output<typeof Parameter>;
type NamedText = readonly [name: string, text: Text];

function textsOf(
  { name, in: place, schema, example }: OneParameter,
  nasty: readonly string[],
): fc.Arbitrary<NamedText> {
  const valid = valuesOf(example === undefined ? schema : { ...schema, examples: [example] });
  const isReported = place !== 'query' || name === 'cursor';
  const texts = fc.oneof(
    { weight: isReported ? 12 : 0, arbitrary: fc.nat(20).map((known) => ({ known })) },
    {
      weight: isReported ? 2 : 12,
      arbitrary: valid.map((value) => ({ written: encoded(String(value)) })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...nasty).map((written) => ({ written })) },
  );
  return texts.map((text) => [name, text] as const);
}

/**
 * A random selection of the parameters; some are repeated or invalid, and occasionally one is
 * unknown.
 */
function namedOf(
  parameters: readonly OneParameter[],
  nasty: readonly string[],
  unknown: string,
): fc.Arbitrary<Named> {
  const given = parameters.map((parameter) => {
    const texts = textsOf(parameter, nasty);
    const weight = parameter.required ? 12 : 2;
    return fc.oneof(
      { weight, arbitrary: texts.map((text) => [text]) },
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(texts, { minLength: 1, maxLength: 2 }) },
    );
  });
  const others = fc.oneof(
    { weight: 19, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...nasty).map((written) => [[unknown, { written }] as const]),
    },
  );
  return fc.tuple(allOf(given), others).map(([some, other]) => [...some.flat(), ...other]);
}

function bodies(schema: Schema, shown: readonly unknown[]): fc.Arbitrary<Plan['body']> {
  const examples = shown.map((example) => ({ weight: 2, arbitrary: fc.constant(example) }));
  const valid = fc.oneof({ weight: 2, arbitrary: valuesOf(schema) }, ...examples);
  const id = fc.constantFrom('of the path', 'of the path', 'its own', 'new');
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ json: valid, id }) },
    { weight: 8, arbitrary: fc.record({ json: spoilt(valid), id }) },
    { weight: 3, arbitrary: nastyBodies },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const nastyBodies = fc.constantFrom(...Object.keys(NASTY_BODIES)).map((nasty) => ({ nasty }));
/** Bodies for routes without a body. */
const rareBodies: fc.Arbitrary<Plan['body']> = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: nastyBodies },
);

/** Values in which one member, at any depth, is replaced, removed, added or duplicated. */
function spoilt(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const nasty = fc.constantFrom(...NASTY_VALUES);
  const names = fc.constantFrom(...NASTY_VALUES.filter((value) => typeof value === 'string'));
  const deed = fc.constantFrom('replace', 'remove', 'add', 'double');
  return fc.tuple(values, fc.nat(1000), deed, nasty, names).map(([value, place, ...how]) => {
    const count = countPlaces(value);
    return spoil(value, place % count, ...how);
  });
}

function countPlaces(value: unknown): number {
  return 1 + membersOf(value).reduce((sum, [, member]) => sum + countPlaces(member), 0);
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/**
 * Changes the member at `place`. Number 0 is the value itself. Each member is followed by its own
 * members, then by its next sibling.
 */
function spoil(value: unknown, place: number, deed: string, nasty: unknown, name: string): unknown {
  if (place === 0 && deed === 'add' && typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? [...value, nasty] : { ...value, [name]: nasty };
  }
  if (place === 0) return deed === 'double' ? [value, value] : nasty;
  let left = place - 1;
  const members = membersOf(value).flatMap(([key, member]) => {
    const count = countPlaces(member);
    const isHere = left >= 0 && left < count;
    const at = left;
    left -= count;
    if (!isHere) return [[key, member] as const];
    if (at === 0 && deed === 'remove') return [];
    return [[key, spoil(member, at, deed, nasty, name)] as const];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** Values from earlier responses to a tenant: path parameters, cursors and entity tags. */
export type Known = Map<string, string[]>;

export function knownFrom(names: Names): Known {
  const given = {
    ...names,
    'If-Match': ['*', '"1"'],
    'If-None-Match': ['*'],
    'Idempotency-Key': ['"one"', '"another"'],
  };
  return new Map(Object.entries(given).map(([name, texts]) => [name, [...texts]]));
}

const MOST_KNOWN = 12;

/** Stores the values in a response for later requests. */
export function learn(known: Known, { headers, text }: Answer): void {
  const keep = (name: string, value: string) => {
    const all = known.get(name) ?? [];
    known.set(name, [...all.filter((other) => other !== value), value].slice(-MOST_KNOWN));
  };
  const { etag, location } = headers;
  if (etag !== undefined) keep('If-Match', etag);
  if (etag !== undefined) keep('If-None-Match', etag);
  for (const [, cursor = ''] of text.matchAll(/"cursor":"([^"]+)"/g)) keep('cursor', cursor);
  const reported = [...text.matchAll(/"self":"([^"]+)"/g)].map(([, path = '']) => path);
  for (const path of [...reported, ...(location === undefined ? [] : [location])]) {
    for (const [name, value] of partsOf(path)) keep(name, value);
  }
}

/** The path parameters in a path, by their documented names. */
function partsOf(path: string): readonly (readonly [string, string])[] {
  const given = path.split('/');
  const template = Object.keys(paths)
    .map((known) => known.split('/'))
    .find(
      (parts) =>
        parts.length === given.length &&
        parts.every((part, index) => part.startsWith('{') || part === given[index]),
    );
  return (template ?? []).flatMap((part, index) =>
    part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(given[index] ?? '')]] : [],
  );
}

/** The request for a plan, with texts from earlier responses. */
export function requestOf(plan: Plan, known: Known): Asking {
  const [method = '', template = ''] = plan.route.split(' ');
  const textOf = ([name, text]: NamedText, encode: (text: string) => string): string => {
    if ('written' in text) return text.written;
    const texts = known.get(name) ?? [];
    return encode(texts.at(-1 - (text.known % Math.max(1, texts.length))) ?? 'none');
  };
  const parts = new Map(plan.path.map((part) => [part[0], textOf(part, encoded)]));
  const path = template.replace(/\{(\w+)\}/g, (_whole, name) => parts.get(name) ?? 'x');
  const query = plan.query.map((given) => `${given[0]}=${textOf(given, encoded)}`);
  const headers = plan.headers.map((given) => [given[0], textOf(given, String)] as const);
  const idOfPath = decoded([...parts.values()].at(-1));
  return {
    method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      'Content-Type': 'application/json',
      ...Object.fromEntries(headers),
      ...keyHeader(plan),
    },
    ...(plan.body === undefined ? {} : { body: bodyText(plan.body, idOfPath) }),
    inBase64: plan.inBase64,
  };
}

function keyHeader({ tenant, key }: Plan): Readonly<Record<string, string>> {
  if (key === 'none') return {};
  if (key === 'forged') return { 'X-API-Key': `${keyOf(tenant).slice(0, -1)}x` };
  if (key === 'unknown') return { 'X-API-Key': 'fw_none' };
  return { 'X-API-Key': keyOf(tenant, key) };
}

function bodyText(body: NonNullable<Plan['body']>, idOfPath: string | undefined) {
  if ('nasty' in body) return NASTY_BODIES[body.nasty]?.() ?? '';
  const { json, id } = body;
  const isNamed = typeof json === 'object' && json !== null && Object.hasOwn(json, 'id');
  const name = { 'of the path': idOfPath, 'its own': undefined, new: 'new-one' }[id];
  return JSON.stringify(isNamed && name !== undefined ? { ...json, id: name } : json) ?? '';
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Requests to all documented routes, generated only from the document. */
export function documentedRequests(): fc.Arbitrary<Asking> {
  return fc.oneof(
    ...[...DOCUMENTED].map(([route, operation]) => documentedRequest(route, operation)),
  );
}

function documentedRequest(route: string, operation: DocumentedOperation): fc.Arbitrary<Asking> {
  const [method = '', template = ''] = route.split(' ');
  const within = (place: string) =>
    allOf(
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, required, schema, example }) => {
          const value = valuesOf(
            example === undefined ? schema : { ...schema, examples: [example] },
          ).map((it) => [[name, String(it)] as const]);
          return required ? value : fc.oneof(value, fc.constant([]));
        }),
    ).map((given) => given.flat());
  const json = operation.requestBody?.content['application/json'];
  const body = json === undefined ? fc.constant(undefined) : valuesOf(json.schema);
  return fc
    .tuple(within('path'), within('query'), within('header'), body)
    .map(([path, query, headers, content]): Asking => {
      const parts = new Map(path);
      const at = template.replace(/\{(\w+)\}/g, (_whole, name) => encoded(parts.get(name) ?? 'x'));
      const asked = query.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
      return {
        method,
        path: asked === '' ? at : `${at}?${asked}`,
        headers: {
          'X-API-Key': keyOf(TENANTS[0]),
          ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...Object.fromEntries(headers),
        },
        ...(content === undefined ? {} : { body: JSON.stringify(content) }),
      };
    });
}
