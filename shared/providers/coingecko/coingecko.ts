import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { floorsOfNow } from '#shared/providers/floors-of-now.ts';
import { refusalOfStatus } from '#shared/providers/refusal-of-status.ts';
import { errorCodeOf, readFloorNow } from './answers.ts';
import { platformOf } from './platforms.ts';

/**
 * CoinGecko's API v3 with a demo key, which reports only current floors. Past floors require a paid
 * plan, and CoinGecko has no sales.
 */
export function createCoinGecko(settings: ProviderSettings) {
  return floorsOfNow((contract, askedAt, signal) => floorNow(settings, contract, askedAt, signal));
}

async function floorNow(
  settings: ProviderSettings,
  contract: Contract,
  askedAt: Instant,
  signal: AbortSignal,
) {
  const platform = platformOf(contract.chain);
  if (platform === undefined) return { kind: 'unsupported', reason: 'chain' } as const;
  const base = settings.baseUrl.replace(/\/+$/, '');
  return await callProvider(
    settings,
    (key) => ({
      url: new URL(`${base}/api/v3/nfts/${platform}/contract/${contract.address}`),
      method: 'GET',
      headers: { 'x-cg-demo-api-key': key, accept: 'application/json' },
    }),
    (response) =>
      refusalOfStatus(response, askedAt, { denied }) ?? readFloorNow(response.body, askedAt),
    signal,
  );
}

/**
 * Code 10005: only paid plans include this operation. Codes 1020 and 403: the firewall blocked the
 * request.
 */
function denied(body: string) {
  const code = errorCodeOf(body);
  if (code === '10005') return 'plan';
  return code === '1020' || code === '403' || /error code: 1020/i.test(body) ? 'blocked' : 'key';
}
