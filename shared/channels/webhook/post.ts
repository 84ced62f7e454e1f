import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { postToWebhook } from '#shared/channels/post-to-webhook.ts';
import type {
  HttpClient,
  HttpGuard,
  HttpLimits,
  HttpResponse,
} from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import {
  type AlertBatch,
  type AlertMessage,
  alertMessage,
} from '#shared/domain/alerting/alert-message.ts';
import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';

/** Posts to webhooks of lists. Each request is signed according to Standard Webhooks. */
export type SignedWebhooks = {
  readonly post: (
    url: string,
    secrets: readonly string[],
    notification: Notification,
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
  /**
   * Sends a signed challenge. Returns `sent` if the response repeats the challenge, which proves
   * that the owner of the URL accepts alerts there.
   */
  readonly prove: (
    url: string,
    secrets: readonly string[],
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
};

/** HTTP clients for URLs that tenants chose. */
export type SignedWebhookClients = {
  readonly alerts: HttpClient;
  readonly challenges: HttpClient;
};

/**
 * Clients that refuse addresses outside the allowed destinations. Only the response to a challenge
 * is read.
 */
export function createWebhookClients(
  httpClient: (limits: HttpLimits, guard: HttpGuard) => HttpClient,
  limits: Omit<HttpLimits, 'maxBodyBytes'>,
  guard: HttpGuard,
): SignedWebhookClients {
  return {
    alerts: httpClient({ ...limits, maxBodyBytes: 'unread' }, guard),
    challenges: httpClient({ ...limits, maxBodyBytes: 4096 }, guard),
  };
}

export type SignedWebhooksWorld = {
  readonly now: () => Instant;
  /**
   * The time of signatures: receivers reject timestamps that differ from their own time by minutes.
   */
  readonly wallClock: () => Instant;
  /** A random text that nobody can guess. */
  readonly newChallenge: () => string;
};

export function createSignedWebhooks(
  { alerts, challenges }: SignedWebhookClients,
  { now, wallClock, newChallenge }: SignedWebhooksWorld,
): SignedWebhooks {
  const signed = (url: string, secrets: readonly string[], id: string, posted: object) => {
    const body = JSON.stringify(posted);
    const timestamp = Math.floor(wallClock() / SECOND);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': secrets
        .map((secret) => signature(secret, `${id}.${timestamp}.${body}`))
        .join(' '),
    };
    return { url: new URL(url), headers, body };
  };

  return {
    post: async (url, secrets, notification, signal) => {
      const body = bodyOf(notification);
      if (body === undefined) {
        return { kind: 'refused', reason: 'webhooks receive alerts, not digests' };
      }
      const answerNow = (response: HttpResponse) => answerOf(response, now());
      const post = signed(url, secrets, notificationId(notification), body);
      return await postToWebhook(alerts, post, signal, answerNow);
    },

    prove: async (url, secrets, signal) => {
      const challenge = newChallenge();
      const post = signed(url, secrets, `challenge.${challenge}`, { type: 'challenge', challenge });
      return await postToWebhook(challenges, post, signal, (response) => {
        const answer = answerOf(response, now());
        return answer.kind === 'sent' && !returnsChallenge(response.body, challenge)
          ? { kind: 'failed', reason: 'the response does not repeat the challenge' }
          : answer;
      });
    },
  };
}

function bodyOf(notification: Notification): AlertMessage | AlertBatch | undefined {
  if (notification.kind === 'alert') return alertMessage(notification);
  const { singly } = notification;
  return singly && { type: 'alerts', alerts: singly.map(alertMessage) };
}

/**
 * Whether a response body is the challenge as plain text, or an object with the challenge as its
 * only member. The request has a second member, so a server that only echoes requests does not
 * pass.
 */
function returnsChallenge(body: string, challenge: string): boolean {
  if (body.trim() === challenge) return true;
  const answer = z.strictObject({ challenge: z.literal(challenge) });
  return JsonText.pipe(answer).safeParse(body).success;
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** Only 410 means that the webhook accepts no more alerts; all other errors may be temporary. */
function answerOf({ status, headers }: HttpResponse, now: Instant): ChatAnswer {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 410) return { kind: 'gone', reason: 'HTTP 410 Gone' };
  const seconds = secondsToWait(headers, now);
  return {
    kind: 'failed',
    reason: `HTTP ${status}`,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  };
}
