import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, newestOf } from './contract-record.ts';

/** What the provider reported last of a part, as the interface reports it. */
export function partView(part: Part, record: ContractRecord | undefined) {
  const point = record && newestOf(record, part);
  const price = point?.kind === 'price' ? point : undefined;
  return {
    part,
    price: decimalOf(price?.price),
    currency: price?.currency ?? null,
    usd: decimalOf(price?.usd),
    dataTime: momentOf(point?.time),
    source: price?.source ?? null,
    /** When the provider was last asked and reported something new. */
    answeredAt: momentOf(record?.parts[part]?.answeredAt),
  };
}

/** A number as the interface reports it; null where there is none. */
export function decimalOf(value: Decimal | undefined): string | null {
  return value === undefined ? null : formatDecimal(value);
}
