import type { Alert } from '#shared/domain/alerting/alert.ts';
import { slackMessage } from '#shared/domain/alerting/slack-message.ts';
import { type HttpClient, HttpError, type HttpResponse } from './http-client.ts';
import type { ReadSecret } from './secrets.ts';

/** What Slack said to a message; `refused` will not change by trying again. */
export type SlackAnswer =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterSeconds?: number };

export type SlackWebhook = {
  readonly post: (alert: Alert, signal: AbortSignal) => Promise<SlackAnswer>;
};

/** An incoming webhook of Slack, whose URL is a secret; any other origin than `origin` is refused. */
export function createSlackWebhook(
  http: HttpClient,
  readUrl: ReadSecret,
  origin: string,
): SlackWebhook {
  return {
    post: async (alert, signal) => {
      const url = URL.parse(await readUrl(false));
      if (url?.origin !== new URL(origin).origin) {
        return { kind: 'refused', reason: `the webhook is not of ${origin}` };
      }
      try {
        const response = await http.request({
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify(slackMessage(alert)),
          signal,
        });
        return meaningOf(response);
      } catch (error) {
        if (error instanceof HttpError) return { kind: 'failed', reason: error.reason };
        throw error;
      }
    },
  };
}

function meaningOf({ status, headers, body }: HttpResponse): SlackAnswer {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `${status} ${body.slice(0, 60)}`.trim();
  if (status === 429) {
    return { kind: 'failed', reason, retryAfterSeconds: Number(headers['retry-after']) || 1 };
  }
  return { kind: status >= 500 ? 'failed' : 'refused', reason };
}
