import * as z from 'zod';
import type { HttpClient, HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { wakesSomebody } from '#shared/domain/channels/shown-episodes.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { postToWebhook } from './post-to-webhook.ts';

/** How to build the requests of a chat service, and how to read its responses. */
export type Chat<Address> = {
  /** Undefined if the address does not have the form of the service. */
  readonly requestOf: (
    address: Address,
    notification: Notification,
    signing: Signing,
  ) => ChatRequest | undefined | Promise<ChatRequest | undefined>;
  /**
   * Whether a response with a success status is an error, for services that report errors in the
   * body.
   */
  readonly isRefusal?: (response: HttpResponse) => boolean;
  /** The problem in an error response. */
  readonly problemIn: (response: HttpResponse) => ChatProblem;
  /** Only for services whose messages can be edited. */
  readonly editing?: Editing<Address>;
};

/** How later alerts of an episode edit its message. */
type Editing<Address> = {
  /** Whether the channel is configured to edit messages. */
  readonly isWanted: (address: Address) => boolean;
  /** The id of the accepted message. */
  readonly messageIn: (response: HttpResponse) => string | undefined;
  /** The request that replaces a message. */
  readonly editOf: (
    address: Address,
    notification: Notification,
    message: string,
  ) => ChatRequest | undefined;
  /** Whether the service refused the edit because the message already has this text. */
  readonly isUnchanged?: (response: HttpResponse) => boolean;
};

type ChatRequest = {
  readonly method?: 'PATCH';
  /** The host must belong to the service. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as bytes. */
  readonly message: object | Buffer;
};

type ChatProblem = {
  /**
   * The error code of the service. It is shown to people, so it must match the pattern of the codes
   * of this service.
   */
  readonly code: string | undefined;
  /** The seconds to wait according to the body; a `Retry-After` header takes precedence. */
  readonly seconds: number | undefined;
  /** Whether the address no longer exists, so that every other notification would fail as well. */
  readonly isGone: boolean;
  /** Whether to retry although the status normally means a permanent refusal. */
  readonly isPassing?: boolean;
};

export type PostToChat<Address> = (
  address: Address,
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

/** Posts to a chat at its service, or at `origin` if it is given. */
export function createPostToChat<Address>(
  { requestOf, isRefusal, problemIn, editing }: Chat<Address>,
  world: ChatWorld & { readonly origin: string | undefined },
): PostToChat<Address> {
  const { http, origin, now } = world;
  const ask = async (
    request: ChatRequest | undefined,
    signal: AbortSignal,
    shows: (response: HttpResponse) => string | undefined,
  ): Promise<ChatAnswer> => {
    if (request === undefined) return { kind: 'refused', reason: NO_ADDRESS };
    const { pathname, search, origin: service } = new URL(request.url);
    const url = new URL(pathname + search, origin ?? service);
    const { method, headers = {}, message } = request;
    const sent = Buffer.isBuffer(message) ? message : JSON.stringify(message);
    const post = { method, url, headers, body: sent };
    return await postToWebhook(http, post, signal, (response) => {
      const { status } = response;
      const isTaken = status >= 200 && status < 300 && isRefusal?.(response) !== true;
      if (isTaken || editing?.isUnchanged?.(response) === true) {
        const shown = shows(response);
        return { kind: 'sent', ...(shown === undefined ? {} : { shows: shown }) };
      }
      const { code, seconds: inBody, isGone, isPassing = false } = problemIn(response);
      const reason = `HTTP ${status}${code === undefined ? '' : ` ${code}`}`;
      if (isGone) return { kind: 'gone', reason };
      if (status !== 429 && status < 500 && !isPassing) return { kind: 'refused', reason };
      const asked = secondsToWait(response.headers, now()) ?? inBody;
      const seconds = asked ?? (status === 429 ? 1 : undefined);
      return {
        ...{ kind: 'failed', reason },
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
      };
    });
  };
  const post: PostToChat<Address> = async (address, notification, signal) =>
    await withoutChartIfRefused(notification, async (shown) => {
      const request = await requestOf(address, shown, world);
      return await ask(request, signal, (response) => editing?.messageIn(response));
    });
  return async (address, notification, signal) => {
    if (notification.kind === 'digest' || editing?.isWanted(address) !== true) {
      return await post(address, notification, signal);
    }
    const { alert, shownBy } = notification;
    if (shownBy === undefined || wakesSomebody(alert)) {
      return await post(address, notification, signal);
    }
    const answer = await withoutChartIfRefused(notification, (shown) =>
      ask(editing.editOf(address, shown, shownBy), signal, () => shownBy),
    );
    if (answer.kind !== 'refused') return answer;
    // The message was deleted or can no longer be edited, so there is nothing to acknowledge.
    if (alert.kind === 'acknowledged') return { kind: 'skipped', reason: answer.reason };
    return await post(address, notification, signal);
  };
}

/**
 * Repeats a refused request without the chart: Slack refuses a message if it cannot load the image
 * of the message immediately.
 */
async function withoutChartIfRefused(
  notification: Notification,
  ask: (shown: Notification) => Promise<ChatAnswer>,
): Promise<ChatAnswer> {
  const answer = await ask(notification);
  const hasChart = notification.kind === 'alert' && notification.chart !== undefined;
  return answer.kind === 'refused' && hasChart
    ? await ask({ ...notification, chart: undefined })
    : answer;
}

export type ChatWorld = Signing & { readonly http: HttpClient };

type Signing = {
  readonly now: () => Instant;
  /** Only for Web Push. */
  readonly vapid?: Vapid;
};

/**
 * Identifies the stage to push services: its private key, and a contact address of its operators.
 */
export type Vapid = { readonly readKey: () => Promise<string>; readonly contact: string };

const NO_ADDRESS =
  'the URL or token does not have the format that the service expects; enter it again';

/** The seconds to wait from a response body, at most a day; undefined if invalid. */
export const SecondsInBody = z
  .number()
  .min(0)
  .transform((seconds) => Math.min(Math.ceil(seconds), DAY / SECOND))
  .optional()
  .catch(undefined);
