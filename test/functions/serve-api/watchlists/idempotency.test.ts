import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Change } from '#shared/domain/watchlists/change.ts';
import { APES, aRuleBody, aWatchlistBody, NOON } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const SLACK = 'https://hooks.slack.com/services/T0/B0/s3cret';
const rule = omit(aRuleBody(), 'id');
const KEY = { headers: { 'Idempotency-Key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' } };

async function withList(given: Parameters<typeof world>[0] = {}) {
  let now = NOON;
  const made = world({ now: () => now, ...given });
  await made.ask('POST', { body: aWatchlistBody() });
  made.sent.length = 0;
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...made, pass };
}

const CREATIONS: readonly (readonly [request: string, body: unknown])[] = [
  ['POST', { name: 'Apes', contracts: [APES], rules: [rule] }],
  ['POST', { id: 'apes', name: 'Apes', channels: [{ kind: 'slack', url: SLACK }] }],
  ['POST punks/mutes', { for: '6h' }],
  ['POST punks/contracts', { contract: APES }],
  ['POST punks/rules', rule],
  ['POST punks/rules', { ...rule, id: 'named' }],
  ['POST punks/channels', { kind: 'slack', url: SLACK }],
];

describe.each(CREATIONS)('%s with an Idempotency-Key', (request, body) => {
  it('a request repeated with its Idempotency-Key has no further effect, and receives the first response', async () => {
    const { ask, pass, table, sent } = await withList();

    const first = await ask(request, { ...KEY, body });
    const [items, messages] = [table.items(), sent.length];
    pass(20 * MINUTE);
    const again = await ask(request, { ...KEY, body });

    expect(first.status).toBe(201);
    expect(again).toEqual(first);
    expect(table.items()).toEqual(items);
    expect(sent.length).toBe(messages);
  });

  it('another Idempotency-Key creates another resource', async () => {
    const { ask } = await withList();
    const headers = { 'Idempotency-Key': '"another"' };

    const first = await ask(request, { ...KEY, body });
    const other = await ask(request, { headers, body });

    const isNamed = JSON.stringify(body).includes('"id"') || request.endsWith('contracts');
    expect(other.status).toBe(isNamed ? 409 : 201);
    expect(other.headers.Location).not.toBe(first.headers.Location);
  });

  it('no secret and no Idempotency-Key is stored in plain text', async () => {
    const { ask, table } = await withList();

    await ask(request, { ...KEY, body });

    expect(JSON.stringify(table.items())).not.toMatch(/s3cret|8e03978e/);
  });

  it('a request that crashes at any step and is repeated has one complete effect', async () => {
    const steps = await callsOf(request, body);
    const atOnce = await ended(request, body, undefined);
    const later = await ended(request, body, 'before it begins');
    const outcomes = [];
    for (let step = 0; step < steps; step += 1) {
      for (const when of ['before', 'after'] as const) {
        outcomes.push(JSON.stringify(await ended(request, body, { step, when })));
      }
    }
    // A crash before the commit of the change leaves nothing, but any later crash leaves all of it.
    const made = outcomes.indexOf(JSON.stringify(atOnce));
    expect(outcomes.slice(made)).toEqual(outcomes.slice(made).fill(JSON.stringify(atOnce)));
    expect(outcomes.slice(0, made)).toEqual(outcomes.slice(0, made).fill(JSON.stringify(later)));
  });
});

/** Ports that crash at a call, before or after its effect. */
function mortal(ports: object, death: { step: number; when: 'before' | 'after' } | undefined) {
  const calls = { made: 0 };
  const isEffect = (name: string) => /^(put|commit|send)/.test(name);
  const wrapped = Object.entries(ports).map(([name, port]) => [
    name,
    typeof port !== 'function' || !isEffect(name)
      ? port
      : async (...given: unknown[]) => {
          const step = calls.made;
          calls.made += 1;
          const isLast = step >= (death?.step ?? Number.POSITIVE_INFINITY);
          if (isLast && (death?.when === 'before' || step > (death?.step ?? 0))) {
            throw new Error('dead');
          }
          const result = await port(...given);
          if (isLast) throw new Error('dead');
          return result;
        },
  ]);
  return { ports: Object.fromEntries(wrapped), calls };
}

async function callsOf(request: string, body: unknown) {
  const { ports } = await withList();
  const { ports: counted, calls } = mortal(ports, undefined);
  await world(counted).ask(request, { ...KEY, body });
  return calls.made;
}

/** The stored state after a request that crashed and was repeated a minute later. */
async function ended(
  request: string,
  body: unknown,
  death: Parameters<typeof mortal>[1] | 'before it begins',
) {
  // `newNumber` is constant, so a second creation would have the same id and be refused.
  const { ports, ask, pass } = await withList({ newNumber: () => 7 });
  if (death !== 'before it begins') {
    const dying = mortal(ports, death);
    await world(dying.ports).ask(request, { ...KEY, body });
  }
  pass(MINUTE + 1);
  const { status, headers } = await ask(request, { ...KEY, body });
  const [lists, punks] = [await ask('GET'), await ask('GET punks')];
  const { mutes, ...list } = punks.body;
  const { body: auditLog } = await ask('GET /v1/changes');
  return {
    auditLog: auditLog.changes.map(({ kind, revision }: Change) => `${kind} ${revision}`),
    ...{
      status,
      location: headers.Location,
      lists: lists.body,
      list: { ...list, pendingChanges: 0 },
    },
    mutes: mutes.map((mute: { id: string }) => mute.id),
  };
}

