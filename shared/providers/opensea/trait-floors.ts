import type { Contract } from '#shared/domain/market/contract.ts';
import type { FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { readListings, readTraitFloors } from './answers.ts';
import type { Ask } from './ask.ts';

/** Listings are sorted by price, whatever their currency: the first of some is in the chain's own. */
const LISTINGS = 50;

/** A value that OpenSea may hold as a number. Floors of traits have texts alone. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * The lowest ask of now for a token with some traits, in the currency of the chain: of one trait from
 * the floors of all traits of the collection, of several, or where those cannot be had, from the
 * cheapest listings.
 */
export async function traitFloor(
  { now }: ProviderSettings,
  ask: Ask,
  contract: Contract & Required<Pick<Contract, 'traits'>>,
): Promise<Outcome<FloorPoint>> {
  const askedAt = now();
  const [first, ...others] = contract.traits;
  if (first !== undefined && others.length === 0) {
    const found = await ask(
      (slug) => `traits/${slug}/floors`,
      {},
      (body) => readTraitFloors(body, contract.chain, first, askedAt),
    );
    const [, value] = first;
    const isLeftOut = found.kind === 'empty' && NUMBER.test(value);
    // A collection may be too large for the floors of all traits.
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
