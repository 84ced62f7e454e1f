import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { headerOf, linkTo, readBody, readPath, readQuery, textOf } from '#shared/http/request.ts';
import { anHttpRequest, aRuleBody, aWatchlistBody, PUNKS } from '#test/support/builders.ts';
import { EXAMPLES } from '#test/support/channel-examples.ts';

/** The problem that the function throws. */
function problemOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) return JSON.parse(JSON.stringify(error));
    throw error;
  }
  throw new Error('there was no problem');
}

it.each([
  { at: 'a stage', resource: '/v1/keys', asked: '/prod/v1/keys', link: '/prod/v1/channels/desk' },
  { at: 'a domain', resource: '/v1/keys', asked: '/v1/keys', link: '/v1/channels/desk' },
  {
    ...{ at: 'a domain with a base path', resource: '/v1/{a}', asked: '/x/y/v1/%2F' },
    ...{ path: '/x/y/v1/%2F', link: '/x/y/v1/channels/desk' },
  },
  {
    at: 'a stage, /',
    resource: '/v1/keys',
    asked: '/prod/v1/keys/',
    link: '/prod/v1/channels/desk',
  },
  { at: 'the root of a stage', resource: '/', asked: '/prod', link: '/prod/v1/channels/desk' },
  { at: 'the root of a domain', resource: '/', asked: '/', link: '/v1/channels/desk' },
])('links to a path of the API under $at', ({ at: _, resource, asked, link, ...given }) => {
  const request = anHttpRequest(`GET ${resource}`);
  const requestContext = { ...request.requestContext, path: asked };

  expect(linkTo({ ...request, ...given, requestContext }, '/v1/channels/desk')).toBe(link);
});

const withBody = (body: unknown) => anHttpRequest('POST /v1/watchlists', { body });
const issuesAbout = (body: unknown) =>
  problemOf(() => readBody(withBody(body), WatchlistBody)).errors;

