import * as z from 'zod';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, readInstant } from '#shared/domain/market/instant.ts';

/**
 * Where the local upstream takes its answers from.
 *
 * It knows the future too: whoever asks says until when he may see. Both ends of a span count.
 */
export type MarketSource = {
  readonly contracts: () => readonly MarketContract[];
  /** Newest first, made while they are read. */
  readonly floors: (contract: ContractKey, from: Instant, to: Instant) => Iterable<Floor>;
  /** Oldest first, made while they are read. */
  readonly trades: (contract: ContractKey, from: Instant, to: Instant) => Iterable<Trade>;
  readonly tokens: (contract: ContractKey) => readonly TokenRecord[];
  /** When the first floor, or trade, after an instant comes; undefined where there is none. */
  readonly nextFloor: (contract: ContractKey, after: Instant) => Instant | undefined;
  readonly nextTrade: (contract: ContractKey, after: Instant) => Instant | undefined;
};

export type MarketContract = { readonly contract: ContractKey; readonly name: string };

export type Floor = { readonly time: Instant; readonly record: FloorRecord };
export type Trade = { readonly time: Instant; readonly record: TradeRecord };

const isAmount = (text: string) => (readDecimal(text) ?? 0n) > 0n;
const Amount = z.string().refine(isAmount, 'expected a decimal above zero');
const Timestamp = z
  .string()
  .refine((text) => readInstant(text) !== undefined, 'expected an ISO 8601 timestamp');
const ofContract = { chain: z.string(), token_address: z.string() };

/** The three kinds of line of the import format: one floor, one trade, one token. */
export const FloorRecord = z.object({
  ...ofContract,
  floor_price: Amount,
  floor_price_usd: Amount.optional(),
  currency: z.string().min(1),
  marketplace: z.array(z.object({ name: z.string(), logo: z.string() })).default([]),
  timestamp: Timestamp,
});
export type FloorRecord = z.output<typeof FloorRecord>;

export const TradeRecord = z.object({
  ...ofContract,
  transaction_hash: z.string().default(''),
  transaction_index: z.string().default(''),
  token_ids: z.array(z.string()),
  seller_address: z.string().default(''),
  buyer_address: z.string().default(''),
  marketplace_address: z.string().default(''),
  price: z.string().regex(/^0*[1-9]\d*$/, 'expected a price in the smallest unit, above zero'),
  payment_token: z.string().default('ETH'),
  block_timestamp: Timestamp,
  block_number: z.string().default(''),
  block_hash: z.string().default(''),
});
export type TradeRecord = z.output<typeof TradeRecord>;

export const TokenRecord = z.looseObject({
  ...ofContract,
  token_id: z.string().regex(/^\d+$/, 'expected a token id in decimal'),
  name: z.string().optional(),
  metadata: z.string().optional(),
});
export type TokenRecord = z.output<typeof TokenRecord>;

/** The executed trade with the lowest price among those paid in ETH; the earliest wins a tie. */
export function lowestTrade(
  source: MarketSource,
  contract: ContractKey,
  from: Instant,
  to: Instant,
): Trade | undefined {
  let lowest: Trade | undefined;
  for (const trade of source.trades(contract, from, to)) {
    if (isPaidInEth(trade) && (lowest === undefined || priceOf(trade) < priceOf(lowest))) {
      lowest = trade;
    }
  }
  return lowest;
}

export const isPaidInEth = ({ record }: Trade): boolean => unitOf(record.payment_token) === 'eth';
export const priceOf = ({ record }: Trade): bigint => BigInt(record.price);
