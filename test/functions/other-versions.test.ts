import { isDeepStrictEqual } from 'node:util';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { manageWatchlists } from '#functions/serve-api/watchlists/routes.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import type { Item } from '#shared/stores/table.ts';
import { APES, anHttpRequest, PUNKS } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';
import { puttingInto } from '#test/support/putting.ts';
import { createWorld, type World } from '#test/support/world.ts';

const LIST = '/v1/watchlists/{watchlist}';
const ANY = { headers: { 'If-Match': '*' } };
const low = {
  id: 'low',
  metric: 'floor_price',
  when: 'below',
  threshold: '60',
  outliers: 'take',
} as const;
const high = {
  id: 'high',
  metric: 'floor_price',
  when: 'above',
  threshold: '80',
  outliers: 'take',
} as const;
const dip = {
  id: 'dip',
  metric: 'floor_price',
  when: 'below',
  threshold: '50',
  outliers: 'take',
} as const;
const desk = { id: 'desk', kind: 'email', to: 'desk@example.com' } as const;
const team = {
  id: 'team',
  kind: 'slack',
  url: 'https://hooks.slack.com/services/T000/B000/mine',
} as const;
/** A list whose rule `low` fires below 60. */
const MINE = {
  id: 'mine',
  name: 'Mine',
  contracts: [PUNKS, { contract: APES, name: 'Apes' }],
  rules: [low, high],
  channels: [desk, team],
};

function floorIs(world: World, price: string): void {
  const time = world.now();
  const value = [{ time, price: parseDecimal(price) ?? 0n, currency: 'eth', marketplaces: [] }];
  world.answers.floor = () => ({ kind: 'ok', value });
}