describe('an Idempotency-Key', () => {
  it('an Idempotency-Key of another request is refused with 422', async () => {
    const { ask, table } = await withList();
    await ask('POST', { body: aWatchlistBody({ id: 'apes' }) });
    await ask('POST punks/mutes', { ...KEY, body: { for: '6h' } });
    const before = table.items();

    const others = [
      await ask('POST apes/mutes', { ...KEY, body: { for: '6h' } }),
      await ask('POST punks/mutes', { ...KEY, body: { for: '7h' } }),
      await ask('POST punks/rules', { ...KEY, body: rule }),
    ];

    expect(others.map(({ status, body }) => [status, body.type])).toEqual([
      [422, 'urn:floorwatch:problem:idempotency_key_reused'],
      [422, 'urn:floorwatch:problem:idempotency_key_reused'],
      [422, 'urn:floorwatch:problem:idempotency_key_reused'],
    ]);
    expect(table.items()).toEqual(before);
  });

  it('a known Idempotency-Key does not bypass the checks of a request', async () => {
    const { ask, table } = await withList();
    const body = { for: '6h' };
    await ask('POST punks/mutes', { ...KEY, body });
    const before = table.items();

    const wrong = await ask('POST punks/mutes', { ...KEY, body, query: { nonsense: 'true' } });

    expect([wrong.status, wrong.body.errors]).toMatchObject([400, [{ pointer: '?nonsense' }]]);
    expect(table.items()).toEqual(before);
  });

  it('two concurrent requests with one Idempotency-Key have one effect, and receive the same response', async () => {
    const { ask } = await withList();
    const body = { for: '6h' };

    const [one, other] = await Promise.all([
      ask('POST punks/mutes', { ...KEY, body }),
      ask('POST punks/mutes', { ...KEY, body }),
    ]);

    expect(one.status).toBe(201);
    expect(other).toEqual(one);
    expect((await ask('GET punks/mutes')).body.mutes).toHaveLength(1);
  });

  it('the Idempotency-Key of a refused request is not stored', async () => {
    const { ask, table } = await withList();
    const before = table.items();

    const refused = [
      await ask('POST', { ...KEY, body: aWatchlistBody() }),
      await ask('POST', { ...KEY, body: '{' }),
      await ask('POST nothing/mutes', { ...KEY, body: { for: '6h' } }),
    ];
    const after = table.items();
    const made = await ask('POST', { ...KEY, body: { name: 'Apes' } });

    expect(refused.map(({ status }) => status)).toEqual([409, 400, 404]);
    expect(after).toEqual(before);
    expect(made.status).toBe(201);
  });

  it('an Idempotency-Key is stored for a day, separately for each tenant', async () => {
    const { ask, pass } = await withList();
    const body = { name: 'Apes' };

    const first = await ask('POST', { ...KEY, body });
    const theirs = await ask('POST', { ...KEY, body, tenant: 'umbrella' });
    pass(DAY);
    await ask(`DELETE ${first.body.id}`, ANY);
    const anew = await ask('POST', { ...KEY, body });

    expect([first.status, theirs.status, anew.status]).toEqual([201, 201, 201]);
    expect([theirs.body.revision, anew.body.revision]).toEqual([1, 1]);
    expect(anew.body.id).not.toBe(first.body.id);
  });

  it('an Idempotency-Key that two tenants chose reveals nothing to either', async () => {
    const { ask } = await withList();
    const body = { name: 'Apes' };
    const mine = await ask('POST', { ...KEY, body });

    const theirs = await ask('POST', { ...KEY, body, tenant: 'umbrella' });
    const again = await ask('POST', { ...KEY, body: { name: 'Birds' }, tenant: 'wayne' });

    const idsOf = async (tenant: string) =>
      (await ask('GET', { tenant })).body.watchlists.map(({ id }: { id: string }) => id);
    expect([mine.status, theirs.status, again.status]).toEqual([201, 201, 201]);
    expect(await idsOf('umbrella')).toEqual([theirs.body.id]);
    expect(await idsOf('wayne')).toEqual([again.body.id]);
  });

  it('an Idempotency-Key counts as new after a day, even if the resource that it created still exists', async () => {
    const { ask, pass } = await withList();
    const first = await ask('POST punks/mutes', { ...KEY, body: { for: '7d' } });
    pass(DAY);

    const second = await ask('POST punks/mutes', { ...KEY, body: { for: '14d' } });

    const { body } = await ask('GET punks/mutes');
    expect(body.mutes.map(({ id }: { id: string }) => id)).toEqual([first.body.id, second.body.id]);
  });

  it.each(['no-quotes', '""', '"a" "b"', '"ü"', `"${'a'.repeat(256)}"`, '"a"b"', '"\\n"', "'a'"])(
    'a malformed Idempotency-Key is refused: %s',
    async (key) => {
      const { ask, table } = await withList();
      const before = table.items();

      const { status, body } = await ask('POST punks/mutes', {
        headers: { 'Idempotency-Key': key },
        body: { for: '6h' },
      });

      expect([status, body.type]).toEqual([400, 'urn:floorwatch:problem:invalid_request']);
      expect(table.items()).toEqual(before);
    },
  );
});
