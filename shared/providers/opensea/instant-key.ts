import { HttpError } from '#shared/clients/http-client.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { type InstantKey, readInstantKey } from './answers.ts';
import { refusalOf } from './call-opensea.ts';

/** Requests an OpenSea key without an account. It expires after a week. */
export async function makeInstantKey(
  { http, baseUrl, now }: Pick<ProviderSettings, 'http' | 'baseUrl' | 'now'>,
  signal: AbortSignal,
): Promise<Outcome<InstantKey>> {
  try {
    const url = new URL('/api/v2/auth/keys', baseUrl);
    const headers = { accept: 'application/json' };
    const response = await http.request({ method: 'POST', url, headers, signal });
    return refusalOf(response, now()) ?? readInstantKey(response.body);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { kind: 'failed', reason: 'network' };
  }
}
