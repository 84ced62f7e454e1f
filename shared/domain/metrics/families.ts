import { averagePrice } from './families/average-price.ts';
import { bestOffer } from './families/best-offer.ts';
import { dataAgeMinutes } from './families/data-age-minutes.ts';
import { floorChangePct } from './families/floor-change-pct.ts';
import { floorDrawdownPct } from './families/floor-drawdown-pct.ts';
import { floorDropPct } from './families/floor-drop-pct.ts';
import { floorPrice } from './families/floor-price.ts';
import { floorPriceUsd } from './families/floor-price-usd.ts';
import { floorRunupPct } from './families/floor-runup-pct.ts';
import { lowestPrice } from './families/lowest-price.ts';
import { offersSilenceMinutes } from './families/offers-silence-minutes.ts';
import { owners } from './families/owners.ts';
import { saleDiscountPct } from './families/sale-discount-pct.ts';
import { sales } from './families/sales.ts';
import { silenceMinutes } from './families/silence-minutes.ts';
import { spreadPct } from './families/spread-pct.ts';
import { statisticsSilenceMinutes } from './families/statistics-silence-minutes.ts';
import { volume } from './families/volume.ts';
import type { Family } from './family.ts';

/**
 * All metrics, by the names that rules use. A value is what was known at a moment: a price holds
 * from its time until the next.
 */
export const FAMILIES = {
  floor_price: floorPrice,
  floor_price_usd: floorPriceUsd,
  data_age_minutes: dataAgeMinutes,
  lowest_price: lowestPrice,
  sale_discount_pct: saleDiscountPct,
  floor_change_pct: floorChangePct,
  floor_drop_pct: floorDropPct,
  floor_drawdown_pct: floorDrawdownPct,
  floor_runup_pct: floorRunupPct,
  volume,
  sales,
  average_price: averagePrice,
  owners,
  best_offer: bestOffer,
  spread_pct: spreadPct,
  silence_minutes: silenceMinutes,
  statistics_silence_minutes: statisticsSilenceMinutes,
  offers_silence_minutes: offersSilenceMinutes,
} as const satisfies Readonly<Record<string, Family>>;
