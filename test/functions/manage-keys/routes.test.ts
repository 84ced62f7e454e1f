import { describe, expect, it } from 'vitest';
import { KeyList } from '#functions/manage-keys/answers.ts';
import { type ApiKeyRecord, apiKeyId, isLive } from '#shared/domain/access/api-key.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { DAY, formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { aKey, putKey } from '#test/support/api-keys.ts';
import { NOON } from '#test/support/builders.ts';
import { issued, typeOf, world } from './world.ts';

const aBody = { name: 'the script', scopes: ['write', 'read'] };

describe('a created key', () => {
  it('a created key authorizes requests of its tenant, is shown once, and is in the audit log', async () => {
    const { ask, keys, items, logged } = await world();

    const made = await ask('POST /v1/keys', { body: aBody });

    const { key, id } = issued(made);
    expect(made).toMatchObject({ statusCode: 201, headers: { 'Cache-Control': 'no-store' } });
    expect(await keys.find(key)).toMatchObject({ tenant: 'acme', scopes: ['read', 'write'] });
    expect(items()).not.toContain(key);
    const { body } = await ask('GET /v1/keys');
    expect(body).not.toContain(key);
    expect(KeyList.parse(JSON.parse(body)).keys[0]).toMatchObject({ id, state: 'live' });
    expect(await logged()).toEqual([{ kind: 'key_made', subject: id, by: 'the script' }]);
  });

  it.each([
    { held: 'admin', scopes: ['view', 'read', 'write', 'admin'], status: 201 },
    { held: 'admin', scopes: ['read', 'operate'], status: 403 },
    { held: 'admin operate', scopes: ['operate'], status: 201 },
    { held: 'write operate', scopes: ['write'], status: 403 },
  ])(
    'a key with the scopes $held creates a key with $scopes: $status',
    async ({ held, scopes, status }) => {
      const { ask, keys } = await world();
      const before = (await keys.all()).length;

      const { statusCode } = await ask('POST /v1/keys', {
        scopes: held,
        body: { name: 'x', scopes },
      });

      expect(statusCode).toBe(status);
      expect((await keys.all()).length).toBe(status === 201 ? before + 1 : before);
    },
  );

  it('a created key expires at the requested time, which must be in the future', async () => {
    const { ask } = await world();
    const expiresAt = formatInstant(NOON + 90 * DAY);

    expect(issued(await ask('POST /v1/keys', { body: { ...aBody, expiresAt } }))).toMatchObject({
      endsAt: expiresAt,
    });
    const past = await ask('POST /v1/keys', {
      body: { ...aBody, expiresAt: formatInstant(NOON) },
    });
    expect(JSON.parse(past.body)).toMatchObject({ errors: [{ pointer: '/expiresAt' }] });
  });

  it('a tenant has at most twenty keys', async () => {
    const { ask, make } = await world();
    for (let made = 2; made < LIMITS.tenant.keys; made += 1) await make('x', ['read']);
    await make('of another', ['read'], 'globex');

    const last = await ask('POST /v1/keys', { body: aBody });
    const tooMany = await ask('POST /v1/keys', { body: aBody });

    expect(last.statusCode).toBe(201);
    expect(typeOf(tooMany)).toBe('quota_exceeded');
  });

  it('a key cannot be created with an Idempotency-Key, because the secret would have to be stored', async () => {
    const { ask, keys } = await world();

    const refused = await ask('POST /v1/keys', {
      body: aBody,
      headers: { 'idempotency-key': '"1"' },
    });

    expect(typeOf(refused)).toBe('invalid_request');
    expect(await keys.all()).toHaveLength(2);
  });
});

it('a tenant can list, revoke and rotate only its own keys', async () => {
  const { ask, acme, globex, keys } = await world();

  const { body } = await ask('GET /v1/keys');
  const answers = [
    await ask('DELETE /v1/keys/{key}', { id: apiKeyId(globex) }),
    await ask('POST /v1/keys/{key}/rotate', { id: apiKeyId(globex), body: {} }),
  ];

  expect(KeyList.parse(JSON.parse(body)).keys.map(({ id }) => id)).toEqual([apiKeyId(acme)]);
  expect(answers.map(typeOf)).toEqual(['not_found', 'not_found']);
  expect(await keys.find(aKey(2))).toEqual(globex);
});

