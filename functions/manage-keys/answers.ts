import * as z from 'zod';
import { ApiKeyId, KeyState } from '#shared/domain/access/api-key.ts';
import { Scope } from '#shared/domain/access/scope.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

const members = {
  id: [ApiKeyId, 'The id of the key, which is not a secret.'],
  name: [Line, 'The name of the key, for example the name of the program that uses the key.'],
  scopes: [z.array(Scope), 'The scopes of the key.'],
  state: [KeyState, 'Whether the key is valid.'],
  createdAt: [MomentText, `The time at which the key was created: ${MOMENT}.`],
  endsAt: [
    MomentText.nullable(),
    'The time at which the key expires or was revoked; null if the key does not expire.',
  ],
  signedInFrom: [
    ApiKeyId.nullable(),
    'For the key of a signed-in device: the id of the key that signed the device in. Revoking that key also revokes this one. Null for other keys.',
  ],
} as const;

export const Key = object('Key', 'An API key, without the key itself.', members);
export type Key = Answered<typeof Key>;

export const KeyList = object('KeyList', 'The keys of a tenant.', {
  keys: [
    z.array(Key),
    'The keys, newest first: valid keys, and keys that expired or were revoked in the last 40 days.',
  ],
});
export type KeyList = Answered<typeof KeyList>;

export const IssuedKey = object('IssuedKey', 'A created key.', {
  ...members,
  key: [
    z.string(),
    'The key itself. No other response contains it, because only its hash is stored.',
  ],
});
export type IssuedKey = Answered<typeof IssuedKey>;

export const SignInCode = object('SignInCode', 'A code that signs in another device.', {
  code: [z.string(), 'The code. No other response contains it, because only its hash is stored.'],
  expiresAt: [MomentText, `The time at which the code expires: ${MOMENT}.`],
});
export type SignInCode = Answered<typeof SignInCode>;

export const OwnKey = object('OwnKey', 'The API key of the request, without the key itself.', {
  id: members.id,
  name: members.name,
  tenant: [Identifier, 'The tenant of the key.'],
  scopes: members.scopes,
  may: [
    z.array(Scope),
    'All scopes of the key, including implied ones. The key can grant these scopes to new keys.',
  ],
});
export type OwnKey = Answered<typeof OwnKey>;
