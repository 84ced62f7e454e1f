import * as z from 'zod';
import {
  type HttpClient,
  HttpError,
  type HttpErrorReason,
  type HttpResponse,
} from '#shared/clients/http-client.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { addressIn } from '#shared/domain/channels/public-address.ts';

/** A request to a webhook. */
export type Post = {
  /** Defaults to `POST`. */
  readonly method?: 'POST' | 'PATCH' | undefined;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless a header specifies another type. */
  readonly body: string | Buffer;
};

/** Posts to a webhook. The result contains no part of the URL or of the request. */
export async function postToWebhook(
  http: HttpClient,
  { method = 'POST', url, headers, body }: Post,
  signal: AbortSignal,
  answerOf: (response: HttpResponse) => ChatAnswer,
): Promise<ChatAnswer> {
  const sent = { 'content-type': 'application/json', ...headers };
  try {
    return answerOf(await http.request({ method, url, headers: sent, body, signal }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.reason === 'not_loopback') {
      return { kind: 'refused', reason: REASONS.not_loopback };
    }
    // A host name may later resolve to another address, so only a URL with a literal IP address
    // that is not public is refused permanently.
    const isFinal = error.reason === 'not_public' && addressIn(url) !== undefined;
    return { kind: isFinal ? 'refused' : 'failed', reason: reasonOf(error) };
  }
}

/**
 * The operating system's error code, such as `ENOTFOUND`, helps the owner of the host and reveals
 * nothing else.
 */
function reasonOf({ reason, cause }: HttpError): string {
  if (reason !== 'network') return REASONS[reason];
  const code = SystemError.safeParse(cause).data?.code;
  return code === undefined ? REASONS.network : `${REASONS.network} (${code})`;
}

const REASONS: Readonly<Record<HttpErrorReason, string>> = {
  timeout: 'the request timed out',
  network: 'the host could not be reached',
  too_large: 'the response was too large',
  garbage: 'the response could not be decoded',
  not_public: 'the address of the host is not public',
  not_loopback: 'a local stack sends webhooks only to 127.0.0.1',
};

const SystemError = z.object({ code: z.string().regex(/^[A-Z0-9_]{1,40}$/) });
