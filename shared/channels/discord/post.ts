import * as z from 'zod';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { chatAnswerOf, postToWebhook } from '#shared/channels/post-to-webhook.ts';
import type { HttpClient } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { isDiscordUrl } from './address.ts';

/** Discord's webhooks, whose URLs are secrets. */
export type Discord = {
  readonly post: (
    url: string,
    notification: Notification,
    signal: AbortSignal,
  ) => Promise<ChatAnswer>;
};

/** Discord, reached at `origin`. It is asked to wait, so that what it says is about the message. */
export function createDiscord(http: HttpClient, origin: string, now: () => Instant): Discord {
  return {
    post: async (url, notification, signal) => {
      if (!isDiscordUrl(url)) {
        return { kind: 'refused', reason: 'the secret is no webhook of Discord' };
      }
      return await postToWebhook(
        http,
        {
          url: new URL(`${new URL(url).pathname}?wait=true`, origin),
          body: JSON.stringify(discordMessage(notification)),
        },
        signal,
        ({ status, headers, body }) => {
          const { code, retry_after: seconds } = problemIn(body);
          return chatAnswerOf(
            status,
            code === undefined ? undefined : `code ${code}`,
            secondsToWait(headers, now()) ?? seconds,
          );
        },
      );
    },
  };
}

/** What Discord says is wrong, by a number, and how many seconds to wait. */
const Problem = z.object({
  code: z.int().optional().catch(undefined),
  retry_after: z
    .number()
    .min(0)
    .transform((seconds) => Math.min(Math.ceil(seconds), DAY / SECOND))
    .optional()
    .catch(undefined),
});

function problemIn(body: string): z.output<typeof Problem> {
  try {
    return Problem.safeParse(JSON.parse(body)).data ?? {};
  } catch {
    return {};
  }
}
