import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';

/**
 * A floor in the format of section 2.4 of the NFT data interface. Unknown values are null, never
 * zero.
 */
export function floorRecord(floor: {
  readonly time: Instant;
  readonly price: Decimal;
  readonly currency: string;
  readonly usd?: Decimal | undefined;
  readonly marketplaces: readonly { readonly name: string; readonly logo: string }[];
}) {
  const { time, price, currency, usd, marketplaces } = floor;
  return {
    floor_price: formatDecimal(price),
    floor_price_usd: usd === undefined ? null : formatDecimal(usd),
    currency,
    marketplace: marketplaces,
    timestamp: formatInstant(time),
  };
}

/** Converts names of marketplaces whose logos are unknown. */
export function namedMarketplaces(names: readonly string[]) {
  return names.map((name) => ({ name, logo: '' }));
}
