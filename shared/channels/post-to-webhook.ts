import * as z from 'zod';
import {
  type HttpClient,
  HttpError,
  type HttpErrorReason,
  type HttpResponse,
} from '#shared/clients/http-client.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { addressIn } from '#shared/domain/channels/public-address.ts';

/** A notification in the form of its channel, on its way to a webhook. */
export type Post = {
  /** `POST` where it is left out. */
  readonly method?: 'POST' | 'PATCH' | undefined;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless a header says otherwise. */
  readonly body: string | Buffer;
};

/** Posts to a webhook. No word of the URL or of what was sent is in the answer. */
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
    // What a name stands for may change; an address that is not to be asked stays what it is.
    const isFinal = error.reason === 'not_public' && addressIn(url) !== undefined;
    return { kind: isFinal ? 'refused' : 'failed', reason: reasonOf(error) };
  }
}

/** The system's code, such as `ENOTFOUND`, helps the owner of the host, and reveals no more. */
function reasonOf({ reason, cause }: HttpError): string {
  if (reason !== 'network') return REASONS[reason];
  const code = SystemError.safeParse(cause).data?.code;
  return code === undefined ? REASONS.network : `${REASONS.network} (${code})`;
}

const REASONS: Readonly<Record<HttpErrorReason, string>> = {
  timeout: 'it did not answer in time',
  network: 'it could not be reached',
  too_large: 'its answer was too large',
  garbage: 'its answer could not be read',
  not_public: 'its address is not public',
  not_loopback: 'a stack on one machine asks webhooks at 127.0.0.1 only',
};

const SystemError = z.object({ code: z.string().regex(/^[A-Z0-9_]{1,40}$/) });
