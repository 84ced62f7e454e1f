import { expect, it } from 'vitest';
import { authorizeRequest } from '#functions/authorize-request/authorize-request.ts';
import { KeyList } from '#functions/manage-keys/answers.ts';
import { apiKeyId } from '#shared/domain/access/api-key.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { putKey } from '#test/support/api-keys.ts';
import { NOON } from '#test/support/builders.ts';
import { codeIn, issued, typeOf, world } from './world.ts';

const LIFE = LIMITS.code.minutes * MINUTE;

it('a sign-in code gives another device a key with the scopes of the key that created the code, and the audit log names the creating key', async () => {
  const { make, makeCode, redeem, keys, ask, logged } = await world();
  const desk = await make('the desk', ['read', 'write']);

  const made = await makeCode(desk);
  const redeemed = await redeem(codeIn(made));

  expect(made).toMatchObject({ statusCode: 201, headers: { 'Cache-Control': 'no-store' } });
  expect(JSON.parse(made.body).expiresAt).toBe(formatInstant(NOON + LIFE));
  expect(redeemed).toMatchObject({ statusCode: 201, headers: { 'Cache-Control': 'no-store' } });
  const { key, id, name } = issued(redeemed);
  expect(name).toBe('Phone, signed in from the desk');
  expect(await keys.find(key)).toMatchObject({ tenant: 'acme', scopes: ['read', 'write'] });
  expect(await logged()).toEqual([{ kind: 'key_made', subject: id, by: 'the desk' }]);
  const { body } = await ask('GET /v1/keys');
  expect(KeyList.parse(JSON.parse(body)).keys).toContainEqual(
    expect.objectContaining({ id, signedInFrom: apiKeyId(desk) }),
  );
});

it('a sign-in code is redeemed only once, even if two devices redeem it at the same time', async () => {
  const { acme, makeCode, redeem, keys } = await world();
  const code = codeIn(await makeCode(acme));

  const both = await Promise.all([redeem(code), redeem(code)]);
  const later = await redeem(code);

  expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 410]);
  expect(typeOf(later)).toBe('gone');
  expect((await keys.ofTenant('acme')).keys).toHaveLength(2);
});

it('wrong, malformed, used, replaced and expired sign-in codes, and codes of revoked or expired keys, return the same problem', async () => {
  const { at, make, makeCode, redeem, keys } = await world();
  const [desk, revoked, expired] = [
    await make('desk', ['read']),
    await make('revoked', ['read']),
    await make('expired', ['read']),
  ];
  const used = codeIn(await makeCode(desk));
  await redeem(used);
  const replaced = codeIn(await makeCode(desk));
  const late = codeIn(await makeCode(desk));
  const ofRevoked = codeIn(await makeCode(revoked));
  const ofExpired = codeIn(await makeCode(expired));
  const end = async (id: string, how: { revokedAt: number } | { expiresAt: number }) => {
    const key = await keys.withId(id);
    if (key !== undefined) await putKey(keys, { ...key, ...how });
  };
  await end(apiKeyId(revoked), { revokedAt: NOON });
  await end(apiKeyId(expired), { expiresAt: NOON });
  const wrong = `${late.slice(0, -4)}AAAA`;
  const ofNoKey = late.replace(apiKeyId(desk), '0123456789');

  const refused = await Promise.all(
    [wrong, ofNoKey, 'a', 'fws_', `fws_${'0'.repeat(190)}`, used, replaced, ofRevoked].map(redeem),
  );
  const alsoRefused = await redeem(ofExpired);
  at(NOON + LIFE);
  const tooLate = await redeem(late);

  const problems = new Set([...refused, alsoRefused, tooLate].map(({ body }) => body));
  expect([...problems]).toHaveLength(1);
  expect(typeOf(tooLate)).toBe('gone');
});

it('a sign-in code works until its last millisecond', async () => {
  const { acme, at, makeCode, redeem } = await world();
  const code = codeIn(await makeCode(acme));

  at(NOON + LIFE - 1);

  expect((await redeem(code)).statusCode).toBe(201);
});

it('neither a sign-in code nor its hash is accepted as an API key', async () => {
  const { acme, makeCode, keys } = await world();
  const code = codeIn(await makeCode(acme));
  const { signIn: { hash = '' } = {} } = (await keys.withId(apiKeyId(acme))) ?? {};
  const enter = async (text: string) =>
    await authorizeRequest({ now: () => NOON, findApiKey: keys.find }, text);

  expect([await enter(code), await enter(hash)]).toEqual([undefined, undefined]);
  expect(await keys.find(code)).toBeUndefined();
});

