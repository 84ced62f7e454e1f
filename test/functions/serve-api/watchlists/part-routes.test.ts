import { describe, expect, it } from 'vitest';
import { hashOfSecret } from '#shared/domain/channels/channel-secret.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { APES, aRuleBody, aWatchlistBody, NOON, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const DESK = { id: 'desk', kind: 'email', to: 'desk@example.com' };
const SLACK = 'https://hooks.slack.com/services/T0/B0/s3cret';
const at = (path: object) => ({ path: { watchlist: 'punks', ...path } });
/** A contract on a chain without floors, as a JSON body. */
const WITHOUT_FLOORS = JSON.stringify(`flow:0x${'1'.repeat(40)}`);

async function withList(given: object = {}) {
  const made = world();
  await made.ask('POST', { body: aWatchlistBody({ channels: [DESK], ...given }) });
  made.sent.length = 0;
  return made;
}

describe.each([
  {
    ...{ one: 'contract', all: 'contracts', known: PUNKS, name: APES },
    ...{ added: { contract: APES }, put: { name: 'Apes' } },
    answered: [{ contract: APES }, { contract: APES, name: 'Apes' }],
    differing: (index: number): object => ({ name: `${index}` }),
  },
  {
    ...{ one: 'rule', all: 'rules', known: 'floor-60', name: 'low' },
    ...{ added: aRuleBody({ id: 'low', threshold: '50' }), put: aRuleBody({ threshold: '40' }) },
    answered: [
      { id: 'low', threshold: '50' },
      { id: 'low', threshold: '40', on: '*' },
    ],
    differing: (index: number) => ({ label: `${index}` }),
  },
  {
    ...{ one: 'channel', all: 'channels', known: 'desk', name: 'team' },
    ...{ added: { ...DESK, id: 'team' }, put: { id: 'team', kind: 'slack', url: SLACK } },
    differing: (index: number) => ({ url: `${SLACK}${index}` }),
    answered: [
      { ...DESK, id: 'team' },
      { kind: 'slack', url: `kept:${hashOfSecret(SLACK)}` },
    ],
  },
])('$all of a list', ({ one, all, known, name, added, put, answered, differing }) => {
  const path = `punks/${all}/{${one}}`;
  const unnamed = omit({ id: '', ...put }, 'id');

  it('parts of a list are added, replaced and deleted one at a time, as changes of the list', async () => {
    const { ask } = await withList();

    const made = await ask(`POST punks/${all}`, { body: added });
    const changed = await ask(`PUT ${path}`, {
      ...at({ [one]: name }),
      headers: { 'If-Match': String(made.headers.ETag) },
      body: unnamed,
    });
    const list = (await ask('GET punks')).body;
    const removed = await ask(`DELETE ${path}`, { ...at({ [one]: name }), ...ANY });

    expect([made.status, made.headers]).toMatchObject([
      201,
      { ETag: '"2"', Location: `/test/v1/watchlists/punks/${all}/${name}` },
    ]);
    expect(made.body).toMatchObject({
      [one]: answered[0],
      revision: 2,
      pendingChanges: expect.any(Number),
    });
    expect([changed.status, changed.headers.ETag]).toEqual([200, '"3"']);
    expect(changed.body).toMatchObject({ [one]: answered[1], revision: 3 });
    expect(list).toMatchObject({ revision: 3, [all]: [expect.anything(), answered[1]] });
    expect(removed).toMatchObject({ status: 204, body: undefined });
    expect((await ask('GET punks')).body).toMatchObject({ revision: 4, [all]: [{}] });
  });

  it('a PUT of one part has the same effects as a PUT of the whole list', async () => {
    const [byPart, byList] = [await withList(), await withList()];

    await byPart.ask(`PUT ${path}`, { ...at({ [one]: name }), body: added });
    const { body } = await byList.ask('GET punks');
    const document = { name: body.name, contracts: body.contracts, rules: body.rules };
    await byList.ask('PUT punks', {
      ...ANY,
      body: { ...document, channels: body.channels, [all]: [...body[all], added] },
    });

    expect(byPart.table.items()).toEqual(byList.table.items());
    expect(byPart.sent).toEqual(byList.sent);
    expect(byPart.sent.length).toBeGreaterThan(0);
  });

  it('a PUT creates a missing part, and repeating it changes nothing', async () => {
    const { ask, table } = await withList();

    const made = await ask(`PUT ${path}`, { ...at({ [one]: name }), body: unnamed });
    const before = table.items();
    const again = await ask(`PUT ${path}`, { ...at({ [one]: name }), ...ANY, body: unnamed });

    expect([made.status, again.status, again.headers.ETag]).toEqual([201, 200, '"2"']);
    expect(table.items()).toEqual(before);
  });

  it('concurrent changes of different parts are all kept', async () => {
    const { ask } = await withList();
    const names =
      one === 'contract'
        ? Array.from({ length: 12 }, (_, n) => `eth:0x${n.toString(16).padStart(40, '0')}`)
        : Array.from({ length: 12 }, (_, n) => `part-${n}`);

    const answers = await Promise.all([
      ...names.map((each) => ask(`PUT ${path}`, { ...at({ [one]: each }), body: unnamed })),
      ask(`DELETE ${path}`, { ...at({ [one]: known }), ...ANY }),
    ]);

    const { body } = await ask('GET punks');
    const left = body[all].map(
      (part: { id?: string; contract?: string }) => part.contract ?? part.id,
    );
    expect(answers.map(({ status }) => status)).toEqual([...names.map(() => 201), 204]);
    expect(left.toSorted()).toEqual(names.toSorted());
    expect(body.revision).toBe(14);
  });

  it('only one of several concurrent writers with the same If-Match succeeds', async () => {
    const { ask } = await withList();
    const headers = { 'If-Match': '"1"' };

    const answers = await Promise.all(
      [0, 1, 2].map((index) =>
        ask(`PUT ${path}`, {
          ...at({ [one]: known }),
          headers,
          body: { ...unnamed, ...differing(index) },
        }),
      ),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
    expect((await ask('GET punks')).body.revision).toBe(2);
  });

  it('parts of a list are invisible to other tenants, and read-only for a key with the scope read', async () => {
    const { ask, table } = await withList();
    await ask('POST', { body: aWatchlistBody({ id: 'theirs' }), tenant: 'umbrella' });
    const before = table.items();
    const statuses: number[] = [];
    for (const [request, body] of [
      [`POST punks/${all}`, added],
      [`PUT ${path}`, unnamed],
      [`DELETE ${path}`, undefined],
    ] as const) {
      const theirs = { path: { watchlist: 'theirs', [one]: known } };
      statuses.push((await ask(request, { ...ANY, body, ...theirs })).status);
      const mine = at({ [one]: known });
      statuses.push((await ask(request, { ...ANY, body, ...mine, scopes: 'read' })).status);
    }

    expect(statuses).toEqual([404, 403, 404, 403, 404, 403]);
    expect(table.items()).toEqual(before);
  });
});

it('all parts of a kind are returned with the revision of their list', async () => {
  const { ask } = await withList();

  const answered = [await ask('GET punks/contracts'), await ask('GET punks/rules')];
  const one = [
    await ask(
      'GET punks/contracts/{contract}',
      at({ contract: PUNKS.toUpperCase().replace('ETH', 'eth').replace('0X', '0x') }),
    ),
    await ask('GET punks/rules/{rule}', at({ rule: 'floor-60' })),
  ];

  expect(answered.map(({ body }) => body)).toMatchObject([
    { contracts: [{ contract: PUNKS }], revision: 1, pendingChanges: 1 },
    { rules: [{ id: 'floor-60' }], revision: 1, pendingChanges: 1 },
  ]);
  expect(one.map(({ body }) => body)).toMatchObject([
    { contract: { contract: PUNKS }, revision: 1, pendingChanges: 1 },
    { rule: { id: 'floor-60', on: '*' }, revision: 1, pendingChanges: 1 },
  ]);
  expect(one.map(({ headers }) => headers.ETag)).toEqual([
    expect.stringMatching(/^"1\./),
    expect.stringMatching(/^"1\./),
  ]);
});

it('a part without an id receives a generated id', async () => {
  const { ask } = await withList();
  const rule = omit(aRuleBody(), 'id');
  const channel = omit(DESK, 'id');

  const made = [
    await ask('POST punks/rules', { body: rule }),
    await ask('POST punks/rules', { body: rule }),
    await ask('POST punks/channels', { body: channel }),
  ];

  const paths = made.map(({ headers }) => headers.Location);
  expect(new Set(paths).size).toBe(3);
  expect(paths).toEqual([
    expect.stringMatching(/rules\/rule-\w+$/),
    expect.stringMatching(/rules\/rule-\w+$/),
    expect.stringMatching(/channels\/channel-\w+$/),
  ]);
});

it('the secret of a channel is kept when another part changes', async () => {
  const { ask, watchlists } = await withList();
  const team = { kind: 'slack', url: SLACK };
  await ask('PUT punks/channels/{channel}', { ...at({ channel: 'team' }), body: team });
  const before = (await watchlists.get({ tenant: 'acme', id: 'punks' }))?.channels;

  const answered = await ask('PUT punks/rules/{rule}', {
    ...at({ rule: 'floor-60' }),
    ...ANY,
    body: aRuleBody({ threshold: '1', recover: '2' }),
  });

  const list = await watchlists.get({ tenant: 'acme', id: 'punks' });
  expect([answered.status, answered.body.restarted]).toEqual([200, ['floor-60']]);
  expect([list?.revision, list?.channels]).toEqual([3, before]);
  expect(JSON.stringify(answered.body)).not.toContain('s3cret');
});

describe('a refused change of a part', () => {
  const rule = (given: object = {}) => ({ body: aRuleBody(given) });
  const full = {
    rules: [aRuleBody(), aRuleBody({ id: 'on-punks', on: PUNKS })],
  };
  it.each<[request: string, status: number, at: string | undefined, path: object, given: object]>([
    ['POST punks/rules', 400, '/threshold', {}, rule({ id: 'x', threshold: 'cheap' })],
    ['POST punks/rules', 400, '/on', {}, rule({ id: 'x', on: APES })],
    ['POST punks/rules', 400, '/expiresAt', {}, rule({ id: 'x', expiresAt: formatInstant(NOON) })],
    ['POST punks/rules', 409, '/id', {}, rule()],
    [
      'POST punks/rules',
      412,
      undefined,
      {},
      { ...rule({ id: 'x' }), headers: { 'If-Match': '"9"' } },
    ],
    ['PUT punks/rules/{rule}', 400, '/id', { rule: 'x' }, rule()],
    ['PUT punks/rules/{rule}', 400, '/rule', { rule: 'X' }, rule({ id: undefined })],
    ['PUT punks/rules/{rule}', 428, undefined, { rule: 'floor-60' }, rule()],
    ['PUT punks/rules/{rule}', 412, undefined, { rule: 'x' }, { ...rule({ id: 'x' }), ...ANY }],
    [
      'PUT punks/rules/{rule}',
      412,
      undefined,
      { rule: 'floor-60' },
      { ...rule(), headers: { 'If-None-Match': '*' } },
    ],
    ['DELETE punks/rules/{rule}', 428, undefined, { rule: 'floor-60' }, {}],
    ['DELETE punks/rules/{rule}', 404, undefined, { rule: 'x' }, ANY],
    ['GET punks/rules/{rule}', 404, undefined, { rule: 'x' }, {}],
    ['GET punks/contracts/{contract}', 404, undefined, { contract: 'x' }, {}],
    ['POST punks/contracts', 409, '/contract', {}, { body: JSON.stringify(PUNKS) }],
    ['POST punks/contracts', 400, '', {}, { body: '"eth:0x12"' }],
    ['POST punks/contracts', 400, '', {}, { body: WITHOUT_FLOORS }],
    [
      'PUT punks/contracts/{contract}',
      400,
      '/contract',
      { contract: APES },
      { body: { contract: PUNKS } },
    ],
    ['PUT punks/contracts/{contract}', 400, '/contract', { contract: 'eth:0' }, { body: {} }],
    ['DELETE punks/contracts/{contract}', 409, undefined, { contract: PUNKS }, ANY],
    ['DELETE punks/contracts/{contract}', 404, undefined, { contract: 'eth:0' }, ANY],
    ['POST punks/channels', 400, '/kind', {}, { body: { kind: 'fax' } }],
    ['POST punks/channels', 400, '/url', {}, { body: { kind: 'slack', url: 'kept:01234567' } }],
    ['PUT punks/channels/{channel}', 428, undefined, { channel: 'desk' }, { body: DESK }],
  ])(
    '%s returns %d (error at %s) and changes nothing',
    async (request, status, pointer, path, given) => {
      const { ask, table, sent } = await withList(full);
      const before = table.items();

      const answer = await ask(request, { ...at(path), ...given });

      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      expect(answer.body.errors?.map((issue: { pointer: string }) => issue.pointer)).toEqual(
        pointer === undefined ? undefined : [pointer],
      );
      expect(table.items()).toEqual(before);
      expect(sent).toEqual([]);
    },
  );

  it('a part that makes another part of the list invalid is refused, with an error that names the other part', async () => {
    const { ask } = await withList();

    const answer = await ask('POST punks/contracts', { body: WITHOUT_FLOORS });

    expect(answer.body.errors).toEqual([
      {
        pointer: '',
        detail: expect.stringMatching(
          /^the change would make the list invalid at \/rules\/0\/metric: expected a metric/,
        ),
      },
    ]);
  });

  it('a change of a part returns 409 if other writers repeatedly change the list first', async () => {
    const { ask, ports, watchlists } = await withList();
    const others = world({
      ...ports,
      commitChange: async (change) => {
        const known = change.list && (await watchlists.get(change.list));
        if (known !== undefined) await watchlists.put({ ...known, revision: known.revision + 1 });
        await ports.commitChange(change);
      },
    });

    const answer = await others.ask('POST punks/contracts', { body: JSON.stringify(APES) });

    expect([answer.status, answer.body.type]).toEqual([409, 'urn:floorwatch:problem:conflict']);
    expect((await ask('GET punks')).body.contracts).toHaveLength(1);
  });
});