async function ticks(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

/** Sends requests over HTTP, and checks each answer against the OpenAPI document. */
function asking({ ports: { manage } }: World) {
  const log = { info: () => undefined, error: () => undefined };
  const handler = documented(
    middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(answersProblems(log))
      .handler((event) => manageWatchlists(manage, event, new AbortController().signal)),
  );
  return async (route: string, given: Parameters<typeof anHttpRequest>[1] = {}) => {
    const event = anHttpRequest(route, { path: { watchlist: 'mine' }, ...given });
    const { statusCode: status, body } = await handler(event, {} as Context);
    return { status, body: body === '' ? undefined : JSON.parse(body) };
  };
}

/** A world in which the rule `low` of the lists `mine` and `other` has fired. */
async function fired() {
  const world = createWorld({ cadenceMinutes: 1 });
  floorIs(world, '65');
  await world.putList(MINE);
  await world.putList({ ...MINE, id: 'other', name: 'Other' });
  await ticks(world, 3);
  floorIs(world, '59');
  await ticks(world, 3);
  return { world, ask: asking(world) };
}

/** Writes items as another version would. */
async function rewrite(world: World, change: (item: Item) => object | undefined): Promise<number> {
  const changed = world.table.items().flatMap((item) => {
    const other = change(item);
    return other === undefined ? [] : [{ ...item, ...other }];
  });
  for (const item of changed) await world.table.put(item);
  return changed.length;
}

const isMine = ({ pk, sk }: Item) => pk === 'TENANT#acme' && sk === 'LIST#mine';
const rewriteMine = (world: World, change: (item: Item) => object) =>
  rewrite(world, (item) => (isMine(item) ? change(item) : undefined));

const withRule = (item: Item, given: object) => ({
  rules: (item.rules as readonly { id: string }[]).map((rule) =>
    rule.id === 'high' ? { ...rule, ...given } : rule,
  ),
});

/** Changes that another version may have made to the list `mine`, with the reported reason. */
const UNREADABLE: readonly (readonly [
  what: string,
  change: (item: Item) => object,
  reason: string,
])[] = [
  [
    'an additional member in a rule',
    (item) => withRule(item, { onlyWhen: '1' }),
    'unknown member "rules.1.onlyWhen"',
  ],
  [
    'an unknown value of an enum',
    (item) => withRule(item, { severity: 'fatal' }),
    'unexpected value of "rules.1.severity"',
  ],
  ['a missing member', () => ({ name: undefined }), 'unexpected value of "name"'],
  [
    'a channel of an unknown kind',
    (item) => ({
      channels: [...(item.channels as readonly object[]), { id: 'x', kind: 'fax', to: '1' }],
    }),
    'unexpected value of "channels.2.kind"',
  ],
  [
    'contracts in another attribute',
    ({ members }) => ({ members: undefined, contracts: members }),
    'unexpected value of "members"',
  ],
];

const isOfMine = ({ pk, sk }: Item) =>
  (pk.startsWith('WATCHES#') && sk.startsWith('acme#mine#')) || pk.startsWith('JOBS#acme#mine');

/**
 * The topic job remains as long as its topic, and the records of applied contracts remain for a
 * day.
 */
const stays = ({ sk }: Item) => sk === 'topic' || sk.startsWith('applied#');

describe.each(UNREADABLE)('a watchlist that another version has written with %s', (...given) => {
  const [, change, reason] = given;
  const unreadable = [{ kind: 'watchlist', id: 'mine', reason }];

  it('a page of lists omits an unreadable list, names it as unreadable, and returns all others', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, change);

    const { body: lists } = await ask('GET /v1/watchlists', { path: {} });
    const { body: alerts } = await ask('GET /v1/alerts', { path: {} });
    const { body: changes } = await ask('GET /v1/changes', { path: {} });
    const { body: usage } = await ask('GET /v1/usage', { path: {} });

    expect(lists.watchlists).toMatchObject([{ id: 'other' }]);
    expect(lists.unreadable).toEqual(unreadable);
    const sent = alerts.alerts.map((alert: { watchlist: string }) => alert.watchlist);
    expect(sent.toSorted()).toEqual(['mine', 'mine', 'other', 'other']);
    expect(changes.changes).toHaveLength(2);
    expect(usage.watchlists.used).toBe(2);
  });

  it('a request for an unreadable list returns a problem that explains how to replace the list', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, change);
    const reads = [`GET ${LIST}`, `GET ${LIST}/watches`, `GET ${LIST}/rules`, `GET ${LIST}/alerts`];

    for (const route of reads) {
      const { status, body } = await ask(route);
      expect([status, body.type]).toEqual([409, 'urn:floorwatch:problem:unreadable']);
      expect(body.detail).toContain(reason);
      expect(body.detail).toContain('If-Match: *');
    }
    const made = await ask('POST /v1/watchlists', { path: {}, body: MINE });
    const put = await ask(`PUT ${LIST}`, { body: MINE });
    expect([made.body.type, put.body.type]).toEqual([
      'urn:floorwatch:problem:unreadable',
      'urn:floorwatch:problem:precondition_required',
    ]);
  });

  it('an unreadable list stops neither polls nor alerts of other lists', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, change);
    world.published.length = 0;

    floorIs(world, '85');
    await ticks(world, 4);
    const whileUnreadable = world.published.map(({ alert }) => alert.watchlist);
    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, rules: [low] } });
    await ticks(world, 4);

    expect([...new Set(whileUnreadable)]).toEqual(['other']);
    const reports = world.reports.filter(({ event }) => event === 'watch_evaluation_failed');
    expect(reports.length).toBeGreaterThan(0);
    expect(world.queues.lists.waiting).toEqual([]);
  });

  it('an unreadable list does not stop the evaluation of another list with the same new contract', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    await world.putList(MINE);
    await world.putList({ ...MINE, id: 'other', name: 'Other' });
    await world.tick();
    await rewriteMine(world, change);

    floorIs(world, '59');
    await ticks(world, 3);

    const said = world.published.map(({ alert }) => `${alert.watchlist} ${alert.kind}`);
    expect(new Set(said)).toEqual(new Set(['other fired']));
    expect(world.reports.map(({ event }) => event)).toContain('watch_evaluation_failed');
  });

  it('an unreadable list still counts towards the limits of its tenant', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, change);
    const quotaUsage = createQuotaUsageStore(world.table);
    const held = await quotaUsage.get('acme');
    const lists = held.lists.map((one) =>
      one.list === 'mine' ? { ...one, contracts: LIMITS.tenant.contracts - 2 } : one,
    );
    await puttingInto(world.table).quotaUsage({ ...held, lists });

    const { body } = await ask('POST /v1/watchlists', { path: {}, body: { ...MINE, id: 'more' } });

    expect(body.type).toBe('urn:floorwatch:problem:quota_exceeded');
  });

  it('DELETE removes an unreadable list with its watches and its quota usage', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, change);

    const { status } = await ask(`DELETE ${LIST}`, ANY);
    await ticks(world, 4);

    expect(status).toBe(204);
    const left = world.table.items().filter((item) => isOfMine(item) && !stays(item));
    expect(left).toEqual([]);
    expect((await ask('GET /v1/watchlists', { path: {} })).body.unreadable).toEqual([]);
    const { lists } = await createQuotaUsageStore(world.table).get('acme');
    expect(lists.map(({ list }) => list)).toEqual(['other']);
  });

  it('PUT replaces an unreadable list, after which only the new body is watched', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, change);
    const body = { ...MINE, contracts: [PUNKS], rules: [low, dip] };

    const { status } = await ask(`PUT ${LIST}`, { ...ANY, body });
    await ticks(world, 4);

    const { body: watches } = await ask(`GET ${LIST}/watches`);
    const sent = watches.watches.map((one: { contract: string; rule: string; state: string }) => [
      one.contract,
      one.rule,
      one.state,
    ]);
    expect(status).toBe(200);
    expect(sent.toSorted()).toEqual([
      [PUNKS, 'dip', 'ok'],
      [PUNKS, 'low', 'firing'],
    ]);
    const ofMine = world.table.items().filter(isOfMine);
    expect(ofMine.filter(({ pk }) => pk.startsWith('WATCHES#'))).toHaveLength(2);
    expect(await ask(`GET ${LIST}`)).toMatchObject({ body: { name: 'Mine', pendingChanges: 0 } });
    const { lists } = await createQuotaUsageStore(world.table).get('acme');
    expect(lists.find(({ list }) => list === 'mine')).toMatchObject({ contracts: 1, watches: 2 });
  });
});

