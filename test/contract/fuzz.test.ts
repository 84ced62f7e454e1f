import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '#infra/openapi/document.ts';
import { Problem } from '#shared/http/answer-shapes.ts';
import type { Item } from '#shared/stores/table.ts';
import {
  type Answer,
  type Asking,
  type Interface,
  startInterface,
  UPSTREAM_KEY,
} from '#test/http/interface.ts';
import {
  documentedRequests,
  type Known,
  knownFrom,
  learn,
  type Plan,
  plans,
  requestOf,
} from '#test/http/requests.ts';
import {
  keyOf,
  makeTenants,
  SECRETS,
  TENANTS,
  type Tenant,
  type ThreeTenants,
} from '#test/http/three-tenants.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';

/**
 * Requests made of the OpenAPI document, good and bad, to the whole interface. A failure shrinks,
 * and is repeated with `FUZZ_SEED`; `FUZZ_REQUESTS` says how many to make.
 */
// biome-ignore lint/style/noProcessEnv: `.ci/run` tries other seeds, and a failure is repeated
const { FUZZ_SEED = '6', FUZZ_REQUESTS = '1000', FUZZ_REPORT } = process.env;
const SEED = Number(FUZZ_SEED);
const REQUESTS = Number(FUZZ_REQUESTS);
/** In one conversation, which begins with what the three tenants have. */
const MOST_REQUESTS = 20;
const MEAN_REQUESTS = 10;

let http: Interface;
let begun: ThreeTenants;
const answered = new Map<string, Map<number, number>>();

beforeAll(async () => {
  http = await startInterface();
  begun = await makeTenants(http);
});

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  report();
});

it(`answers ${REQUESTS} requests of seed ${SEED} as the document says, and changes nothing where it says no`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plans(), { minLength: 1, maxLength: MOST_REQUESTS }), converse),
    { seed: SEED, numRuns: REQUESTS / MEAN_REQUESTS },
  );
}, 3_600_000);

it(`refuses none of ${REQUESTS} requests made of the document alone but for what no schema says`, async () => {
  await http.restore(begun.items);
  await fc.assert(
    fc.asyncProperty(documentedRequests(), async (asking) => {
      const { status, text } = await http.ask(asking);
      if (status !== 400) return;
      const { detail, errors = [] } = Problem.parse(JSON.parse(text));
      const reasons = errors.length === 0 ? [detail] : errors.map((error) => error.detail);
      expect(reasons.filter((reason) => !BETWEEN_MEMBERS.test(reason))).toEqual([]);
    }),
    { seed: SEED, numRuns: REQUESTS },
  );
}, 3_600_000);

/** What a request says in two places, what is kept, and what only an earlier answer can tell. */
const BETWEEN_MEMBERS = new RegExp(
  [
    'traits behind the contract|an earlier answer|fits the present watchlist|of the path, or none|the provider does not accept|expected UTF-8',
    'each contract once|of this list|about this channel|the list has no channel|there is no contact point|that no other |the secret itself: channel|the list would not be valid',
    'not beside "from"|either "until"|before "from"|in the future|has passed|to come|the end of the span|an upper edge above',
    'only with (a metric|lowest_price)|not with ("crosses"|data_age)|no unit|no value in dollars',
    '"until": "recovered"',
    'as many times as|a recovery threshold strictly',
    'a number (above|below) .* for |under the line of|for dollars use|"above" for data_age',
    'a metric that|on whole contracts',
    'in place of "|by name in one request',
    // The form of a name does not exclude texts that look like an address, such as `0x0`.
    'a contract as <chain>:<address>',
    'a time zone such as|another time than "from"|leave some time of the week|another channel of the list',
    'each (rule|condition|channel|id)|watches \\(rules times',
  ].join('|'),
);

it('answers a HEAD as the GET of its path, without the body', async () => {
  const paths = Object.keys(OPERATIONS).flatMap((route) => {
    const [method, path = ''] = route.split(' ');
    return method === 'GET' ? [path.replace(/\{\w+\}/g, 'x')] : [];
  });
  for (const path of paths) {
    const headers = { 'X-API-Key': keyOf(TENANTS[0]) };
    const get = await http.ask({ method: 'GET', path, headers });
    const head = await http.ask({ method: 'HEAD', path, headers });

    expect([head.status, head.text], path).toEqual([get.status, '']);
    expect(Object.keys(head.headers), path).toContain('cache-control');
    expect(head.headers['content-type'], path).toBe(get.headers['content-type']);
    expect(http.takeFailures(), path).toEqual([]);
  }
});

