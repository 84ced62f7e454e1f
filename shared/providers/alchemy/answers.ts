import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import { Currency, EMPTY, GARBAGE, isSane, isZero, Price } from '#shared/providers/prices.ts';

/**
 * The last floor that Alchemy read from OpenSea, with the time of that reading. The answer also
 * contains the floor on LooksRare, which is ignored because LooksRare has too few listings.
 *
 * Source: the answer of `getFloorPrice`, NFT API v3.
 */
export function readFloorPrice(body: string, askedAt: Instant): Outcome<FloorPoint> {
  const parsed = FloorPriceAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const { floorPrice, priceCurrency, retrievedAt, error } = parsed.data.openSea;
  // Alchemy could not read the floor from OpenSea.
  if (error) return { kind: 'failed', reason: 'server_error' };
  if (isZero(floorPrice ?? undefined)) return EMPTY;
  const price = Price.safeParse(floorPrice);
  const currency = Currency.safeParse(priceCurrency);
  const time = Moment.safeParse(retrievedAt);
  if (!price.success || !currency.success || !time.success) return GARBAGE;
  if (!isSane(time.data, askedAt)) return GARBAGE;
  return {
    kind: 'ok',
    value: {
      time: Math.min(time.data, askedAt),
      price: price.data,
      currency: currency.data,
      marketplaces: ['alchemy'],
    },
  };
}

const Moment = z.lazy(() => z.iso.datetime().transform((text) => Date.parse(text)));

const FloorPriceAnswer = z.lazy(() =>
  z.object({
    openSea: z.object({
      floorPrice: z.string().nullish(),
      priceCurrency: z.string().nullish(),
      retrievedAt: z.string().nullish(),
      error: z.string().nullish(),
    }),
  }),
);
