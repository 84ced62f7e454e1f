import type { Contract } from '#shared/domain/market/contract.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';

/** The refusal of providers without data about traits. */
export const NOT_OF_TRAITS = {
  kind: 'unsupported',
  reason: 'traits',
} as const satisfies Refusal;

/** A provider that only has data about whole contracts. It refuses requests about traits. */
export function ofWholeContracts<Provider extends Upstream>(provider: Provider): Provider {
  const whole = <Rest extends readonly unknown[], Answer>(
    ask: (contract: Contract, ...rest: Rest) => Promise<Answer>,
  ) => {
    return async (contract: Contract, ...rest: Rest) =>
      contract.traits === undefined ? await ask(contract, ...rest) : NOT_OF_TRAITS;
  };
  const { floorHistory, lowestTrade, salesBetween } = provider;
  return {
    ...provider,
    ...(floorHistory === undefined ? {} : { floorHistory: whole(floorHistory) }),
    ...(lowestTrade === undefined ? {} : { lowestTrade: whole(lowestTrade) }),
    ...(salesBetween === undefined ? {} : { salesBetween: whole(salesBetween) }),
  };
}
