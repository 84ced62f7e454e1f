import { createHash } from 'node:crypto';
import * as z from 'zod';

/** A secret of a channel as it is kept: unreadable, with a hash by which it may be named. */
export const SealedSecret = z.strictObject({ sealed: z.string(), hash: z.string() });
export type SealedSecret = z.output<typeof SealedSecret>;

/** Where a secret belongs: sealed for one channel, it opens for no other. */
export type SecretPlace = {
  readonly tenant: string;
  readonly list: string;
  readonly channel: string;
};

/** Thrown when secrets can be neither sealed nor opened: the stack's own key is not as it should be. */
export class ChannelKeyError extends Error {
  override readonly name = 'ChannelKeyError';
  readonly code = 'channel_key_unusable';
}

/** What stands for a secret wherever it is reported, and where it is to stay what it is. */
export function nameOfSecret({ hash }: SealedSecret): string {
  return `kept:${hash}`;
}

export function isNameOfSecret(text: string): boolean {
  return /^kept:[0-9a-f]{8}$/.test(text);
}

/** Enough to tell the secrets of one channel apart, and far too little to find one. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}
