import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { ChatAnswer } from '#shared/domain/alerting/chat-answer.ts';
import { slackMessage } from '#shared/domain/alerting/slack-message.ts';
import { type HttpClient, HttpError, type HttpResponse } from './http-client.ts';
import type { ReadSecret } from './secrets.ts';

export type SlackWebhook = {
  readonly post: (alert: Alert, signal: AbortSignal) => Promise<ChatAnswer>;
};

/**
 * An incoming webhook of Slack, whose URL is a secret; any other origin than `origin` is refused.
 * What the remembered URL refuses is sent once more where the secret has been replaced meanwhile.
 */
export function createSlackWebhook(
  http: HttpClient,
  readUrl: ReadSecret,
  origin: string,
): SlackWebhook {
  const postTo = async (text: string, alert: Alert, signal: AbortSignal): Promise<ChatAnswer> => {
    const url = URL.parse(text);
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
  };

  return {
    post: async (alert, signal) => {
      const known = await readUrl(false);
      const answer = await postTo(known, alert, signal);
      if (answer.kind !== 'refused') return answer;
      const fresh = await readUrl(true);
      return fresh === known ? answer : await postTo(fresh, alert, signal);
    },
  };
}

function meaningOf({ status, headers, body }: HttpResponse): ChatAnswer {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `${status} ${body.slice(0, 60)}`.trim();
  if (status === 429) {
    return { kind: 'failed', reason, retryAfterSeconds: Number(headers['retry-after']) || 1 };
  }
  return { kind: status >= 500 ? 'failed' : 'refused', reason };
}
