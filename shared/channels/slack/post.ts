import { chatAnswerOf, postToWebhook } from '#shared/channels/post-to-webhook.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import type { HttpClient } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { ReadSecret } from '#shared/clients/secrets.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { isSlackUrl } from './address.ts';

/** Slack's incoming webhooks, whose URLs are secrets. */
export type Slack = {
  readonly post: (
    url: string,
    notification: Notification,
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
};

/** Slack, reached at `origin`. */
export function createSlack(http: HttpClient, origin: string, now: () => Instant): Slack {
  return {
    post: async (url, notification, signal) => {
      if (!isSlackUrl(url)) return { kind: 'refused', reason: 'the secret is no webhook of Slack' };
      return await postToWebhook(
        http,
        {
          url: new URL(new URL(url).pathname, origin),
          body: JSON.stringify(slackMessage(notification)),
        },
        signal,
        ({ status, headers, body }) =>
          chatAnswerOf(status, codeIn(body), secondsToWait(headers, now())),
      );
    },
  };
}

/**
 * The stack's own Slack webhook. What the remembered URL refuses is sent once more where the secret
 * has been replaced meanwhile.
 */
export function createStackSlack(
  slack: Slack,
  readUrl: ReadSecret,
): (notification: Notification, signal: AbortSignal) => Promise<ChatAnswer> {
  return async (notification, signal) => {
    const known = await readUrl(false);
    const answer = await slack.post(known, notification, signal);
    if (answer.kind !== 'refused') return answer;
    const fresh = await readUrl(true);
    return fresh === known ? answer : await slack.post(fresh, notification, signal);
  };
}

/** Slack says in one word what is wrong, `no_service`; anything else is not Slack's. */
function codeIn(body: string): string | undefined {
  return /^[a-z_]{1,40}$/.test(body) ? body : undefined;
}
