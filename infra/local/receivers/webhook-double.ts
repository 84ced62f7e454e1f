import type { Server } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import * as z from 'zod';
import { readMessage } from '#shared/channels/chat-double.ts';
import { AlertBatch, AlertMessage } from '#shared/domain/alerting/alert-message.ts';
import { createReceiver, type OnRefusal, type Post } from './receiver.ts';

export type WebhookPost = { readonly path: string; readonly alert: AlertMessage };

/** A path that accepts three alerts and then responds with 410 Gone. */
export const CLOSED = '/closed';
const TAKEN_WHERE_CLOSED = 3;

/**
 * A fake of a webhook's server. It accepts only alerts that the reference implementation of
 * Standard Webhooks verifies, and echoes challenges. At the path `CLOSED` it rejects all alerts
 * after the first three.
 */
export function createWebhookDouble(
  secret: string,
  onPost: (post: WebhookPost) => void,
  onRefusal: OnRefusal,
): Server {
  const standard = new Webhook(secret);
  let taken = 0;
  return createReceiver((post) => {
    const issue = issueAbout(standard, post);
    if (issue !== undefined) return { status: 401, issue: `webhook: ${issue}` };
    const asked = readMessage(Challenge, post.body);
    if ('message' in asked) return { status: 200, body: asked.message.challenge };
    const read = readMessage(AlertMessage.or(AlertBatch), post.body);
    if (post.path === CLOSED) {
      taken += 1;
      return { status: taken > TAKEN_WHERE_CLOSED ? 410 : 204 };
    }
    if ('issue' in read) return { status: 400, issue: `webhook: ${read.issue}` };
    const alerts = 'alerts' in read.message ? read.message.alerts : [read.message];
    for (const alert of alerts) onPost({ path: post.path, alert });
    return { status: 204 };
  }, onRefusal);
}

/**
 * The reason why the reference implementation rejects a message; undefined if it accepts the
 * message.
 */
function issueAbout(standard: Webhook, { headers, body }: Post): string | undefined {
  const signed = SignedHeaders.safeParse(headers);
  if (!signed.success) return 'missing signature';
  try {
    standard.verify(body, signed.data);
    return undefined;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.message;
  }
}

const Challenge = z.object({ type: z.literal('challenge'), challenge: z.string() });

const SignedHeaders = z.object({
  'webhook-id': z.string(),
  'webhook-timestamp': z.string(),
  'webhook-signature': z.string(),
});