it('the table and the list of keys contain neither a sign-in code nor the key that it created', async () => {
  const { acme, makeCode, redeem, items, ask } = await world();
  const open = codeIn(await makeCode(acme));
  const whileOpen = items() + (await ask('GET /v1/keys')).body;

  const { key } = issued(await redeem(open));

  expect(whileOpen).not.toContain(open.slice(14));
  expect(items() + (await ask('GET /v1/keys')).body).not.toContain(key);
});

it('a sign-in code creates a key only for its own tenant, whoever redeems it', async () => {
  const { acme, globex, makeCode, redeem, keys } = await world();
  const code = codeIn(await makeCode(globex));

  const { key } = issued(await redeem(code));
  const misled = await redeem(code.replace(apiKeyId(globex), apiKeyId(acme)));

  expect(await keys.find(key)).toMatchObject({ tenant: 'globex' });
  expect((await keys.ofTenant('acme')).keys).toEqual([acme]);
  expect(typeOf(misled)).toBe('gone');
});

it('a key that was just revoked creates no sign-in code, although the gateway still accepts the key', async () => {
  const { make, makeCode, keys } = await world();
  const desk = await make('desk', ['read']);
  await putKey(keys, { ...desk, revokedAt: NOON });

  expect(typeOf(await makeCode(desk))).toBe('gone');
  expect(await keys.withId(apiKeyId(desk))).not.toHaveProperty('signIn');
});

it('a key with only the scope view creates no sign-in code', async () => {
  const { make, makeCode } = await world();

  expect(typeOf(await makeCode(await make('wall', ['view'])))).toBe('forbidden');
});

it('revoking a key also revokes the keys of all devices that it signed in, directly or through another device', async () => {
  const { make, makeCode, redeem, keys, ask, logged } = await world();
  const desk = await make('desk', ['admin', 'read']);
  await putKey(keys, { ...desk, expiresAt: NOON + DAY });
  const phone = issued(await redeem(codeIn(await makeCode(desk))));
  const record = await keys.withId(phone.id);
  const tablet = issued(await redeem(codeIn(await makeCode(record ?? desk))));

  await ask('DELETE /v1/keys/{key}', { id: apiKeyId(desk) });

  expect(phone.endsAt).toBe(formatInstant(NOON + DAY));
  expect(tablet).toMatchObject({ endsAt: phone.endsAt, name: phone.name });
  expect(await keys.find(phone.key)).toMatchObject({ revokedAt: NOON });
  expect(await keys.find(tablet.key)).toMatchObject({ revokedAt: NOON });
  expect((await logged()).filter(({ kind }) => kind === 'key_revoked')).toHaveLength(3);
});

it('after the rotation of a key, the keys of the devices that it signed in expire at the end of the overlap', async () => {
  const { make, makeCode, redeem, keys, ask } = await world();
  const desk = await make('desk', ['read']);
  const { key } = issued(await redeem(codeIn(await makeCode(desk))));

  await ask('POST /v1/keys/{key}/rotate', { id: apiKeyId(desk), body: { overlap: '2h' } });

  expect(await keys.find(key)).toMatchObject({ expiresAt: NOON + 2 * HOUR });
});

it('an admin key that signed in a phone can still be the last admin key, because revoking it also revokes the key of the phone', async () => {
  const { acme, makeCode, redeem, ask } = await world();
  await redeem(codeIn(await makeCode(acme)));

  const refused = await ask('DELETE /v1/keys/{key}', { id: apiKeyId(acme) });

  expect(typeOf(refused)).toBe('in_use');
});

it('a signed-in device counts towards the key limit of its tenant, and a sign-in code refused at the limit stays valid', async () => {
  const { acme, make, makeCode, redeem, ask } = await world();
  const code = codeIn(await makeCode(acme));
  const other = await make('x', ['read']);
  for (let made = 2; made < LIMITS.tenant.keys; made += 1) await make('x', ['read']);

  const [refused, noCode] = [await redeem(code), await makeCode(acme)];
  await ask('DELETE /v1/keys/{key}', { id: apiKeyId(other) });

  expect([typeOf(refused), typeOf(noCode)]).toEqual(['quota_exceeded', 'quota_exceeded']);
  expect((await redeem(code)).statusCode).toBe(201);
});

it('the name of a signed-in device is shortened to the permitted length', async () => {
  const { make, makeCode, redeem } = await world();
  const desk = await make('d'.repeat(LIMITS.text.characters), ['read']);

  const { name } = issued(await redeem(codeIn(await makeCode(desk))));

  expect([name.length, name.slice(-2)]).toEqual([LIMITS.text.characters, 'd…']);
});

it.each([undefined, 1, '', 'x'.repeat(201)])(
  'a request to redeem the code %j is refused as malformed',
  async (code) => {
    const { redeem } = await world();

    expect(typeOf(await redeem(code))).toBe('invalid_request');
  },
);
