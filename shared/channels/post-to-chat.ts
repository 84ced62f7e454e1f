import * as z from 'zod';
import type { HttpClient, HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { postToWebhook } from './post-to-webhook.ts';

/** How a chat is asked to show a notification, and what its answers mean. */
export type Chat<Address> = {
  /** Undefined where the address is not of the form that the service gives. */
  readonly requestOf: (address: Address, notification: Notification) => ChatRequest | undefined;
  /** What the service says in an answer that is no success. */
  readonly problemIn: (response: HttpResponse) => ChatProblem;
};

type ChatRequest = {
  /** Of a host that only the service has. */
  readonly url: string;
  /** As JSON. */
  readonly message: object;
};

type ChatProblem = {
  /** What the service calls it: of a form that only the service writes, since it is shown. */
  readonly code: string | undefined;
  /** How long to wait, where the body says so; a header comes first. */
  readonly seconds: number | undefined;
  /** Whether the address is not there any more, for this and every other notification. */
  readonly isGone: boolean;
};

export type PostToChat<Address> = (
  address: Address,
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

/** A chat, reached at its service, or at the origin that is given. */
export function createPostToChat<Address>(
  { requestOf, problemIn }: Chat<Address>,
  { http, origin, now }: ChatWorld & { readonly origin: string | undefined },
): PostToChat<Address> {
  const postOnce: PostToChat<Address> = async (address, notification, signal) => {
    const request = requestOf(address, notification);
    if (request === undefined) return { kind: 'refused', reason: NO_ADDRESS };
    const { pathname, search, origin: service } = new URL(request.url);
    const url = new URL(pathname + search, origin ?? service);
    const post = { url, body: JSON.stringify(request.message) };
    return await postToWebhook(http, post, signal, (response) => {
      const { status } = response;
      if (status >= 200 && status < 300) return { kind: 'sent' };
      const { code, seconds: inBody, isGone } = problemIn(response);
      const reason = `it answered ${status}${code === undefined ? '' : ` ${code}`}`;
      if (isGone) return { kind: 'gone', reason };
      if (status !== 429 && status < 500) return { kind: 'refused', reason };
      const asked = secondsToWait(response.headers, now()) ?? inBody;
      const seconds = asked ?? (status === 429 ? 1 : undefined);
      return {
        ...{ kind: 'failed', reason },
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
      };
    });
  };
  return async (address, notification, signal) => {
    const answer = await postOnce(address, notification, signal);
    const hasChart = notification.kind === 'alert' && notification.chart !== undefined;
    if (answer.kind !== 'refused' || !hasChart) return answer;
    // Slack refuses all of a message whose picture it cannot load at once.
    return await postOnce(address, { ...notification, chart: undefined }, signal);
  };
}

export type ChatWorld = {
  readonly http: HttpClient;
  readonly now: () => Instant;
};

const NO_ADDRESS = 'its secret is not of the form that its service gives';

/** The seconds to wait in a body, at most a day; undefined where they make no sense. */
export const SecondsInBody = z
  .number()
  .min(0)
  .transform((seconds) => Math.min(Math.ceil(seconds), DAY / SECOND))
  .optional()
  .catch(undefined);
