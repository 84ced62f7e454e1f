import { CANARY, canaryFloor } from '#shared/domain/market/canary.ts';
import { contractKey } from '#shared/domain/market/contract.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import type { ProviderSettings } from './call-provider.ts';

/** A provider with the floor of the canary, of which it is not asked. */
export function withCanary<Provider extends Upstream>(
  provider: Provider,
  { now }: Pick<ProviderSettings, 'now'>,
): Provider {
  const { floorHistory } = provider;
  if (floorHistory === undefined) return provider;
  return {
    ...provider,
    floorHistory: async (...[contract, query, signal]: Parameters<typeof floorHistory>) =>
      contractKey(contract) === CANARY
        ? ({ kind: 'ok', value: { points: [canaryFloor(now())] } } as const)
        : await floorHistory(contract, query, signal),
  };
}
