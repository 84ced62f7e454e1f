import type { HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import { HOUR, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { callProvider, type ProviderSettings, throttled } from '#shared/providers/call-provider.ts';
import { messageOf } from './answers.ts';

/** Asks OpenSea's API v2 for a path below its root. */
export async function callOpenSea<Value>(
  settings: ProviderSettings,
  path: string,
  query: Readonly<Record<string, string>>,
  read: (body: string) => Outcome<Value>,
  signal: AbortSignal,
): Promise<Outcome<Value>> {
  const parameters = new URLSearchParams(query).toString();
  const base = `${settings.baseUrl.replace(/\/+$/, '')}/api/v2/${path}`;
  const url = new URL(parameters === '' ? base : `${base}?${parameters}`);
  return await callProvider(
    settings,
    (key) => ({
      url,
      method: 'GET',
      headers: { 'x-api-key': key, accept: 'application/json' },
    }),
    (response) => refusalOf(response, settings.now()) ?? read(response.body),
    signal,
  );
}

/** What an answer without a value means; undefined where the body is to be read. */
export function refusalOf(
  { status, headers, body }: HttpResponse,
  now: Instant,
): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return { kind: 'failed', reason: 'redirect' };
  if (status >= 500) return { kind: 'failed', reason: 'server_error' };
  switch (status) {
    case 401:
    case 403:
      return {
        kind: 'denied',
        reason: /\bblocked\b|\bbanned\b/i.test(messageOf(body)) ? 'blocked' : 'key',
      };
    case 404:
      // A page of HTML comes from another server.
      return body.trimStart().startsWith('<')
        ? { kind: 'failed', reason: 'garbage' }
        : { kind: 'not_found' };
    case 408:
      return { kind: 'failed', reason: 'timeout' };
    case 429:
      return throttled(secondsToWait(headers, now) ?? secondsToReset(headers, now));
    default:
      return { kind: 'failed', reason: 'bad_request' };
  }
}

/** The seconds until the window of the rate ends, at most an hour, which `X-RateLimit-Reset` has in epoch seconds. */
function secondsToReset(
  { 'x-ratelimit-reset': reset = '' }: Readonly<Record<string, string>>,
  now: Instant,
): number | undefined {
  if (!/^\d{9,11}$/.test(reset)) return undefined;
  const seconds = Math.ceil(Number(reset) - now / SECOND);
  return Math.min(Math.max(seconds, 1), HOUR / SECOND);
}
