import { averagePrice } from './families/average-price.ts';
import { bestOffer } from './families/best-offer.ts';
import { dataAgeMinutes } from './families/data-age-minutes.ts';
import { floorChangePct } from './families/floor-change-pct.ts';
import { floorDrawdownPct } from './families/floor-drawdown-pct.ts';
import { floorDropPct } from './families/floor-drop-pct.ts';
import { floorPrice } from './families/floor-price.ts';
import { floorPriceUsd } from './families/floor-price-usd.ts';
import { floorRatio } from './families/floor-ratio.ts';
import { floorRunupPct } from './families/floor-runup-pct.ts';
import { floorVsAveragePct } from './families/floor-vs-average-pct.ts';
import { gain } from './families/gain.ts';
import { gainPct } from './families/gain-pct.ts';
import { listChangePct } from './families/list-change-pct.ts';
import { listValue } from './families/list-value.ts';
import { lowestPrice } from './families/lowest-price.ts';
import { offersSilenceMinutes } from './families/offers-silence-minutes.ts';
import { owners } from './families/owners.ts';
import { relativeChangePct } from './families/relative-change-pct.ts';
import { saleDiscountPct } from './families/sale-discount-pct.ts';
import { sales } from './families/sales.ts';
import { silenceMinutes } from './families/silence-minutes.ts';
import { spreadPct } from './families/spread-pct.ts';
import { statisticsSilenceMinutes } from './families/statistics-silence-minutes.ts';
import { volume } from './families/volume.ts';
import type { Family } from './family.ts';

/**
 * All metrics, by their names in rules. The value of a metric at a moment is computed from the data
 * known then. A price is valid from its time until the next price.
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
  floor_vs_average_pct: floorVsAveragePct,
  volume,
  sales,
  average_price: averagePrice,
  owners,
  best_offer: bestOffer,
  spread_pct: spreadPct,
  floor_ratio: floorRatio,
  relative_change_pct: relativeChangePct,
  list_value: listValue,
  list_change_pct: listChangePct,
  gain_pct: gainPct,
  gain,
  silence_minutes: silenceMinutes,
  statistics_silence_minutes: statisticsSilenceMinutes,
  offers_silence_minutes: offersSilenceMinutes,
} as const satisfies Readonly<Record<string, Family>>;
