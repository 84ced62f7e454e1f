import {
  type HttpClient,
  HttpError,
  type HttpRequest,
  type HttpResponse,
} from '#shared/clients/http-client.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';

/** The dependencies of a provider's client. */
export type ProviderSettings = {
  readonly http: HttpClient;
  /** The base URL of the service, without a path. */
  readonly baseUrl: string;
  /** The API key. `refresh` bypasses the cache after a key was refused. */
  readonly apiKey: (refresh: boolean) => Promise<string>;
  readonly now: () => Instant;
};

/**
 * Calls a provider and reads the outcome. If the key is refused and was replaced in the meantime,
 * the call is repeated once.
 */
export async function callProvider<Value>(
  settings: ProviderSettings,
  request: (key: string) => Omit<HttpRequest, 'signal'>,
  read: (response: HttpResponse) => Outcome<Value>,
  signal: AbortSignal,
): Promise<Outcome<Value>> {
  const attempt = async (key: string) => {
    noteRequest();
    try {
      return read(await settings.http.request({ ...request(key), signal }));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const { reason } = error;
      const isGuarded = reason === 'not_public' || reason === 'not_loopback';
      return { kind: 'failed', reason: isGuarded ? 'network' : reason } as const;
    }
  };
  const key = await keyFrom(settings, false, signal);
  // Reading the key failed, which may be temporary and does not mean that the key is invalid.
  if (key === undefined) return { kind: 'failed', reason: 'network' };
  const outcome = await attempt(key);
  if (outcome.kind !== 'denied' || outcome.reason !== 'key') return outcome;
  const fresh = await keyFrom(settings, true, signal);
  return fresh === undefined || fresh === key ? outcome : await attempt(fresh);
}

async function keyFrom(
  { apiKey }: ProviderSettings,
  refresh: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await apiKey(refresh);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

export function throttled(seconds: number | undefined): Refusal {
  return seconds === undefined
    ? { kind: 'throttled' }
    : { kind: 'throttled', retryAfterSeconds: seconds };
}
