import { IssuedKey, KeyList, OwnKey, SignInCode } from '#functions/manage-keys/answers.ts';
import { KeyBody, RedemptionBody, RotationBody } from '#functions/manage-keys/requests.ts';
import { keyRoutes } from '#functions/manage-keys/routes.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { input } from '#shared/http/described.ts';
import { describeRoutes, json } from './operation.ts';

input('KeyInput', KeyBody, 'A key to create.', {
  name: 'The name of the key, for example the program or the device that uses the key.',
  scopes:
    'The scopes of the key. The key that sends the request must have these scopes, or scopes that imply them.',
  expiresAt: 'The time at which the key expires. By default the key does not expire.',
});

input('RotationInput', RotationBody, 'A request that replaces a key.', {
  overlap: 'The duration for which the old key still works.',
  expiresAt:
    'The time at which the new key expires. By default the new key has the same lifetime as the old key originally had, starting now.',
});

input('RedemptionInput', RedemptionBody, 'A code that signs in a device.', {
  code: 'The code.',
});

const key = {
  ...{ id: '1a2b3c4d5e', name: 'the script', scopes: ['read', 'write'], state: 'live' },
  ...{ createdAt: '2026-11-21T12:00:00.000Z', endsAt: '2027-02-19T12:00:00.000Z' },
  signedInFrom: null,
};

const issued = {
  201: json('The key. It is shown only once.', IssuedKey, {
    ...key,
    key: 'fw_…',
  }),
};

/** Documents the operations on a tenant's API keys. */
export const keyOperations = describeRoutes(keyRoutes, {
  'GET /v1/key': {
    id: 'getOwnKey',
    tag: 'Keys',
    summary: 'Read the API key that authenticates this request',
    answers: {
      200: json('The key.', OwnKey, {
        ...{ id: '1a2b3c4d5e', name: 'the script', tenant: 'acme' },
        ...{ scopes: ['read', 'write'], may: ['view', 'read', 'write'] },
      }),
    },
  },
  'GET /v1/keys': {
    id: 'listKeys',
    tag: 'Keys',
    summary: 'List the keys of the tenant',
    answers: { 200: json('The keys.', KeyList, { keys: [key] }) },
  },
  'POST /v1/keys': {
    id: 'makeKey',
    tag: 'Keys',
    summary: 'Create a key for the tenant',
    description:
      'A key can grant only scopes that it has or implies. `Idempotency-Key` is not supported, because the new API key itself is not stored and cannot be shown again. If you receive no response, list the keys and revoke the new one.',
    bodies: { 'a key for a program': { name: 'the script', scopes: ['read', 'write'] } },
    answers: issued,
    problems: ['quota_exceeded', 'conflict'],
  },
  'POST /v1/keys/{key}/rotate': {
    id: 'rotateKey',
    tag: 'Keys',
    summary: 'Replace a key with a new one that has the same name and scopes',
    description:
      'The old key, and the keys of devices that were signed in with it, work until the overlap ends. The key that sends the request must have or imply all scopes of the old key.',
    bodies: { 'an overlap of one day': { overlap: '1d' } },
    answers: issued,
    problems: ['not_found', 'gone', 'quota_exceeded', 'conflict'],
  },
  'DELETE /v1/keys/{key}': {
    id: 'revokeKey',
    tag: 'Keys',
    summary: 'Revoke a key',
    description:
      'Requests with the key are rejected within 30 seconds, and so are requests with the keys of devices that were signed in with it. Revoking the key again changes nothing.',
    query: {
      lastAdmin:
        '`true` to revoke even the last key with the scope `admin`. After that, only the operators of the stack can create keys for the tenant.',
    },
    answers: { 204: { description: 'The key is revoked.' } },
    problems: ['not_found', 'in_use', 'conflict'],
  },
  'POST /v1/sign-ins': {
    id: 'makeSignIn',
    tag: 'Keys',
    summary: 'Create a one-time code that signs in another device',
    description: `The other device redeems the code for a key of its own, with the scopes and the expiry of the key that sends this request. The code works once, within ${LIMITS.code.minutes} minutes, and only while that key is valid. A new code replaces the previous one. The console accepts a code in its URL: \`/app#sign-in=<code>\`.`,
    answers: {
      201: json('The code. It is shown only once.', SignInCode, {
        ...{ code: 'fws_…', expiresAt: '2026-11-21T12:10:00.000Z' },
      }),
    },
    problems: ['not_found', 'gone', 'quota_exceeded', 'conflict'],
  },
  'POST /v1/sign-ins/redeem': {
    id: 'redeemSignIn',
    tag: 'Keys',
    summary: 'Redeem a one-time code for a key',
    description:
      'Invalid, used and expired codes return the same problem. The new key is revoked together with the key that created the code.',
    bodies: { 'a code from a link': { code: 'fws_…' } },
    answers: issued,
    problems: ['gone', 'quota_exceeded', 'conflict'],
  },
});
