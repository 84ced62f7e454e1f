import type { HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { throttled } from './call-provider.ts';

type Denied = Extract<Refusal, { kind: 'denied' }>['reason'];

/** The provider-specific parts: the reason of a denial, and the end of the rate limit's window. */
type Manners = {
  readonly denied: (body: string) => Denied;
  readonly secondsToReset?: (headers: HttpResponse['headers']) => number | undefined;
};

/** The refusal of an error status; undefined if the body must be read. */
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

/** The reason for a denial. Some reasons are recognized for all providers. */
function reasonOfDenial(body: string, denied: Manners['denied']): Denied {
  if (isPageOfHtml(body)) return 'blocked';
  return isQuotaUsedUp(body) ? 'quota' : denied(body);
}

/** Whether a firewall or proxy responded, because no provider's API returns HTML. */
function isPageOfHtml(body: string): boolean {
  return body.trimStart().startsWith('<');
}

/**
 * Whether a monthly quota is used up, so that a short pause does not help: "Monthly capacity limit
 * exceeded". A limit per second is throttling.
 */
export function isQuotaUsedUp(text: string): boolean {
  return (
    !isPageOfHtml(text) &&
    /\bmonthly\b.{0,40}\b(?:capacity|quota|limit|usage|credits)\b/i.test(text)
  );
}
