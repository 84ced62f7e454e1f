import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ContractAddress, type ContractKey } from '#shared/domain/market/contract.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { Timestamp, withoutZone } from './timestamp.ts';

/** An executed trade that was paid in ETH. */
export type Trade = {
  readonly contract: ContractKey;
  readonly time: Instant;
  readonly price: Decimal;
  /** Its place among the trades of its time, as its source reported them. */
  readonly order: number;
  readonly record: TradeRecord;
};

const TextOrEmpty = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/**
 * The trade as it is reported: section 2.5, and `token_address`, without which no real client reads
 * it.
 */
export const TradeRecord = z.object({
  token_address: ContractAddress,
  transaction_hash: TextOrEmpty,
  transaction_index: TextOrEmpty,
  token_ids: z.array(z.string()),
  seller_address: TextOrEmpty,
  buyer_address: TextOrEmpty,
  marketplace_address: TextOrEmpty,
  price: z.string().regex(/^0*[1-9]\d*$/, 'expected a price in the smallest unit, above zero'),
  block_timestamp: Timestamp.transform(withoutZone),
  block_number: TextOrEmpty,
  block_hash: TextOrEmpty,
});
export type TradeRecord = z.output<typeof TradeRecord>;

/** The marketplaces that `marketplace` can name, by the contracts that executed their trades. */
const MARKETPLACES = {
  opensea: [
    '0x7be8076f4ea4a4ad08075c2508e481d6c946d12b',
    '0x7f268357a8c2552623316e2562d90e642bb538e5',
    '0x00000000006c3852cbef3e08e8df289169ede581',
    '0x00000000000001ad428e4906ae43d8f9852d0dd6',
    '0x00000000000000adc04c56bf30ac9d3c0aaf14dc',
    '0x0000000000000068f116a894984e2db1123eb395',
  ],
} as const;

export type Marketplace = keyof typeof MARKETPLACES;

export function isOn(marketplace: Marketplace, { record }: Trade): boolean {
  const address = record.marketplace_address.toLowerCase();
  return MARKETPLACES[marketplace].some((known) => known === address);
}

/**
 * The identity of a trade, whatever its source: its transaction, what changed hands in it, and
 * between whom; of a trade with an unknown transaction, all that is reported.
 */
export function tradeId({ record }: Trade): string {
  const { transaction_hash, transaction_index, token_ids, seller_address, buyer_address } = record;
  const transaction = [
    transaction_hash,
    transaction_index,
    token_ids,
    seller_address,
    buyer_address,
  ];
  const reported = transaction_hash === '' ? record : transaction;
  return createHash('sha256').update(JSON.stringify(reported)).digest('base64url').slice(0, 22);
}
