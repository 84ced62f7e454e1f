import * as z from 'zod';
import { ApiKeyId, KeyState } from '#shared/domain/access/api-key.ts';
import { Scope } from '#shared/domain/access/scope.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

const members = {
  id: [ApiKeyId, 'Its id, which grants no access.'],
  name: [Line, 'What it is used for.'],
  scopes: [z.array(Scope), 'What its holder may do.'],
  state: [KeyState, 'Whether it is valid.'],
  createdAt: [MomentText, `When it was made: ${MOMENT}.`],
  endsAt: [MomentText.nullable(), 'When it ends or has ended; null without an end.'],
  signedInFrom: [
    ApiKeyId.nullable(),
    'The id of the key that its device was signed in from, with which it ends; null for other keys.',
  ],
} as const;

export const Key = object('Key', 'An API key, without the key itself.', members);
export type Key = Answered<typeof Key>;

export const KeyList = object('KeyList', 'The keys of a tenant.', {
  keys: [
    z.array(Key),
    'The keys, newest first: live ones, and those that ended in the last 40 days.',
  ],
});
export type KeyList = Answered<typeof KeyList>;

export const IssuedKey = object('IssuedKey', 'A created key.', {
  ...members,
  key: [z.string(), 'The key itself. No other answer has it: it is kept as its hash.'],
});
export type IssuedKey = Answered<typeof IssuedKey>;

export const SignInCode = object('SignInCode', 'A code that signs in another device.', {
  code: [z.string(), 'The code. No other answer has it: it is kept as its hash.'],
  expiresAt: [MomentText, `When it expires: ${MOMENT}.`],
});
export type SignInCode = Answered<typeof SignInCode>;

export const OwnKey = object('OwnKey', 'The key of a request.', {
  id: members.id,
  name: members.name,
  tenant: [Identifier, 'Its tenant.'],
  scopes: members.scopes,
  may: [
    z.array(Scope),
    'All scopes that it has or gives: what its holder may do, and give others.',
  ],
});
export type OwnKey = Answered<typeof OwnKey>;
