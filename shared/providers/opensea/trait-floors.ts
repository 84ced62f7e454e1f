import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import { readListings, readTraitFloors } from './answers.ts';
import type { Ask } from './ask.ts';

/**
 * Listings of all currencies are sorted by price, so several are requested to find one in the
 * currency of the chain.
 */
const LISTINGS = 50;

/** A value that OpenSea may store as a number. Trait floors include only texts. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * The lowest current ask for a token with the given traits, in the currency of the chain. A single
 * trait is looked up in the collection's trait floors. For several traits, or for a trait without a
 * floor there, the cheapest listings are read.
 */
export async function traitFloor(
  ask: Ask,
  contract: Contract & Required<Pick<Contract, 'traits'>>,
  askedAt: Instant,
): Promise<Outcome<FloorPoint>> {
  const [first, ...others] = contract.traits;
  if (first !== undefined && others.length === 0) {
    const found = await ask(
      (slug) => `traits/${slug}/floors`,
      {},
      (body) => readTraitFloors(body, contract.chain, first, askedAt),
    );
    const [, value] = first;
    const isLeftOut = found.kind === 'empty' && NUMBER.test(value);
    // The collection may be too large for trait floors.
    const isTooLarge = found.kind === 'failed' && found.reason === 'server_error';
    if (!isLeftOut && !isTooLarge) return found;
  }
  const traits = contract.traits.map(([traitType, value]) => ({ traitType, value }));
  return await ask(
    (slug) => `listings/collection/${slug}/best`,
    { traits: JSON.stringify(traits), limit: `${LISTINGS}` },
    (body) => readListings(body, contract.chain, askedAt),
  );
}