describe('a PUT over an unreadable list', () => {
  it.each(UNREADABLE.slice(0, 4))(
    'a PUT over an unreadable list has the same effects as over a readable one: %s',
    async (_what, change) => {
      const [whole, broken] = [await fired(), await fired()];
      await rewriteMine(broken.world, change);
      const ends = [];
      for (const { world, ask } of [whole, broken]) {
        const { status } = await ask(`PUT ${LIST}`, {
          ...ANY,
          body: { ...MINE, rules: [low, dip], channels: [desk, { ...team, url: secretOf(world) }] },
        });
        floorIs(world, '49');
        await ticks(world, 4);
        const held = await createQuotaUsageStore(world.table).get('acme');
        ends.push({
          status,
          held: new Map(
            held.lists.map(({ list, contracts, watches }) => [list, { contracts, watches }]),
          ),
          items: world.table.items().filter((item) => isOfMine(item) && !stays(item)),
          ...published(world),
        });
      }

      expect(ends[1]).toEqual(ends[0]);
    },
  );

  it('a PUT over an unreadable list frees the quota of removed parts, and updates the topic', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, (item) => ({
      ...withRule(item, { onlyWhen: '1' }),
      channels: [...(item.channels as readonly object[]), { id: 'x', kind: 'fax', to: '1' }],
    }));
    const channels = [desk, { ...team, url: secretOf(world) }];

    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, rules: [low], channels } });

    const { lists } = await createQuotaUsageStore(world.table).get('acme');
    expect(lists.find(({ list }) => list === 'mine')).toMatchObject({ contracts: 2, watches: 2 });
    expect(world.table.items().find(({ sk }) => sk === 'topic')).toMatchObject({ revision: 2 });
  });

  it('a PUT over an unreadable list removes attributes that another version would read', async () => {
    const { world, ask } = await fired();
    await rewriteMine(world, ({ members }) => ({ members: undefined, contracts: members }));

    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, contracts: [PUNKS] } });

    const item = world.table.items().find(isMine);
    expect(item).toMatchObject({ members: [{ contract: PUNKS }] });
    expect(item).not.toHaveProperty('contracts');
  });
});