describe('the body of a request', () => {
  it('counts all mistakes in a body, including those that the problem does not list', () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}`, 0]));
    const body = { ...aWatchlistBody({}), ...unknown };

    const { errors, detail } = problemOf(() => readBody(withBody(body), WatchlistBody));

    expect(errors).toHaveLength(50);
    expect(detail).toContain('(and 59 more)');
  });

  it('rejects a body that is not UTF-8', () => {
    const body = Buffer.concat([Buffer.from('{"name": "a'), Buffer.of(0xff), Buffer.from('"}')]);
    const event = {
      ...anHttpRequest('POST /v1/watchlists'),
      body: body.toString('base64'),
      isBase64Encoded: true,
    };

    const { errors } = problemOf(() => readBody(event, WatchlistBody));

    expect(errors).toEqual([{ pointer: '', detail: 'expected UTF-8' }]);
  });

  it('rejects a body with a repeated member at any depth', () => {
    const errors = issuesAbout('{"name": "a", "rules": [{"on": "*", "on": "eth"}]}');

    expect(errors).toEqual([
      { pointer: '/rules/0/on', detail: 'expected each member at most once' },
    ]);
  });

  it.each([true, false])(
    'ignores a byte order mark at the start of a body, in base64: %s',
    (isBase64Encoded) => {
      const text = `\uFEFF${JSON.stringify(aWatchlistBody())}`;
      const body = isBase64Encoded ? Buffer.from(text).toString('base64') : text;
      const event = { ...withBody(body), isBase64Encoded };

      expect(readBody(event, WatchlistBody).name).toBe('Punks');
      expect(textOf(event)).toBe(text.slice(1));
    },
  );

  it.each([
    ['application/json', 'read'],
    ['Application/JSON; charset=UTF-8', 'read'],
    ['application/json;charset="utf-8"', 'read'],
    ['application/merge-patch+json', 'read'],
    ['application/x-www-form-urlencoded', 'read'],
    ['text/plain', 'read'],
    ['text/plain;charset=UTF-8', 'read'],
    ['text/plain; charset=iso-8859-1', 415],
    ['text/html', 415],
    ['text/json', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['application/jsonp', 415],
    ['', 415],
  ])('a body of the type "%s" is %s', (type, outcome) => {
    const event = anHttpRequest('POST /', {
      body: aWatchlistBody(),
      headers: { 'content-type': type },
    });
    const read = () => readBody(event, WatchlistBody);

    if (outcome === 'read') expect(read().name).toBe('Punks');
    else expect(problemOf(read)).toMatchObject({ status: outcome });
  });

  it.each([
    ['a bidi override', 'Punks \u202e'],
    ['a zero width space', 'Pun\u200bks'],
    ['half of a surrogate pair', 'Punks \ud83d'],
    ['a line end', 'Punks\nand'],
    ['a control', 'Punks\u0007'],
  ])('rejects %s in every text of a body, with a pointer to each', (_what, text) => {
    const body = aWatchlistBody({
      name: text,
      contracts: [{ contract: PUNKS, name: text }],
      rules: [aRuleBody({ label: text })],
    });

    const pointers = issuesAbout(body).map(({ pointer }: { pointer: string }) => pointer);

    expect(pointers).toEqual(
      expect.arrayContaining(['/name', '/contracts/0/name', '/rules/0/label']),
    );
  });

  it('normalizes the texts of a body to NFC', () => {
    const { name, rules } = readBody(
      withBody(aWatchlistBody({ name: 'Cafe\u0301', rules: [aRuleBody({ label: 'e\u0301' })] })),
      WatchlistBody,
    );

    expect([name, rules[0]?.label]).toEqual(['Caf\u00e9', '\u00e9']);
  });

  it.each<[what: string, pointers: readonly string[], body: unknown]>([
    ['a member', ['/name'], aWatchlistBody({ name: 7 })],
    [
      'a nested member',
      ['/rules/0/threshold'],
      aWatchlistBody({ rules: [aRuleBody({ threshold: '0' })] }),
    ],
    ['an unknown member', ['/a~1b~0c'], aWatchlistBody({ 'a/b~c': 1 })],
    [
      'several unknown members',
      ['/rules/0/x', '/rules/0/y'],
      aWatchlistBody({ rules: [aRuleBody({ x: 1, y: 2 })] }),
    ],
    ['a union by its text', ['/contracts/0'], aWatchlistBody({ contracts: ['eth:1', PUNKS] })],
    [
      'a union by its object',
      ['/contracts/0/nmae'],
      aWatchlistBody({ contracts: [{ contract: PUNKS, nmae: 'x' }] }),
    ],
    [
      'a member of a union',
      ['/contracts/0/name'],
      aWatchlistBody({ contracts: [{ contract: PUNKS, name: '' }] }),
    ],
    [
      'a wrong type in a union',
      ['/contracts/0/name'],
      aWatchlistBody({ contracts: [{ contract: PUNKS, name: 7 }], rules: [] }),
    ],
    [
      'a missing member of a union',
      ['/contracts/0/contract'],
      aWatchlistBody({ contracts: [{}], rules: [] }),
    ],
    ['a choice', ['/rules/0/on'], aWatchlistBody({ rules: [aRuleBody({ on: 'punks' })] })],
    ['no alternative of a union', ['/contracts/0'], aWatchlistBody({ contracts: [7] })],
    [
      'a rule across members',
      ['/rules/0/recover'],
      aWatchlistBody({ rules: [aRuleBody({ recover: '1' })] }),
    ],
    ['several at once', ['/id', '/name', '/contracts'], { id: 'A', name: '', contracts: {} }],
    ['the whole', [''], []],
    ['a missing member', ['/name'], {}],
  ])('rejects a body with JSON pointers to %s: %j', (_what, pointers, body) => {
    const issues = issuesAbout(body);

    expect(issues.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    expect(issues.every(({ detail }: { detail: string }) => detail.length > 5)).toBe(true);
  });

  it.each<[given: object, at: string, detail: string]>([
    [{ name: undefined }, '/name', 'expected a string, found nothing'],
    [{ name: null }, '/name', 'expected a string, found null'],
    [{ name: 7 }, '/name', 'expected a string, found the number 7'],
    [{ contracts: 'all' }, '/contracts', 'expected a list, found a string'],
    [{ contracts: [7] }, '/contracts/0', 'expected a string or an object'],
    [{ rules: ['x'] }, '/rules/0', 'expected an object, found a string'],
    [{ rules: [[]] }, '/rules/0', 'expected an object, found a list'],
    [{ rules: Array.from({ length: 51 }, () => ({})) }, '/rules', 'expected at most 50 rules'],
    [
      { channels: [{ kind: 'pigeon', to: 'a@b.example' }] },
      '/channels/0/kind',
      `expected one of ${Object.keys(EXAMPLES)
        .map((kind) => `"${kind}"`)
        .join(', ')}`,
    ],
    [{ channels: [{ kind: 'email' }] }, '/channels/0/to', 'expected an email address'],
    [
      { channels: ['a@b.example'] },
      '/channels/0',
      'expected the id of a contact point, or a channel such as {"kind": "email", "to": "…"}',
    ],
  ])('explains the rejection of a body with %j at %s: "%s"', (given, at, detail) => {
    expect(issuesAbout(aWatchlistBody(given))).toContainEqual({ pointer: at, detail });
  });

  it.each<[given: object, member: string, detail: string]>([
    [
      { when: 'beside' },
      'when',
      'expected one of "below", "above", "outside", "inside", "crosses"',
    ],
    [{ on: 7 }, 'on', 'expected "*" or a string or a list'],
    [{ repeat: 'sometimes' }, 'repeat', 'expected one of "once", "every" or an object'],
    [{ enabled: 'no' }, 'enabled', 'expected true or false, found a string'],
    [{ threshold: 60 }, 'threshold', 'expected a string, found the number 60'],
    [{ confirm: true }, 'confirm', 'expected an object, found true'],
    [
      { confirm: { times: 1.5, of: 3 } },
      'confirm/times',
      'expected a whole number, found the number 1.5',
    ],
    [{ confirm: { times: 0, of: 3 } }, 'confirm/times', 'expected at least 1'],
    [{ confirm: { times: 1, of: 21 } }, 'confirm/of', 'expected at most 20'],
  ])('explains the rejection of a rule with %j at its %s: "%s"', (given, member, detail) => {
    const issues = issuesAbout(aWatchlistBody({ rules: [aRuleBody(given)] }));

    expect(issues).toContainEqual({ pointer: `/rules/0/${member}`, detail });
  });

  it.each<[schema: z.ZodType, value: unknown, detail: string]>([
    [z.array(z.string()).min(1), [], 'expected at least 1 entry'],
    [z.string().min(2), 'x', 'expected at least 2 characters'],
    [z.string().max(1), 'xy', 'expected at most 1 character'],
    [z.number().lt(3), 3, 'expected less than 3'],
    [z.number().gt(3), 3, 'expected more than 3'],
    [z.number().multipleOf(2), 3, 'expected a multiple of 2'],
    [
      z.coerce.date().min(new Date(0)),
      '1969-12-31T00:00:00Z',
      'expected at least 1970-01-01T00:00:00.000Z',
    ],
    [z.date(), '1970', 'expected a time, found a string'],
    [z.record(z.string(), z.number()), 'x', 'expected an object, found a string'],
    [z.record(z.string().regex(/^a/), z.number()), { b: 1 }, 'expected a different value'],
    [z.uuid(), 'x', 'expected a different value'],
    [z.undefined(), false, 'expected nothing, found false'],
    [z.union([z.object({ a: z.string() })]), { a: 1 }, 'expected a string, found the number 1'],
    [z.string('our own words'), 7, 'our own words'],
  ])('words the issues of every other schema in the same style: %#', (schema, value, detail) => {
    expect(
      problemOf(() => readBody(withBody(JSON.stringify(value)), schema)).errors[0].detail,
    ).toBe(detail);
  });

  it.each(['', 'null!', '{"name":', "{'name': 1}", '\u0000'])(
    'rejects a body that is not JSON: %j',
    (body) => {
      expect(problemOf(() => readBody(withBody(body), WatchlistBody))).toEqual({
        type: 'urn:floorwatch:problem:invalid_request',
        title: 'The request is not valid',
        status: 400,
        detail: expect.stringContaining('the body: expected a JSON document: '),
        errors: [{ pointer: '', detail: expect.stringContaining('expected a JSON document: ') }],
      });
    },
  );

  it('summarizes the first issue of a body in one sentence, with the number of others', () => {
    const problem = problemOf(() => readBody(withBody({ id: 'A', name: '' }), WatchlistBody));

    expect(problem.detail).toMatch(/^\/id: expected an id of .* \(and 1 more\)$/);
  });

  it.each([
    { size: 256 * 1024, status: 400 },
    { size: 256 * 1024 + 1, status: 413 },
  ])('answers a body of $size bytes with $status', ({ size, status }) => {
    const body = 'é'.repeat(size / 2).padEnd(size - Math.floor(size / 2), 'x');

    expect(problemOf(() => readBody(withBody(body), WatchlistBody)).status).toBe(status);
  });

  it('decodes a body that the gateway encoded in base64', () => {
    const encoded = Buffer.from(JSON.stringify({ name: 'Pünks' })).toString('base64');

    const body = readBody({ ...withBody(encoded), isBase64Encoded: true }, WatchlistBody);

    expect(body.name).toBe('Pünks');
  });

  it('rejects a missing body even if the schema accepts anything', () => {
    expect(problemOf(() => readBody(withBody(undefined), z.unknown())).status).toBe(400);
  });
});

describe('the parameters of a request', () => {
  const Query = z.strictObject({ limit: z.string().max(2).optional() });
  const withQuery = (query: Record<string, string | readonly string[]>) =>
    anHttpRequest('GET /v1/watchlists', { query });

  it.each([
    { what: 'an unknown parameter', query: { limits: '1' }, pointer: '?limits' },
    { what: 'an invalid parameter', query: { limit: '100' }, pointer: '?limit' },
    { what: 'a repeated parameter', query: { limit: ['1', '2'] }, pointer: '?limit' },
  ])('rejects a query with $what', ({ query, pointer }) => {
    const { errors } = problemOf(() => readQuery(withQuery(query), Query));

    expect(errors).toEqual([{ pointer, detail: expect.any(String) }]);
  });

  it('suggests the parameter that a misspelt one may mean', () => {
    const misspelt = problemOf(() => readQuery(withQuery({ limits: '1' }), Query));
    const foreign = problemOf(() => readQuery(withQuery({ page: '1' }), Query));

    expect(misspelt.errors).toMatchObject([{ detail: 'unknown member; did you mean "limit"?' }]);
    expect(foreign.errors).toMatchObject([{ detail: 'unknown member' }]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('rejects the query parameter %s', (name) => {
    const query = JSON.parse(`{"${name}":"1"}`);

    const { errors } = problemOf(() => readQuery(withQuery(query), Query));

    expect(errors).toEqual([{ pointer: `?${name}`, detail: 'unknown member' }]);
  });

  it('accepts a request without parameters, if none is required', () => {
    const request = { ...withQuery({}), queryStringParameters: null, pathParameters: null };
    const none = readQuery({ ...request, multiValueQueryStringParameters: null }, Query);

    expect(none).toEqual({});
    expect(problemOf(() => readPath(request, z.object({ id: z.string() }))).errors[0].pointer).toBe(
      '/id',
    );
  });

  it.each([
    ['eth%3A0xb47e', 'eth:0xb47e'],
    ['eth:0xb47e', 'eth:0xb47e'],
    ['a%2541', 'a%41'],
  ])('decodes a path parameter exactly once: %s', (sent, id) => {
    const request = { ...withQuery({}), pathParameters: { id: sent } };

    expect(readPath(request, z.object({ id: z.string() }))).toEqual({ id });
  });

  it.each(['%', '%zz', '%ff'])(
    'rejects a path parameter with the malformed encoding %s',
    (sent) => {
      const request = { ...withQuery({}), pathParameters: { id: sent } };

      expect(problemOf(() => readPath(request, z.object({ id: z.string() })))).toMatchObject({
        status: 400,
        errors: [{ pointer: '/id', detail: `expected percent-encoded UTF-8, found "${sent}"` }],
      });
    },
  );

  it('finds a header of a request, whatever the case of its name', () => {
    const request = anHttpRequest('PUT /', { headers: { 'if-MATCH': '"1"' } });

    expect([headerOf(request, 'If-Match'), headerOf(request, 'ETag')]).toEqual(['"1"', undefined]);
  });
});

it.each([
  ['not_found', 'Not found'],
  ['precondition_failed', 'The revision has changed'],
  ['already_exists', 'The id already exists'],
] as const)('gives the problem %s the title "%s"', (type, title) => {
  expect(new ProblemError('x', { type }).toJSON()).toMatchObject({ title });
});
