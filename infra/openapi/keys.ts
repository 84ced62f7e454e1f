import { IssuedKey, KeyList, OwnKey, SignInCode } from '#functions/manage-keys/answers.ts';
import { KeyBody, RedemptionBody, RotationBody } from '#functions/manage-keys/requests.ts';
import { keyRoutes } from '#functions/manage-keys/routes.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { input } from '#shared/http/described.ts';
import { describeRoutes, json } from './operation.ts';

input('KeyInput', KeyBody, 'A key to create.', {
  name: 'What it is used for: the name of a program or a screen.',
  scopes: 'What its holder may do: scopes that the key of the request has or gives.',
  expiresAt: 'When it ends; left out for no end.',
});

input('RotationInput', RotationBody, 'How a key is replaced.', {
  overlap: 'How long the old key still works.',
  expiresAt: "When the new key ends; left out for the old key's original life, from now.",
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
  201: json('The key. It is shown this once.', IssuedKey, {
    ...key,
    key: 'fw_…',
  }),
};

/** The keys of a tenant. */
export const keyOperations = describeRoutes(keyRoutes, {
  'GET /v1/key': {
    id: 'getOwnKey',
    tag: 'Keys',
    summary: 'Read the key of this request',
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
      'A key cannot grant a right that it does not have. The operation takes no `Idempotency-Key`, since a key is not stored and cannot be shown again. If no answer came, list the keys and revoke the new one.',
    bodies: { 'a key of a program': { name: 'the script', scopes: ['read', 'write'] } },
    answers: issued,
    problems: ['quota_exceeded', 'conflict'],
  },
  'POST /v1/keys/{key}/rotate': {
    id: 'rotateKey',
    tag: 'Keys',
    summary: 'Replace a key by a new one of the same name and scopes',
    description:
      'The old key works until the overlap has passed, and so do the keys of devices that were signed in from it. Only a key that has or gives all its scopes may do so.',
    bodies: { 'a day to change over': { overlap: '1d' } },
    answers: issued,
    problems: ['not_found', 'gone', 'quota_exceeded', 'conflict'],
  },
  'DELETE /v1/keys/{key}': {
    id: 'revokeKey',
    tag: 'Keys',
    summary: 'Revoke a key',
    description:
      'The key is rejected within 30 seconds, and so are the keys of devices that were signed in from it. Revoking it again changes nothing.',
    query: {
      lastAdmin:
        '`true` to end even the last key with the scope `admin`. Keys of the tenant are then made by the operators of the stack alone.',
    },
    answers: { 204: { description: 'The key is revoked.' } },
    problems: ['not_found', 'in_use', 'conflict'],
  },
  'POST /v1/sign-ins': {
    id: 'makeSignIn',
    tag: 'Keys',
    summary: 'Create a one-time code that signs in another device',
    description: `The other device redeems the code for a key of its own, with the scopes and the end of the key of this request. The code works once, for ${LIMITS.code.minutes} minutes, as long as the key of this request is valid. A new code replaces the one before. The console takes a code in its address: \`/app#sign-in=<code>\`.`,
    answers: {
      201: json('The code. It is shown this once.', SignInCode, {
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
      'A wrong, a used and an expired code are the same problem. The new key is revoked together with the key that made the code.',
    bodies: { 'the code of a link': { code: 'fws_…' } },
    answers: issued,
    problems: ['gone', 'quota_exceeded', 'conflict'],
  },
});