/** The name of the secret that the channel `team` has. */
function secretOf(world: World): string {
  const channels = world.table.items().find(isMine)?.channels as readonly {
    id: string;
    url?: { hash: string };
  }[];
  return `kept:${channels.find(({ id }) => id === 'team')?.url?.hash}`;
}

function published({ published: all }: World) {
  return {
    published: all.map(({ destinationId, alert }) => [destinationId, alert.kind, alert.rule]),
  };
}

describe('a watch that another version has written', () => {
  const ofLow = ({ pk, sk }: Item) => pk === `WATCHES#${PUNKS}` && sk === 'acme#mine#low';
  const dozing = (world: World) =>
    rewrite(world, (item) => (ofLow(item) ? { state: 'dozing' } : undefined));

  it('an unreadable watch is reported, and blocks neither edits nor other watches of its contract', async () => {
    const { world, ask } = await fired();
    await dozing(world);
    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, rules: [low, high, dip] } });
    await ask(`PUT ${LIST}`, {
      ...{ ...ANY, path: { watchlist: 'other' } },
      body: { ...MINE, id: 'other', rules: [low, dip] },
    });
    world.published.length = 0;

    floorIs(world, '49');
    await ticks(world, 4);

    const { body } = await ask(`GET ${LIST}/watches`);
    expect(body.unreadable).toEqual([
      { kind: 'watch', id: `${PUNKS}/low`, reason: 'unexpected value of "state"' },
    ]);
    const fallen = world.published.filter(({ alert }) => alert.rule === 'dip');
    expect(new Set(fallen.map(({ alert }) => `${alert.watchlist} ${alert.contract}`)).size).toBe(4);
    expect((await ask(`GET ${LIST}`)).body.pendingChanges).toBe(0);
    expect(world.table.items().find(ofLow)).toMatchObject({ state: 'dozing' });
  });

  it('an unreadable watch restarts when its rule is paused and resumed, and is deleted with its rule', async () => {
    const { world, ask } = await fired();
    await dozing(world);
    const paused = { ...low, enabled: false };
    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, rules: [paused, high] } });
    await ticks(world, 2);
    await ask(`PUT ${LIST}`, { ...ANY, body: MINE });
    await ticks(world, 2);

    expect(world.table.items().find(ofLow)).toMatchObject({ state: 'firing' });
    await dozing(world);
    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, rules: [high] } });
    await ticks(world, 2);
    expect(world.table.items().find(ofLow)).toBeUndefined();
  });

  it('an unreadable watch is not changed by a stale worker that applies an earlier version of the list', async () => {
    const { world, ask } = await fired();
    const before = await world.stores.watchlists.get({ tenant: 'acme', id: 'mine' });
    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, rules: [{ ...low, threshold: '61' }] } });
    await ticks(world, 2);
    await dozing(world);

    const stale = { ...world.runContractsPorts(), getWatchlist: async () => before };
    const apply = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;
    await runContracts(stale, apply);

    expect(world.table.items().find(ofLow)).toMatchObject({ state: 'dozing', generation: 2 });
  });

  it('a contract with an unreadable watch keeps the threshold index that the watch may need', async () => {
    const { world, ask } = await fired();
    const usd = { ...high, id: 'usd', metric: 'floor_price_usd' };
    await ask(`PUT ${LIST}`, { ...ANY, body: { ...MINE, contracts: [PUNKS], rules: [usd] } });
    await ticks(world, 2);
    await rewrite(world, ({ pk, sk }) =>
      pk === `WATCHES#${PUNKS}` && sk === 'acme#mine#usd' ? { state: 'dozing' } : undefined,
    );

    await ask(`PUT ${LIST}`, {
      ...{ ...ANY, path: { watchlist: 'other' } },
      body: { ...MINE, id: 'other', rules: [low, dip] },
    });
    await ticks(world, 2);

    const record = await world.stores.contracts.get(PUNKS);
    expect(record?.thresholdIndexes.map(({ metric }) => metric)).toContain('floor_price_usd');
  });
});

