import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { floorsOfNow } from '#shared/providers/floors-of-now.ts';
import { refusalOfStatus } from '#shared/providers/refusal-of-status.ts';
import { readFloorPrice } from './answers.ts';

/** Alchemy's NFT API v3, which reports current floors on Ethereum. */
export function createAlchemy(settings: ProviderSettings) {
  return floorsOfNow((contract, askedAt, signal) => floorNow(settings, contract, askedAt, signal));
}

async function floorNow(
  settings: ProviderSettings,
  contract: Contract,
  askedAt: Instant,
  signal: AbortSignal,
) {
  if (contract.chain.slug !== 'eth') return { kind: 'unsupported', reason: 'chain' } as const;
  const base = settings.baseUrl.replace(/\/+$/, '');
  return await callProvider(
    settings,
    (key) => {
      // The key is part of the path, so this URL must not be logged.
      const url = new URL(`${base}/nft/v3/${encodeURIComponent(key)}/getFloorPrice`);
      url.searchParams.set('contractAddress', contract.address);
      return { url, method: 'GET', headers: { accept: 'application/json' } };
    },
    (response) =>
      refusalOfStatus(response, askedAt, { denied: () => 'key' }) ??
      readFloorPrice(response.body, askedAt),
    signal,
  );
}
