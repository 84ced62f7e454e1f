import type { Contract } from '#shared/domain/market/contract.ts';
import type { BestOffer, Outcome } from '#shared/domain/market/upstream.ts';
import { readOffers } from './answers.ts';
import type { Ask } from './ask.ts';

/**
 * Price levels of all currencies are sorted by value, so several are requested to find one in the
 * currency of the chain.
 */
const PRICE_LEVELS = 20;

/** The current best offer for any token of a collection. */
export async function bestOffer(ask: Ask, { chain }: Contract): Promise<Outcome<BestOffer>> {
  return await ask(
    (slug) => `collections/${slug}/offer_aggregates`,
    { limit: `${PRICE_LEVELS}`, sort_direction: 'desc' },
    (body) => readOffers(body, chain),
  );
}