/**
 * The kinds of items that are rewritten after a read. Attributes of another version must remain.
 */
const KEPT: readonly (readonly [kind: string, is: (item: Item) => boolean])[] = [
  ['watchlist', isMine],
  ['watch', ({ pk, sk }) => pk === `WATCHES#${PUNKS}` && sk === 'acme#mine#low'],
  ['contract', ({ pk, sk }) => pk.startsWith('CONTRACTS#') && sk === PUNKS],
  ['channel', ({ sk }) => sk === 'CHANNEL#mine#desk'],
  ['quotaUsage', ({ sk }) => sk === 'QUOTA'],
  ['mutes', ({ sk }) => sk === 'MUTES#mine'],
  ['acknowledgement', ({ sk }) => sk.startsWith(`ACK#mine#${PUNKS}#high`)],
  ['progress', ({ pk, sk }) => pk === 'DISPATCH#0' && sk === 'PROGRESS'],
];

describe('items with an attribute of a later version', () => {
  it('items with an attribute of a later version behave the same, and a rewrite keeps the attribute', async () => {
    const worlds = [await fired(), await fired()];
    const ends = [];
    for (const [index, { world, ask }] of worlds.entries()) {
      world.answers.channel = (destinationId) =>
        destinationId === 'desk' ? { kind: 'failed', reason: 'timeout' } : { kind: 'sent' };
      floorIs(world, '81');
      await ticks(world, 2);
      await world.mute('mine', 1, { id: 'short' });
      await world.acknowledge('mine', 'high', PUNKS);
      await ticks(world, 2);
      if (index === 1) await rewrite(world, (item) => ({ later: { with: item } }));

      await ask(`PUT ${LIST}`, {
        ...ANY,
        body: { ...MINE, name: 'Mine still', rules: [low, high, dip] },
      });
      await world.mute('mine', 1, { id: 'another' });
      const { alerts } = (
        await ask(`GET ${LIST}/alerts`, {
          query: { contract: PUNKS, kind: 'fired' },
        })
      ).body;
      const path = { watchlist: 'mine', alert: alerts[0].self.split('/').at(-1) };
      await ask(`POST ${LIST}/alerts/{alert}/acknowledge`, { path, body: { note: 'ours' } });
      floorIs(world, '49');
      await ticks(world, 3);
      world.answers.channel = () => ({ kind: 'sent' });
      floorIs(world, '65');
      await ticks(world, 10);
      ends.push({ ...published(world), world });
    }
    const [plain, later] = ends;

    expect(later?.published).toEqual(plain?.published);
    const after = later?.world.table.items() ?? [];
    for (const [kind, is] of KEPT) {
      const rewritten = after.filter(is).filter(({ later: before, ...now }) => {
        return before !== undefined && !isDeepStrictEqual(now, (before as { with: Item }).with);
      });
      expect(rewritten.length, kind).toBeGreaterThan(0);
    }
  });
});
