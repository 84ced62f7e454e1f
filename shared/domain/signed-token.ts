import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { JsonText } from './json-text.ts';
import type { Instant } from './market/instant.ts';

/**
 * The purpose of a token. It is part of the signature, so a token cannot be used for another
 * purpose.
 */
export type Purpose = 'chart' | 'action' | 'unsubscribe';

/**
 * The result of opening a token: its content, or whether it has expired (`ended`) or has an invalid
 * signature (`forged`).
 */
export type OpenedToken<Content> =
  | { readonly kind: 'opened'; readonly content: Content; readonly endsAt: Instant }
  | { readonly kind: 'ended' }
  | { readonly kind: 'forged' };

/** The maximum length of a token that chats accept in a URL. */
const LONGEST = 400;

/**
 * Signs content and an expiry as a token for a URL. Nothing is stored for the token, and everybody
 * who has the URL has access. Undefined if the token would be too long.
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

/** Verifies and reads a token. */
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
  // If the signature is valid but the content cannot be parsed, another version wrote it.
  if (!signed.success || !content.success || now >= signed.data.endsAt) return { kind: 'ended' };
  return { kind: 'opened', content: content.data, endsAt: signed.data.endsAt };
}

const FORM = /^([\w-]{1,400})\.([\w-]{22})$/;

const Signed = JsonText.pipe(z.tuple([z.int()], z.unknown())).transform(([endsAt, ...content]) => ({
  endsAt,
  content,
}));

/** HMAC-SHA-256, truncated to half its length, which is sufficient (RFC 2104, 5). */
function signatureOf(secret: string, purpose: Purpose, body: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}.${body}`).digest().subarray(0, 16);
}
