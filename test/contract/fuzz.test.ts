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
 * Random valid and invalid requests to the whole API, generated from the OpenAPI document. A
 * failing sequence is shrunk; `FUZZ_SEED` repeats it. `FUZZ_REQUESTS` sets the number of requests.
 */
// biome-ignore lint/style/noProcessEnv: `.ci/run` tries other seeds, and a failure is repeated
const { FUZZ_SEED = '6', FUZZ_REQUESTS = '1000', FUZZ_REPORT } = process.env;
const SEED = Number(FUZZ_SEED);
const REQUESTS = Number(FUZZ_REQUESTS);
/**
 * The maximum number of requests in one sequence. Each sequence starts with the same three tenants.
 */
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

it(`the API answers ${REQUESTS} requests of seed ${SEED} as documented, and rejected requests change nothing`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plans(), { minLength: 1, maxLength: MOST_REQUESTS }), converse),
    { seed: SEED, numRuns: REQUESTS / MEAN_REQUESTS },
  );
}, 3_600_000);

it(`the API rejects documented requests only for reasons that no schema can express (${REQUESTS} requests)`, async () => {
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

/**
 * Reasons about two members, about stored resources, or about values that only earlier answers
 * contain.
 */
const BETWEEN_MEMBERS = new RegExp(
  [
    'traits after the contract|an earlier response|for the current revision of the watchlist|as in the path, or no |the provider rejected|expected UTF-8',
    'each contract at most once|of this list|of this channel|the list has no channel|there is no contact point|that no other |the full secret: channel|the change would make the list invalid',
    'not allowed with "from"|either "until"|before "from"|in the future|has passed|to come|the end of the span|an upper edge above',
    'only with (a metric|lowest_price)|not allowed with ("crosses"|data_age)|no unit|no value in dollars',
    '"until": "recovered"',
    'a contract with a "?cost"?[ :,]|, the currency of|no cost, because the contract',
    'that are compared|not allowed with "of"|other contracts without traits|members of the list, too',
    'at most 5 contracts|the whole list|of the list alone|with an "?amount"?|that holds at least one token|list holds tokens',
    'the value of a list|the floors from which it is computed',
    '"times" to be at most|a recovery threshold strictly',
    'a number (above|below) .* for |below the threshold, |for dollars use|"above" for data_age',
    'a metric that|for contracts without traits',
    'instead of "|by name in one request',
    // The schema pattern for names does not exclude texts that look like an address, such as `0x0`.
    'a contract as <chain>:<address>',
    'a time zone such as|a time other than "from"|do not cover the whole week|so that alerts can escalate',
    'each (rule|condition|channel|id)|watches \\(rules times',
  ].join('|'),
);

it('HEAD is answered like GET of the same path, without the body', async () => {
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

/** Errors that concern no member of the body: errors in a header, or reported by the upstream. */
const ELSEWHERE = /^([A-Z][\w-]+: |the provider )/;

function expectAnswer({ status, headers, text }: Answer, what: string): void {
  expect(http.takeFailures(), what).toEqual([]);
  // Links in messages are answered with HTML pages.
  const isPage = headers['content-type'] === 'text/html; charset=utf-8';
  if (status >= 400 && !isPage) {
    expect(headers['content-type'], what).toBe('application/problem+json');
    const problem = Problem.parse(JSON.parse(text));
    expect(problem.status, what).toBe(status);
    // The document lists the 5xx problems of each route. All routes list `internal`, which the test
    // does not accept.
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

/** Items that may change with any request, because they count requests or cache answers. */
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
  // A list may have the name of another tenant.
  const isForeign = (path: string) =>
    !isOf(tenant, path) && others.some((other) => isOf(other, path));
  expect(changed.filter(isForeign), what).toEqual([]);
  if (status < 400 && method !== 'GET') return;
  expect(
    changed.filter((path) => !ACCOUNTS.test(path)),
    what,
  ).toEqual([]);
}

/** Items are frozen, so a changed item is another object. */
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
