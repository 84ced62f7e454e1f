import { type Token, traitKey, traitsOf } from '#shared/domain/archive/token.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';

type TraitCount = {
  readonly contract: ContractKey;
  readonly trait: string;
  readonly count: number;
};

export type TraitCounts = {
  readonly add: (token: Token) => void;
  /** Those that more than one token has. */
  readonly counts: () => readonly TraitCount[];
};

const MOST_COUNTED = 200_000;

/**
 * Counts how many tokens have each trait, in bounded memory: where there are too many traits, those
 * seen least are forgotten. A trait that nobody has counted is taken for a rare one.
 */
export function createTraitCounts(most = MOST_COUNTED): TraitCounts {
  const counted = new Map<string, TraitCount>();
  const forgetRarest = () => {
    for (let few = 1; counted.size > most / 2; few *= 2) {
      for (const [key, { count }] of counted) if (count <= few) counted.delete(key);
    }
  };
  return {
    add: ({ contract, record }) => {
      for (const trait of new Set(traitsOf(record).map(traitKey))) {
        const key = `${contract} ${trait}`;
        const count = (counted.get(key)?.count ?? 0) + 1;
        counted.set(key, { contract, trait, count });
      }
      if (counted.size > most) forgetRarest();
    },
    counts: () => [...counted.values()].filter(({ count }) => count > 1),
  };
}
