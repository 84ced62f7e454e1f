import * as z from 'zod';
import type { HttpClient, HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { wakesSomebody } from '#shared/domain/channels/shown-episodes.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { postToWebhook } from './post-to-webhook.ts';

/** How a chat is asked to show a notification, and what its answers mean. */
export type Chat<Address> = {
  /** Undefined where the address is not of the form that the service gives. */
  readonly requestOf: (
    address: Address,
    notification: Notification,
    signing: Signing,
  ) => ChatRequest | undefined | Promise<ChatRequest | undefined>;
  /** Whether an answer of success is none: of a service that says so in the body. */
  readonly isRefusal?: (response: HttpResponse) => boolean;
  /** What the service says in an answer that is no success. */
  readonly problemIn: (response: HttpResponse) => ChatProblem;
  /** Of a service whose messages can be changed. */
  readonly editing?: Editing<Address>;
};

/** How the later news of an episode are written into the message that shows it. */
type Editing<Address> = {
  /** Whether a channel wants that. */
  readonly isWanted: (address: Address) => boolean;
  /** What the service calls the message that it has taken. */
  readonly messageIn: (response: HttpResponse) => string | undefined;
  /** The notification in the place of a message. */
  readonly editOf: (
    address: Address,
    notification: Notification,
    message: string,
  ) => ChatRequest | undefined;
  /** Whether a refusal says that the message is so already. */
  readonly isUnchanged?: (response: HttpResponse) => boolean;
};

type ChatRequest = {
  readonly method?: 'PATCH';
  /** Of a host that only the service has. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as the bytes that it is. */
  readonly message: object | Buffer;
};

type ChatProblem = {
  /** What the service calls it: of a form that only the service writes, since it is shown. */
  readonly code: string | undefined;
  /** How long to wait, where the body says so; a header comes first. */
  readonly seconds: number | undefined;
  /** Whether the address is not there any more, for this and every other notification. */
  readonly isGone: boolean;
  /** Whether it is to be tried again, though the status does not say so. */
  readonly isPassing?: boolean;
};

export type PostToChat<Address> = (
  address: Address,
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

/** A chat, reached at its service, or at the origin that is given. */
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
      const reason = `it answered ${status}${code === undefined ? '' : ` ${code}`}`;
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
    // A message that somebody has deleted, or that cannot be changed any more, shows nothing.
    if (alert.kind === 'acknowledged') return { kind: 'skipped', reason: answer.reason };
    return await post(address, notification, signal);
  };
}

/** Slack refuses all of a message whose picture it cannot load at once. */
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
  /** Needed for Web Push alone. */
  readonly vapid?: Vapid;
};

/** Identifies the stage to push services: its private key, and an address of its operators. */
export type Vapid = { readonly readKey: () => Promise<string>; readonly contact: string };

const NO_ADDRESS = 'its secret is not of the form that its service gives';

/** The seconds to wait in a body, at most a day; undefined where they make no sense. */
export const SecondsInBody = z
  .number()
  .min(0)
  .transform((seconds) => Math.min(Math.ceil(seconds), DAY / SECOND))
  .optional()
  .catch(undefined);
