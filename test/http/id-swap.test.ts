import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Interface, startInterface } from './interface.ts';
import { DOCUMENTED, type DocumentedOperation } from './requests.ts';
import {
  askAs,
  makeTenants,
  type Names,
  TENANTS,
  type Tenant,
  type ThreeTenants,
} from './three-tenants.ts';

/**
 * Calls every route of the OpenAPI document with the ids of another tenant's resources. A new route
 * is tested automatically; if its example does not fit the tenants' data, add a body to `BODIES`.
 */
const [OWNER, STRANGER] = ['acme', 'constructor'] as const satisfies readonly Tenant[];

const routes = [...DOCUMENTED].filter(([, { security }]) => security?.length !== 0);

/** Bodies for routes whose first documented example does not fit the tenants' data. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/watchlists/{watchlist}/contracts': { contract: `eth:0x${'1'.repeat(40)}` },
};

/**
 * Expected statuses of the owner's request for routes that cannot succeed with the tenants' data.
 */
const NO_SUCCESS: Readonly<Record<string, readonly number[]>> = {
  // The v2.2 provider has no search.
  'GET /v1/collections': [501],
  // The provider has reported no picture.
  'GET /v1/contracts/{contract}/picture': [404],
  // Only operators may read the state of the stack.
  'GET /v1/operations': [403],
  // No pass of polls has run.
  'GET /v1/health': [503],
  // The link in the example belongs to no subscription.
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': [400, 409],
  'POST /v1/channels/{channel}/confirm': [400, 409],
};

let http: Interface;
let begun: ThreeTenants;

beforeAll(async () => {
  http = await startInterface();
  begun = await makeTenants(http);
});
beforeEach(() => http.restore(begun.items));
afterAll(() => http[Symbol.asyncDispose]());

describe.each(routes)('%s', (route, operation) => {
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

  /** Sends a request of a tenant, with values for the path parameters. */
  const ask = async (tenant: Tenant, path: Readonly<Record<string, string>>) => {
    const [method = '', template = ''] = route.split(' ');
    const filled = template.replace(/\{(\w+)\}/g, (_part, name) =>
      encodeURIComponent(path[name] ?? ''),
    );
    const headers = Object.fromEntries(
      operation.parameters.flatMap(({ name }) => (name === 'If-Match' ? [[name, '*']] : [])),
    );
    const body = bodyOf(route, operation, Object.values(path).at(-1));
    return await askAs(http, tenant, method, `${filled}${queryOf(operation)}`, body, headers);
  };
  /** Uses the last value of each path parameter, which belongs only to this tenant. */
  const ownOf = (tenant: Tenant) => pathOf(names, begun.names[tenant], -1);

  it('accepts a request from the owner of a resource', async () => {
    const answer = await ask(OWNER, ownOf(OWNER));

    const said = [answer.text, ...http.takeFailures()].join('\n');
    if (answer.status >= 300) expect(NO_SUCCESS[route] ?? [], said).toContain(answer.status);
    const policy = route.includes('/api/v2.2/') ? 'nft-data' : 'api';
    expect(answer.headers['ratelimit-policy']).toMatch(new RegExp(`^"${policy}";`));
  });

  it('neither shows nor changes data of another tenant that uses the same ids', async () => {
    for (const tenant of TENANTS) {
      const others = TENANTS.filter((other) => other !== tenant);
      await http.restore(begun.items);

      const { text } = await ask(tenant, pathOf(names, begun.names[tenant], 0));

      for (const other of others) expect(text).not.toContain(other);
      for (const other of others) expect(itemsOf(other, http)).toEqual(itemsOf(other, begun));
    }
  });

  // An address belongs to no tenant.
  it.each(names.filter((name) => name !== 'address'))(
    "returns the same response for another tenant's {%s} as for one that does not exist",
    async (name) => {
      const [theirs = ''] = (begun.names[OWNER][name] ?? []).slice(-1);
      const nobodys = neverUsed(theirs);
      const withIn = (id: string) => ({
        ...ownOf(name === 'watchlist' ? OWNER : STRANGER),
        [name]: id,
      });

      const ofTheirs = await ask(STRANGER, withIn(theirs));
      const changed = itemsOf(OWNER, http);
      await http.restore(begun.items);
      const ofNobodys = await ask(STRANGER, withIn(nobodys));

      expect(filled(ofTheirs, theirs)).toEqual(filled(ofNobodys, nobodys));
      expect(changed).toEqual(itemsOf(OWNER, begun));
    },
  );
});

it.each(routes.filter(([, { parameters }]) => parameters.some(({ name }) => name === 'cursor')))(
  "%s shows no data of another tenant to a caller with that tenant's cursor",
  async (route, operation) => {
    const [method = '', template = ''] = route.split(' ');
    const path = template.replace(
      /\{(\w+)\}/g,
      (_part, name) => begun.names[OWNER][name]?.[0] ?? '',
    );
    const query = `${queryOf(operation)}&limit=1`.replace(/^&/, '?');
    const first = await askAs(http, OWNER, method, `${path}${query}`);
    const [, cursor] = /"cursor":"([^"]+)"/.exec(first.text) ?? [];

    const { text } = await askAs(http, STRANGER, method, `${path}${query}&cursor=${cursor}`);

    expect(text).not.toContain(OWNER);
  },
);

function pathOf(names: readonly string[], known: Names, index: number) {
  return Object.fromEntries(
    names.map((name) => {
      const value = known[name]?.at(index);
      if (value === undefined) throw new Error(`three-tenants.ts has nothing for {${name}}`);
      return [name, value];
    }),
  );
}

function queryOf({ parameters }: DocumentedOperation): string {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const pairs = needed.map(({ name, schema, example }) => {
    const [shown] = [example ?? schema.examples ?? schema.enum].flat();
    return `${name}=${encodeURIComponent(String(shown))}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The body for a route: with the id of the path for a PUT, and a new id otherwise. */
function bodyOf(route: string, { requestBody }: DocumentedOperation, idOfPath: string | undefined) {
  if (requestBody === undefined) return undefined;
  const [example] = Object.values(requestBody.content['application/json']?.examples ?? {});
  const body = BODIES[route] ?? example?.value;
  if (typeof body !== 'object' || body === null || !('id' in body)) return body;
  return { ...body, id: route.startsWith('PUT') ? idOfPath : 'new-one' };
}

/** An unused id of the same form. */
function neverUsed(id: string): string {
  return id.replace(/.$/, (last) =>
    /[a-y0-8]/.test(last) ? String.fromCharCode(last.charCodeAt(0) + 1) : '0',
  );
}

/**
 * Everything in a response except the requested id and the numbers that are unique to a request.
 */
function filled({ status, headers, text }: Answer, id: string) {
  const {
    date: _date,
    'x-amzn-requestid': _id,
    'content-length': _length,
    ratelimit: _limit,
    ...others
  } = headers;
  const withoutId = (words: string) =>
    words.replaceAll(encodeURIComponent(id), '<id>').replaceAll(id, '<id>');
  return { status, headers: JSON.parse(withoutId(JSON.stringify(others))), text: withoutId(text) };
}

function itemsOf(tenant: Tenant, { items }: Interface | ThreeTenants) {
  const all = typeof items === 'function' ? items() : items;
  return all.filter(({ pk, sk }) => `${pk}#${sk}`.split('#').includes(tenant));
}
