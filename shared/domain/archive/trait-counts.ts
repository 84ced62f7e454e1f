export type TraitCounts = {
  /** Adds one to the count of each trait of a token. `traits` are the keys of these traits. */
  readonly add: (traits: ReadonlySet<string>) => void;
  readonly counts: () => ReadonlyMap<string, number>;
};

/** The maximum number of traits of a collection that are counted in memory. */
export const MOST_COUNTED = 200_000;

/**
 * Counts the tokens with each trait in bounded memory: if there are more traits, the rarest ones
 * are dropped. A trait without a count is assumed to be rare.
 */
export function createTraitCounts(most = MOST_COUNTED): TraitCounts {
  const counted = new Map<string, number>();
  const dropRarest = () => {
    for (let few = 1; counted.size > most / 2; few *= 2) {
      for (const [trait, count] of counted) if (count <= few) counted.delete(trait);
    }
  };
  return {
    add: (traits) => {
      for (const trait of traits) counted.set(trait, (counted.get(trait) ?? 0) + 1);
      if (counted.size > most) dropRarest();
    },
    counts: () => counted,
  };
}
