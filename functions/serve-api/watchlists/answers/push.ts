import * as z from 'zod';
import { type Answered, object } from '#shared/http/described.ts';

export const PushKey = object('PushKey', 'The public key of the stack for Web Push.', {
  publicKey: [
    z.string().regex(/^B[\w-]{86}$/),
    'The public key, for `applicationServerKey` of `PushManager.subscribe()`.',
  ],
});
export type PushKey = Answered<typeof PushKey>;