async function converse(all: readonly Plan[]): Promise<void> {
  await http.restore(begun.items);
  const known = new Map<Tenant, Known>(
    TENANTS.map((tenant) => [tenant, knownFrom(begun.names[tenant])]),
  );
  for (const plan of all) {
    const names = known.get(plan.tenant) ?? new Map();
    const asking = requestOf(plan, names);
    const before = http.items();
    const answer = await http.ask(asking);
    count(plan.route, answer.status);
    const what = `${asking.method} ${asking.path.slice(0, 300)}: ${answer.status} ${answer.text.slice(0, 2000)}`;
    expectAnswer(answer, what);
    expectChanges(plan, asking, answer, changesBetween(before, http.items()), what);
    if (answer.status < 400) learn(names, answer);
  }
}

/** What is wrong, but with no member: a header, or what only the upstream knows. */
const ELSEWHERE = /^([A-Z][\w-]+: |the provider )/;

function expectAnswer({ status, headers, text }: Answer, what: string): void {
  expect(http.takeFailures(), what).toEqual([]);
  // What links of messages answer is for people.
  const isPage = headers['content-type'] === 'text/html; charset=utf-8';
  if (status >= 400 && !isPage) {
    expect(headers['content-type'], what).toBe('application/problem+json');
    const problem = Problem.parse(JSON.parse(text));
    expect(problem.status, what).toBe(status);
    // The document says where; and that it says `internal` of all is no leave.
    if (status >= 500) expect(problem.type, what).toMatch(/^urn:(?!.*:internal$)/);
    if (/:invalid_request$/.test(problem.type) && !ELSEWHERE.test(problem.detail)) {
      expect(problem.errors, what).toBeDefined();
    }
    for (const { pointer } of problem.errors ?? []) expect(pointer, what).toMatch(/^$|^[/?]/);
  }
  const shown = `${JSON.stringify(headers)} ${text}`;
  for (const secret of [...SECRETS, CHANNEL_KEY, UPSTREAM_KEY]) {
    expect(shown.includes(secret), what).toBe(false);
  }
  expect(shown, what).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d+/);
}

/** What counts and remembers requests, whatever comes of them. */
const ACCOUNTS = /^(USAGE#|UPSTREAM |ANSWER#)/;

function expectChanges(
  { tenant }: Plan,
  { method }: Asking,
  { status }: Answer,
  changed: readonly string[],
  what: string,
): void {
  const others = TENANTS.filter((other) => other !== tenant);
  const isOf = (owner: Tenant, path: string) => path.split(/[# ]/).includes(owner);
  // A list may be named like another tenant.
  const isForeign = (path: string) =>
    !isOf(tenant, path) && others.some((other) => isOf(other, path));
  expect(changed.filter(isForeign), what).toEqual([]);
  if (status < 400 && method !== 'GET') return;
  expect(
    changed.filter((path) => !ACCOUNTS.test(path)),
    what,
  ).toEqual([]);
}

/** Items are frozen, and another where anything about them is. */
function changesBetween(before: readonly Item[], after: readonly Item[]): readonly string[] {
  const [old, now] = [new Set(before), new Set(after)];
  const changed = [
    ...before.filter((item) => !now.has(item)),
    ...after.filter((item) => !old.has(item)),
  ];
  return changed.map(({ pk, sk }) => `${pk} ${sk}`);
}

function count(route: string, status: number): void {
  const counts = answered.get(route) ?? new Map<number, number>();
  counts.set(status, (counts.get(status) ?? 0) + 1);
  answered.set(route, counts);
}

function report(): void {
  const lines = [...answered].map(([route, counts]) => {
    const shown = [...counts].toSorted(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
    return `${route}  ${shown.join(', ')}`;
  });
  if (FUZZ_REPORT) process.stdout.write(`${lines.toSorted().join('\n')}\n`);
}
