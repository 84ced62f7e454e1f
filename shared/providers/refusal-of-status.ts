import type { HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { throttled } from './call-provider.ts';

type Denied = Extract<Refusal, { kind: 'denied' }>['reason'];

/** How a provider says the rest: why it denies, and when its rate window ends. */
type Manners = {
  readonly denied: (body: string) => Denied;
  readonly secondsToReset?: (headers: HttpResponse['headers']) => number | undefined;
};

/** What the status of an answer means; undefined where the body is to be read. */
export function refusalOfStatus(
  { status, headers, body }: HttpResponse,
  now: Instant,
  { denied, secondsToReset = () => undefined }: Manners,
): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return { kind: 'failed', reason: 'redirect' };
  if (status >= 500) return { kind: 'failed', reason: 'server_error' };
  switch (status) {
    case 401:
    case 402:
    case 403:
      return { kind: 'denied', reason: denied(body) };
    case 404:
      // A page of HTML comes from another server.
      return body.trimStart().startsWith('<')
        ? { kind: 'failed', reason: 'garbage' }
        : { kind: 'not_found' };
    case 408:
      return { kind: 'failed', reason: 'timeout' };
    case 429:
      return throttled(secondsToWait(headers, now) ?? secondsToReset(headers));
    default:
      return { kind: 'failed', reason: 'bad_request' };
  }
}
