import { createHash } from 'node:crypto';
import * as z from 'zod';

/** A stored secret of a channel: sealed, with a hash that serves as its name. */
export const SealedSecret = z.strictObject({ sealed: z.string(), hash: z.string() });
export type SealedSecret = z.output<typeof SealedSecret>;

/** The channel of a secret. A secret sealed for one channel cannot be opened for another. */
export type SecretPlace = {
  readonly tenant: string;
  readonly list: string;
  readonly channel: string;
};

/**
 * Thrown when the stack's own key is missing or invalid, so secrets can be neither sealed nor
 * opened.
 */
export class ChannelKeyError extends Error {
  override readonly name = 'ChannelKeyError';
  readonly code = 'channel_key_unusable';
}

/**
 * The name of a secret. Answers contain the name in place of the secret. If a request contains the
 * name, the secret is unchanged.
 */
export function nameOfSecret({ hash }: SealedSecret): string {
  return `kept:${hash}`;
}

export function isNameOfSecret(text: string): boolean {
  return /^kept:[0-9a-f]{8}$/.test(text);
}

/**
 * A short hash of a secret. It is long enough to distinguish the secrets of one channel, and far
 * too short to reveal a secret.
 */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}
