import type { Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { createReceiver, type OnRefusal, type Post, readMessage } from './receiver.ts';

export type WebhookPost = { readonly path: string; readonly alert: Alert };

/** The path at which nothing is wanted any more. */
export const CLOSED = '/closed';

/** So far may a message's own time be from that of its receiver, by Standard Webhooks. */
const TOLERANCE_MILLISECONDS = 5 * 60_000;

/**
 * A server of somebody who gets alerts at a webhook: it takes none whose signature the reference
 * implementation of Standard Webhooks does not make with its secret as well. At `CLOSED` it
 * wants nothing any more.
 */
export function createWebhookDouble(
  secret: string,
  now: () => number,
  onPost: (post: WebhookPost) => void,
  onRefusal: OnRefusal,
): Server {
  const standard = new Webhook(secret);
  return createReceiver((post) => {
    const complaint = complaintAbout(standard, post, now());
    if (complaint !== undefined) return { status: 401, complaint: `webhook: ${complaint}` };
    const read = readMessage(Alert, post.body);
    if (post.path === CLOSED) return { status: 410 };
    if ('complaint' in read) return { status: 400, complaint: `webhook: ${read.complaint}` };
    onPost({ path: post.path, alert: read.message });
    return { status: 204 };
  }, onRefusal);
}

/** By hand, since `verify` goes by the real time, and messages here are signed in virtual time. */
function complaintAbout(standard: Webhook, { headers, body }: Post, now: number) {
  const read = SignedHeaders.safeParse(headers);
  if (!read.success) return 'it is not signed';
  const { 'webhook-id': id, 'webhook-timestamp': seconds } = read.data;
  const signatures = read.data['webhook-signature'].split(' ');
  const signedAt = new Date(Number(seconds) * 1000);
  if (Math.abs(now - signedAt.getTime()) > TOLERANCE_MILLISECONDS) return 'it is of another time';
  return signatures.includes(standard.sign(id, signedAt, body))
    ? undefined
    : 'its signature is not by the secret';
}

const SignedHeaders = z.object({
  'webhook-id': z.string().min(1),
  'webhook-timestamp': z.string().regex(/^\d+$/),
  'webhook-signature': z.string(),
});
