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
      return { kind: 'denied', reason: reasonOfDenial(body, denied) };
    case 404:
      return isPageOfHtml(body) ? { kind: 'failed', reason: 'garbage' } : { kind: 'not_found' };
    case 408:
      return { kind: 'failed', reason: 'timeout' };
    case 429:
      return isQuotaUsedUp(body)
        ? { kind: 'denied', reason: 'quota' }
        : throttled(secondsToWait(headers, now) ?? secondsToReset(headers));
    default:
      return { kind: 'failed', reason: 'bad_request' };
  }
}

/** Why a provider denies its service. Some reasons read the same at every provider. */
function reasonOfDenial(body: string, denied: Manners['denied']): Denied {
  if (isPageOfHtml(body)) return 'blocked';
  return isQuotaUsedUp(body) ? 'quota' : denied(body);
}

/** Whether a firewall or a proxy answers: no provider answers its interface with HTML. */
function isPageOfHtml(body: string): boolean {
  return body.trimStart().startsWith('<');
}

/**
 * Whether the quota of a month is used up, which a pause of seconds does not renew: "Monthly capacity
 * limit exceeded". A limit per second is throttling.
 */
export function isQuotaUsedUp(text: string): boolean {
  return (
    !isPageOfHtml(text) &&
    /\bmonthly\b.{0,40}\b(?:capacity|quota|limit|usage|credits)\b/i.test(text)
  );
}
