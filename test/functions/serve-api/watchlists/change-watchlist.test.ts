import { describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { generationOf, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { keyOfWrite, type Table } from '#shared/stores/table.ts';
import { APES, aRuleBody, aWatchlistBody, instant, NOON, PUNKS } from '#test/support/builders.ts';
import { ANY, AS_PROMISED, world } from './world.ts';

const id = { tenant: 'acme', id: 'punks' };
const LATER = '2028-01-01T00:00:00Z';
const END = '2027-01-01T00:00:00.000Z';
const both = aWatchlistBody({ contracts: [PUNKS, { contract: APES, name: 'Apes' }] });
const full = {
  ...both,
  rules: [
    aRuleBody({ label: 'Low', recover: '70', arm: 'cross', severity: 'critical', expiresAt: END }),
    aRuleBody({ id: 'sale', on: APES, metric: 'lowest_price', enabled: false }),
  ],
  channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
};
const generations = (list: Watchlist | undefined) =>
  list?.rules.flatMap((rule) => list.members.map((member) => generationOf(rule, member)));

describe('POST /v1/watchlists', () => {
  it('POST creates a watchlist, stores a job to apply it, and sends the message', async () => {
    const { ask, sent, jobs } = world();

    const { status, headers, body } = await ask('POST', { body: both });

    expect(status).toBe(201);
    expect(headers).toMatchObject({ ETag: '"1"', Location: '/test/v1/watchlists/punks' });
    expect(body).toEqual({
      id: 'punks',
      name: 'Punks',
      revision: 1,
      contracts: [{ contract: PUNKS }, { contract: APES, name: 'Apes' }],
      rules: [
        {
          ...aRuleBody(),
          on: '*',
          arm: 'level',
          outliers: 'confirm',
          severity: 'warning',
          notifyRecovery: true,
          enabled: true,
          repeat: 'every',
          noData: 'keep',
        },
      ],
      channels: [],
      mutes: [],
      restarted: [],
      forecast: {
        watches: [expect.anything(), expect.anything()],
        leftOut: 0,
        warnings: [],
        cadence: AS_PROMISED,
      },
      undeliverable: true,
      walletStatus: null,
      pendingChanges: 2,
      cadenceMinutes: 30,
      cadenceStretched: false,
    });
    expect(sent).toEqual(
      [PUNKS, APES].map((contract) => ({
        message: { kind: 'apply', contract, tenant: 'acme', list: 'punks' },
        deduplication: expect.stringMatching(new RegExp(`^acme punks \\d+ ${contract}$`)),
      })),
    );
    expect(await jobs.get(id, { kind: 'apply' })).toMatchObject({
      contracts: [PUNKS, APES],
      revision: 1,
      createdAt: NOON,
      dueAt: NOON + MINUTE,
    });
  });

  it.each([
    { name: 'My Cool Apes!', form: /^my-cool-apes-\w+$/ },
    { name: '¡Ñandú!', form: /^n-?andu-?-\w+$/ },
    { name: '猿', form: /^list-\w+$/ },
    { name: '-'.repeat(100), form: /^list-\w+$/ },
    { name: 'a'.repeat(100), form: /^a{30}-\w+$/ },
  ])(
    'POST derives an id from the name "$name", and a different id for each request',
    async ({ name, form }) => {
      const { ask } = world();

      const answers = [
        await ask('POST', { body: { name } }),
        await ask('POST', { body: { name } }),
      ];

      const [first, second] = answers.map(({ body }) => body.id);
      expect(first).toMatch(form);
      expect(second).not.toBe(first);
      expect((await ask(`GET ${first}`)).status).toBe(200);
    },
  );

  it("the response to POST reports the stretched cadence of the caller's tenant, not of another tenant", async () => {
    const { ask, cadences } = world();
    await cadences.noteCadences({
      ...NO_CADENCES,
      stretched: { acme: { minutes: 45 }, umbrella: { minutes: 90 } },
    });

    const { body } = await ask('POST', { body: both });

    expect(body).toMatchObject({ cadenceMinutes: 45, cadenceStretched: true });
  });
});

describe('a list with more contracts than the polls can cover', () => {
  const contractsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => `eth:0x${String(index + 1).padStart(40, '0')}`);
  const bodyWith = (count: number) => aWatchlistBody({ contracts: contractsOf(count) });

  async function aStack(capacity: number) {
    const made = world();
    await made.cadences.noteCadences({ ...NO_CADENCES, capacity, contracts: { others: 20 } });
    return made;
  }

  it.each([
    { count: 30, minutes: 30 },
    { count: 31, minutes: 60 },
    { count: 100, minutes: 120 },
  ])(
    'the response for a list of $count contracts has the expected cadence: $minutes minutes',
    async ({ count, minutes }) => {
      const { ask } = await aStack(50);

      const dry = await ask('PUT punks', { query: { dryRun: 'true' }, body: bodyWith(count) });
      const made = await ask('POST', { body: bodyWith(count) });
      const again = await ask('PUT punks', { ...ANY, body: bodyWith(count) });

      const cadence = { minutes, promisedMinutes: 30, contractsThatFit: 30 };
      expect([dry, made].map(({ body }) => body.forecast.cadence)).toEqual([cadence, cadence]);
      expect(again.status).toBe(200);
    },
  );

  it('a list whose contracts would be polled less than once a day is refused, and the error has the permitted number', async () => {
    const { ask } = await aStack(20);

    const made = await ask('POST', { body: bodyWith(481) });
    const less = await ask('POST', { body: bodyWith(480) });

    expect([made.status, made.body.type, made.body.detail]).toEqual([
      409,
      expect.stringContaining('quota'),
      'expected at most 480 contracts in a tenant, found 481: with more, each would be polled less than once a day',
    ]);
    expect(less.status).toBe(201);
  });

  it('a list beyond the capacity may still be edited, but must not grow', async () => {
    const { ask, cadences } = await aStack(50);
    await ask('POST', { body: bodyWith(100) });
    await cadences.noteCadences({ ...NO_CADENCES, capacity: 2, contracts: { others: 20 } });

    const renamed = await ask('PUT punks', { ...ANY, body: { ...bodyWith(100), name: 'Others' } });
    const grown = await ask('PUT punks', { ...ANY, body: bodyWith(101) });

    expect([renamed.status, grown.status]).toEqual([200, 409]);
  });
});

/** Whether an item is not an entry of the audit log. */
const isNoEntry = ({ pk }: { readonly pk: string }) => !pk.startsWith('CHANGES#');

describe('PUT /v1/watchlists/{watchlist}', () => {
  it.each([
    { edit: {}, revision: 1 },
    { edit: { name: 'Others' }, revision: 2 },
  ])(
    'a PUT with the edited body of a GET, without read-only members, changes only $edit',
    async ({ edit, revision }) => {
      const { ask, watchlists, sent, table } = world();
      await ask('POST', { body: full });
      const [before, items] = [await watchlists.get(id), table.items()];
      sent.length = 0;
      const reported = await ask('GET punks');
      const rest = omit(reported.body, 'revision', 'pendingChanges');
      const body = omit(
        rest,
        'cadenceMinutes',
        'cadenceStretched',
        'mutes',
        'undeliverable',
        'walletStatus',
      );
      const headers = { 'If-Match': String(reported.headers.ETag) };

      const put = await ask('PUT punks', { body: { ...body, ...edit }, headers });

      expect([put.status, put.headers.ETag]).toEqual([200, `"${revision}"`]);
      expect(put.body).toEqual({
        ...{ ...reported.body, ...edit, revision, restarted: [] },
        forecast: { watches: [], leftOut: 0, warnings: [], cadence: AS_PROMISED },
      });
      expect(await watchlists.get(id)).toEqual({
        ...before,
        ...edit,
        change: expect.any(String),
        revision,
      });
      expect(generations(await watchlists.get(id))).toEqual(generations(before));
      expect(sent).toEqual([]);
      expect(table.items().filter(isNoEntry).length).toBe(items.filter(isNoEntry).length);
      if (revision === 1) expect(table.items()).toEqual(items);
    },
  );

  it('PUT creates a list that does not exist', async () => {
    const { ask } = world();
    const body = omit(both, 'id');

    const { status, headers } = await ask('PUT new', { body });

    expect([status, headers.ETag]).toEqual([201, '"1"']);
    expect((await ask('GET new')).body.id).toBe('new');
  });

  it('PUT sends messages only for the contracts whose watches may change', async () => {
    const { ask, sent, jobs } = world();
    const { body: made } = await ask('POST', { body: aWatchlistBody() });
    const job = await jobs.get(id, { kind: 'apply' });
    if (job !== undefined) await jobs.settle(job);
    sent.length = 0;

    const { body } = await ask('PUT punks', { ...ANY, body: both });

    expect(sent).toMatchObject([{ message: { kind: 'apply', contract: APES } }]);
    expect([made.pendingChanges, body.pendingChanges]).toEqual([1, 1]);
  });

  it.each([
    { tag: '"1"', expected: [200, 204] },
    { tag: '*', expected: [200, 204] },
    { tag: '"1.a9-_"', expected: [200, 204] },
    { tag: '"7", "1"', expected: [200, 204] },
    { tag: '"2"', expected: [412, 412] },
    { tag: '1', expected: [400, 400] },
    { tag: 'W/"1"', expected: [412, 412] },
    { tag: '', expected: [400, 400] },
  ])(
    'PUT and DELETE with If-Match $tag at revision 1 return $expected',
    async ({ tag, expected }) => {
      const about = { body: both, headers: { 'if-match': tag } };
      const statuses: number[] = [];
      for (const method of ['PUT', 'DELETE']) {
        const { ask } = world();
        await ask('POST', { body: aWatchlistBody() });
        statuses.push((await ask(`${method} punks`, about)).status);
      }

      expect(statuses).toEqual(expected);
    },
  );

  it('PUT with If-Match creates nothing if the list does not exist', async () => {
    const { ask, table } = world();

    const { status, body } = await ask('PUT punks', { body: both, headers: { 'If-Match': '*' } });

    expect([status, body.detail]).toEqual([
      412,
      'the watchlist does not exist; omit If-Match to create it',
    ]);
    expect(table.items()).toEqual([]);
  });

  it.each<readonly [edit: string, rule: object, restarted: readonly string[]]>([
    ['a label', { label: 'Cheap' }, []],
    ['a severity', { severity: 'critical' }, []],
    ['another message frequency', { repeat: 'once', steps: '5' }, []],
    ['an expiry', { expiresAt: END }, []],
    ['a threshold', { threshold: '61' }, ['floor-60']],
    ['a pause', { enabled: false }, ['floor-60']],
    ['another id', { id: 'floor-61' }, []],
  ])('PUT with %s reports which rules restart: %j, %j', async (_edit, rule, restarted) => {
    const { ask } = world();
    const other = aRuleBody({ id: 'other' });
    await ask('POST', { body: aWatchlistBody({ rules: [aRuleBody(), other] }) });

    const { body } = await ask('PUT punks', {
      ...ANY,
      body: aWatchlistBody({ rules: [aRuleBody(rule), other] }),
    });

    expect(body.restarted).toEqual(restarted);
  });

  it('PUT returns 409 if another writer changed the list first', async () => {
    const { ask } = world({ commitChange: () => Promise.reject(new VersionConflictError('list')) });

    const { status, body } = await ask('PUT punks', { body: both });

    expect(status).toBe(409);
    expect(body.type).toBe('urn:floorwatch:problem:conflict');
  });
});

describe('DELETE /v1/watchlists/{watchlist}', () => {
  it('DELETE hides the list and removes its watches, and a new list of the same id continues the revisions', async () => {
    const { ask, sent, watchlists } = world();
    await ask('POST', { body: full });
    sent.length = 0;

    const removed = await ask('DELETE punks', ANY);

    expect(removed).toMatchObject({ status: 204, body: undefined });
    expect(sent.map(({ message }) => message)).toEqual([
      { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'punks' },
      { kind: 'apply', contract: APES, tenant: 'acme', list: 'punks' },
    ]);
    for (const request of ['GET punks', 'GET punks/watches', 'GET punks/alerts', 'DELETE punks']) {
      expect((await ask(request)).status, request).toBe(404);
    }
    expect((await ask('GET')).body.watchlists).toEqual([]);
    const again = await ask('POST', { body: full });
    expect([again.status, again.headers.ETag]).toEqual([201, '"3"']);
    expect(generations(await watchlists.get(id))).toEqual([3, 3, 3, 3]);
  });
});

describe('the job that applies a change', () => {
  it('a change and its job are written in one transaction, and the message is sent afterwards', async () => {
    const writes: string[] = [];
    const { ask } = world(
      { sendToContracts: async () => void writes.push('sent') },
      (table: Table) => ({
        ...table,
        transact: async (all) => {
          await table.transact(all);
          writes.push(all.map((one) => keyOfWrite(one).sk.split('#')[0]).join(' '));
        },
      }),
    );

    await ask('POST', { body: aWatchlistBody() });

    expect(writes).toEqual(['LIST QUOTA apply DOCUMENT CHANGE', 'sent']);
  });

  it('the job of a change includes pending contracts of the previous change, even removed ones', async () => {
    const { ask, jobs } = world({ sendToContracts: async () => {} });
    await ask('POST', { body: aWatchlistBody({ contracts: [PUNKS, APES] }) });
    await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts: [PUNKS] }) });

    await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts: [PUNKS], rules: [] }) });

    const job = await jobs.get(id, { kind: 'apply' });
    expect([job?.revision, job?.contracts?.toSorted()]).toEqual([3, [PUNKS, APES].toSorted()]);
  });

  it('a change of many contracts is sent as one message to the queue of lists', async () => {
    const { ask, sent } = world();
    const contracts = Array.from({ length: 11 }, (_, n) => `eth:0x${String(n).padStart(40, '0')}`);

    await ask('POST', { body: aWatchlistBody({ contracts, rules: [] }) });

    expect(sent.map(({ message }) => message)).toEqual([{ list: id, target: { kind: 'apply' } }]);
  });

  it('the job remains stored if no message can be sent, and the request still succeeds', async () => {
    const { ask, jobs, reports } = world({
      sendToContracts: () => Promise.reject(new Error('no queue')),
    });

    const { status, body } = await ask('POST', { body: both });

    expect([status, body.pendingChanges]).toEqual([201, 2]);
    expect(await jobs.countContracts(id)).toBe(2);
    expect(reports).toMatchObject([['change_not_sent', { list: id, jobs: [{ kind: 'apply' }] }]]);
  });

  it.each<{ edit: string; change: object; notes: (readonly [end: string, revision: number])[] }>([
    { edit: 'no edit', change: {}, notes: [[END, 1]] },
    {
      edit: 'a later expiry',
      change: { expiresAt: LATER },
      notes: [
        [END, 1],
        [LATER, 2],
      ],
    },
    { edit: 'removing the expiry', change: { expiresAt: undefined }, notes: [[END, 1]] },
    { edit: 'a pause', change: { enabled: false }, notes: [[END, 2]] },
    { edit: 'a lower severity', change: { severity: 'info' }, notes: [[END, 2]] },
  ])(
    'the expiry of a rule is a job due at exactly that time; after $edit the due times and revisions are $notes',
    async ({ change, notes }) => {
      const { ask, jobs } = world();
      const ending = aRuleBody({ expiresAt: END });
      await ask('POST', { body: aWatchlistBody({ rules: [ending] }) });
      await ask('PUT punks', {
        ...ANY,
        body: aWatchlistBody({ rules: [{ ...ending, ...change }] }),
      });

      const found = await jobs.ofKind(id, 'expiry');

      const reported = found.map((job) => [job.dueAt, job.revision]);
      expect(reported).toEqual(notes.map(([end, revision]) => [instant(end), revision]));
    },
  );

  it('a change sends the job that creates the topic only if the channels change', async () => {
    const { ask, sent } = world();
    await ask('POST', { body: full });
    const first = sent.filter(
      ({ message }) => 'list' in message && JSON.stringify(message).includes('"topic"'),
    );
    sent.length = 0;

    await ask('PUT punks', { ...ANY, body: { ...full, name: 'Others' } });

    expect(first).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});