it('GET /v1/key describes the key of the request', async () => {
  const { ask } = await world();

  const { body } = await ask('GET /v1/key', { scopes: 'read future' });

  expect(JSON.parse(body)).toEqual({
    ...{ id: '0123456789', name: 'the script', tenant: 'acme' },
    ...{ scopes: ['read'], may: ['view', 'read'] },
  });
});

describe('a key that is rotated', () => {
  it('rotation creates a successor with the same name and scopes, and the old key expires after the overlap', async () => {
    const { ask, make, keys, logged } = await world();
    const old = await make('of the bot', ['read']);

    const answered = await ask('POST /v1/keys/{key}/rotate', {
      id: apiKeyId(old),
      body: { overlap: '2h' },
    });

    const { key, id } = issued(answered);
    const [known] = (await keys.all()).filter(({ hash }) => hash === old.hash);
    expect(await keys.find(key)).toMatchObject({ name: 'of the bot', scopes: ['read'] });
    expect(known).toMatchObject({ expiresAt: NOON + 2 * HOUR });
    expect((await logged()).toReversed()).toMatchObject([
      { kind: 'key_made', subject: id },
      { kind: 'key_rotated', subject: apiKeyId(old) },
    ]);
  });

  it('rotation is refused for a key with more rights than the key of the request', async () => {
    const { ask, make, keys } = await world();
    const old = await make('of the operators', ['operate']);

    const refused = await ask('POST /v1/keys/{key}/rotate', { id: apiKeyId(old), body: {} });

    expect(typeOf(refused)).toBe('forbidden');
    expect(await keys.all()).toHaveLength(3);
  });

  it('rotation is refused for a revoked key', async () => {
    const { ask, make, keys } = await world();
    const old = await make('x', ['read']);
    await putKey(keys, { ...old, revokedAt: NOON });

    expect(typeOf(await ask('POST /v1/keys/{key}/rotate', { id: apiKeyId(old), body: {} }))).toBe(
      'gone',
    );
  });
});

describe('a key that is revoked', () => {
  const stateOf = async ({ keys }: Awaited<ReturnType<typeof world>>, { hash }: ApiKeyRecord) =>
    (await keys.all()).some((key) => key.hash === hash && isLive(key, NOON));

  it('a revoked key stops working, and revoking it again changes nothing', async () => {
    const all = await world();
    const old = await all.make('x', ['read']);
    const id = apiKeyId(old);

    const first = await all.ask('DELETE /v1/keys/{key}', { id });
    all.at(NOON + HOUR);
    const again = await all.ask('DELETE /v1/keys/{key}', { id });

    expect([first.statusCode, again.statusCode]).toEqual([204, 204]);
    expect((await all.keys.all()).find(({ hash }) => hash === old.hash)).toMatchObject({
      revokedAt: NOON,
    });
    expect(await all.logged()).toMatchObject([{ kind: 'key_revoked', subject: id }]);
  });

  it('the last key with the scope admin is revoked only with lastAdmin=true', async () => {
    const all = await world();
    const id = apiKeyId(all.acme);
    const other = await all.make('another', ['admin']);

    await all.ask('DELETE /v1/keys/{key}', { id: apiKeyId(other) });
    const refused = await all.ask('DELETE /v1/keys/{key}', { id });
    const still = await stateOf(all, all.acme);
    const meant = await all.ask('DELETE /v1/keys/{key}', { id, query: { lastAdmin: 'true' } });

    expect(typeOf(refused)).toBe('in_use');
    expect(still).toBe(true);
    expect(meant.statusCode).toBe(204);
    expect(await stateOf(all, all.acme)).toBe(false);
  });
});
