import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ContractAddress, type ContractKey } from '#shared/domain/market/contract.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { Timestamp, withoutZone } from './timestamp.ts';

/** An executed trade paid in ETH. */
export type Trade = {
  readonly contract: ContractKey;
  readonly time: Instant;
  readonly price: Decimal;
  /** The position among the trades with the same time, as reported by the source. */
  readonly order: number;
  /** Index among equal trades of the same transaction; see `createPositions`. */
  readonly position: number;
  readonly record: TradeRecord;
};

const TextOrEmpty = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/**
 * The record of a trade in the format of section 2.5, with `token_address`, which clients require.
 */
export const TradeRecord = z.object({
  token_address: ContractAddress,
  transaction_hash: TextOrEmpty,
  transaction_index: TextOrEmpty,
  token_ids: z.array(z.string()),
  seller_address: TextOrEmpty,
  buyer_address: TextOrEmpty,
  marketplace_address: TextOrEmpty,
  price: z
    .string()
    .regex(/^0*[1-9]\d*$/, 'expected a price above zero, in the smallest unit (such as wei)'),
  block_timestamp: Timestamp.transform(withoutZone),
  block_number: TextOrEmpty,
  block_hash: TextOrEmpty,
});
export type TradeRecord = z.output<typeof TradeRecord>;

/** The values of the parameter `marketplace`, with the contracts that execute their trades. */
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
 * The identity of a trade: a hash of its transaction, token, seller, buyer and price, and of its
 * position among the trades for which all of these are equal.
 *
 * Every source reports these facts, so a sale has one identity, whether OpenSea, a node or a file
 * reports it. A log index or an order hash would be shorter, but OpenSea has no log index, and
 * files have neither. The price is part of the identity because one transaction can sell several
 * tokens of an edition between the same two owners, and the lowest of their prices must be kept. A
 * trade without a transaction is identified by its whole record.
 */
export function tradeId({ record, position }: Trade): string {
  const identity = JSON.stringify([factsOf(record), position]);
  return createHash('sha256').update(identity).digest('base64url').slice(0, 22);
}

/**
 * Returns the position of each trade among those with equal facts. `mark` is the source's way to
 * distinguish them: an order hash, or an index in the transaction or in the file. Equal trades with
 * the same mark are one trade that was read twice, so they share a position.
 *
 * The mark itself is not used as the position, because two sources have different marks for one
 * sale. Equal trades may swap their positions between two readings; since they have the same price,
 * no minimum changes.
 */
export function createPositions(): (record: TradeRecord, mark: string) => number {
  const marksOf = new Map<string, Map<string, number>>();
  return (record, mark) => {
    const facts = JSON.stringify(factsOf(record));
    const marks = marksOf.get(facts) ?? new Map<string, number>();
    const position = marks.get(mark) ?? marks.size;
    marksOf.set(facts, marks.set(mark, position));
    return position;
  };
}

function factsOf(record: TradeRecord): unknown {
  if (record.transaction_hash === '') return record;
  const { token_address, transaction_hash, token_ids, seller_address, buyer_address } = record;
  const hex = [token_address, transaction_hash, seller_address, buyer_address];
  return [...hex.map((text) => text.toLowerCase()), token_ids, `${BigInt(record.price)}`];
}
