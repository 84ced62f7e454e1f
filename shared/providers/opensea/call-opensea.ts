import type { HttpResponse } from '#shared/clients/http-client.ts';
import { HOUR, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { refusalOfStatus } from '#shared/providers/refusal-of-status.ts';
import { messageOf } from './answers.ts';

/** Requests a path of OpenSea's API v2. */
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

/** The refusal of an error response; undefined if the body must be read. */
export function refusalOf(response: HttpResponse, now: Instant): Refusal | undefined {
  // OpenSea also throttles with the status 599.
  const status = response.status === 599 ? 429 : response.status;
  return refusalOfStatus({ ...response, status }, now, {
    denied: (body) => (/\bblocked\b|\bbanned\b/i.test(messageOf(body)) ? 'blocked' : 'key'),
    secondsToReset: (headers) => secondsToReset(headers, now),
  });
}

/**
 * The seconds until the rate limit resets, at most an hour. `X-RateLimit-Reset` has the time in
 * epoch seconds.
 */
function secondsToReset(
  { 'x-ratelimit-reset': reset = '' }: Readonly<Record<string, string>>,
  now: Instant,
): number | undefined {
  if (!/^\d{9,11}$/.test(reset)) return undefined;
  const seconds = Math.ceil(Number(reset) - now / SECOND);
  return Math.min(Math.max(seconds, 1), HOUR / SECOND);
}
