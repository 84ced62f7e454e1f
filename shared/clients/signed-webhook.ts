import { createHmac } from 'node:crypto';
import type { Letter } from '#shared/domain/alerting/letter.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { HttpClient, HttpResponse } from './http-client.ts';
import { postToWebhook } from './post-to-webhook.ts';
import { secondsToWait } from './retry-after.ts';

/** Webhooks of anybody's, signed as Standard Webhooks says. */
export type SignedWebhooks = {
  readonly post: (
    url: string,
    secrets: readonly string[],
    letter: Letter,
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
};

export type SignedWebhooksClocks = {
  readonly now: () => Instant;
  /** What an attempt is signed at: receivers take none that is minutes away from their own time. */
  readonly wallClock: () => Instant;
};

/** `http` is to let no address be asked that strangers are not to name. */
export function createSignedWebhooks(
  http: HttpClient,
  { now, wallClock }: SignedWebhooksClocks,
): SignedWebhooks {
  return {
    post: async (url, secrets, letter, signal) => {
      if (letter.kind !== 'alert') {
        return { kind: 'refused', reason: 'a webhook takes alerts one by one' };
      }
      const { id } = letter.alert;
      const body = JSON.stringify(letter.alert);
      const timestamp = Math.floor(wallClock() / SECOND);
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': `${timestamp}`,
        'webhook-signature': secrets
          .map((secret) => signature(secret, `${id}.${timestamp}.${body}`))
          .join(' '),
      };
      const meaningOf = (response: HttpResponse) => answerOf(response, now());
      return await postToWebhook(http, { url: new URL(url), headers, body }, signal, meaningOf);
    },
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** Only 410 says that nothing is wanted any more; all else but success may be better next time. */
function answerOf({ status, headers }: HttpResponse, now: Instant): ChatAnswer {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 410) return { kind: 'gone' };
  const seconds = secondsToWait(headers, now);
  return {
    kind: 'failed',
    reason: `it answered ${status}`,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  };
}
