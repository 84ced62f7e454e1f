import type { Contract } from '#shared/domain/market/contract.ts';
import { mapOutcome, type Refusal } from '#shared/domain/market/upstream.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { observedFloor } from '#shared/providers/prices.ts';
import { refusalOfStatus } from '#shared/providers/refusal-of-status.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import { readFloorPrice } from './answers.ts';

const NOT_OFFERED = { kind: 'unsupported', reason: 'retired' } as const satisfies Refusal;

/** Alchemy's NFT API v3: the floors of now, of Ethereum alone. */
export function createAlchemy(settings: ProviderSettings): Upstream {
  return {
    floorHistory: async (contract, { poll }, signal) => {
      if (poll === undefined) return NOT_OFFERED;
      return mapOutcome(await floorNow(settings, contract, signal), (floor) => ({
        points: [observedFloor(floor, poll.newest)],
        // It reports nothing of what lies before.
        isCut: true,
      }));
    },
  };
}

async function floorNow(settings: ProviderSettings, contract: Contract, signal: AbortSignal) {
  if (contract.chain.slug !== 'eth') return { kind: 'unsupported', reason: 'chain' } as const;
  const askedAt = settings.now();
  const base = settings.baseUrl.replace(/\/+$/, '');
  return await callProvider(
    settings,
    (key) => {
      // The key is in the path: an address of Alchemy must stand in no log.
      const url = new URL(`${base}/nft/v3/${encodeURIComponent(key)}/getFloorPrice`);
      url.searchParams.set('contractAddress', contract.address);
      return { url, method: 'GET', headers: { accept: 'application/json' } };
    },
    (response) =>
      refusalOfStatus(response, askedAt, { denied }) ?? readFloorPrice(response.body, askedAt),
    signal,
  );
}

/** A key whose compute units of the month are used up is refused with words of its own. */
function denied(body: string) {
  return /monthly capacity|capacity limit/i.test(body) ? 'quota' : 'key';
}
