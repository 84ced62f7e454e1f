import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import type { reportedPrice } from './answer-shapes.ts';
import type { AnsweredMembers } from './described.ts';

/** What the provider reported last of a part. */
export function partView(
  part: Part,
  record: ContractRecord | undefined,
): AnsweredMembers<typeof reportedPrice> {
  const point = record && newestOf(record, part);
  const price = point?.kind === 'price' ? point : undefined;
  return {
    part,
    price: decimalOf(price?.price),
    currency: price?.currency ?? null,
    usd: decimalOf(price?.usd),
    dataTime: momentOf(point?.time),
    source: price?.source ?? null,
    answeredAt: momentOf(record?.parts[part]?.answeredAt),
  };
}

/** A number as the interface reports it; null where there is none. */
export function decimalOf(value: Decimal | undefined): string | null {
  return value === undefined ? null : formatDecimal(value);
}
