import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { JsonText } from './json-text.ts';
import type { Instant } from './market/instant.ts';

/** What a token is for; it is signed with it, so a token of one purpose is forged for any other. */
export type Purpose = 'chart' | 'action' | 'unsubscribe';

/** What a token is: what was signed, or what has ended, or nothing that this stack has signed. */
export type OpenedToken<Content> =
  | { readonly kind: 'opened'; readonly content: Content; readonly endsAt: Instant }
  | { readonly kind: 'ended' }
  | { readonly kind: 'forged' };

/** Of a token that chats take in an address. */
const LONGEST = 400;

/**
 * What an address says, its end and a signature, as a part of that address: nothing is stored for it,
 * and whoever has it has what it gives. Undefined where it would be too long.
 */
export function signToken(
  secret: string,
  purpose: Purpose,
  content: readonly unknown[],
  endsAt: Instant,
): string | undefined {
  const body = Buffer.from(JSON.stringify([endsAt, ...content])).toString('base64url');
  const token = `${body}.${signatureOf(secret, purpose, body).toString('base64url')}`;
  return token.length > LONGEST ? undefined : token;
}

/** Reads a token whose signature is right, and no other. */
export function openToken<Content extends z.ZodType>(
  secret: string,
  purpose: Purpose,
  token: string,
  schema: Content,
  now: Instant,
): OpenedToken<z.output<Content>> {
  const [, body = '', signature = ''] = FORM.exec(token) ?? [];
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(secret, purpose, body);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return { kind: 'forged' };
  const signed = Signed.safeParse(Buffer.from(body, 'base64url').toString());
  const content = schema.safeParse(signed.data?.content);
  // Another version has signed what this one cannot read.
  if (!signed.success || !content.success || now >= signed.data.endsAt) return { kind: 'ended' };
  return { kind: 'opened', content: content.data, endsAt: signed.data.endsAt };
}

const FORM = /^([\w-]{1,400})\.([\w-]{22})$/;

const Signed = JsonText.pipe(z.tuple([z.int()], z.unknown())).transform(([endsAt, ...content]) => ({
  endsAt,
  content,
}));

/** HMAC-SHA-256, of which half is enough (RFC 2104, 5). */
function signatureOf(secret: string, purpose: Purpose, body: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}.${body}`).digest().subarray(0, 16);
}
