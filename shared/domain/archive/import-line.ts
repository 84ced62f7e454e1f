import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { findChain } from '#shared/domain/market/chains.ts';
import { ContractAddress, ContractKey } from '#shared/domain/market/contract.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { Timestamp, timeIn } from './timestamp.ts';
import { isTokenId, type Token, traitsOf } from './token.ts';
import { createPositions, type Trade, TradeRecord } from './trade.ts';

const isChain = (word: string) => findChain(word) !== undefined;
const ofContract = {
  chain: z.string().refine(isChain, 'expected a known chain, by name or hex id'),
  token_address: ContractAddress,
};

/** Maximum size of a record: the limit of an item in the table, minus room for its keys. */
const MOST_BYTES = 350_000;
const isKeepable = (line: object) => Buffer.byteLength(JSON.stringify(line)) <= MOST_BYTES;
const TOO_LARGE = `expected a record of at most ${MOST_BYTES / 1000} kB`;

const isAmount = (text: string) => (readDecimal(text) ?? 0n) > 0n;
const Amount = z.string().refine(isAmount, 'expected a decimal above zero');

const Marketplace = z.object({
  name: z.string().min(1),
  logo: z
    .string()
    .nullish()
    .transform((logo) => logo ?? ''),
});

/** A line of `floors.jsonl`: a floor of section 2.4 of the NFT data interface, with its contract. */
export const FloorLine = z
  .object({
    ...ofContract,
    floor_price: Amount,
    /** Invalid amounts are treated as missing. */
    floor_price_usd: Amount.optional().catch(undefined),
    currency: z.string().min(1),
    marketplace: z
      .array(Marketplace)
      .nullish()
      .transform((marketplaces) => marketplaces ?? []),
    timestamp: Timestamp,
  })
  .refine(isKeepable, TOO_LARGE);
export type FloorLine = z.output<typeof FloorLine>;

/** A text that matches a pattern. The error contains the text that was found. */
const matching = (form: RegExp, expected: string) =>
  z.string().regex(form, {
    error: ({ input }) => `expected ${expected}, found ${JSON.stringify(input).slice(0, 80)}`,
  });
/** Like `matching`, but also accepts null and an empty text. */
const matchingOrEmpty = (form: RegExp, expected: string) =>
  z
    .string()
    .nullish()
    .transform((text) => text ?? '')
    .pipe(z.union([z.literal(''), matching(form, expected)]));

const Address = matching(/^0x[0-9a-f]{40}$/i, 'an address (0x and 40 hex digits)');
const Hash = matchingOrEmpty(/^0x[0-9a-f]{64}$/i, 'a hash (0x and 64 hex digits), or ""');
const WholeNumber = matchingOrEmpty(/^\d+$/, 'a whole number in decimal digits, or ""');

/**
 * A line of `trades.jsonl`: a trade of section 2.5 of the NFT data interface, with its contract and
 * payment token. Addresses are required, because the published SDK throws if they are empty.
 */
export const TradeLine = TradeRecord.extend({
  ...ofContract,
  transaction_hash: Hash,
  transaction_index: WholeNumber,
  token_ids: z.array(z.string().min(1)).min(1),
  seller_address: Address,
  buyer_address: Address,
  marketplace_address: Address,
  block_number: WholeNumber,
  block_hash: Hash,
  payment_token: z
    .string()
    .min(1)
    .nullish()
    .transform((token) => token ?? 'ETH'),
}).refine(isKeepable, TOO_LARGE);
export type TradeLine = z.output<typeof TradeLine>;

const MOST_TRAITS = 500;

const Text = z.string().nullish();
const Truth = z.union([z.boolean(), z.string()]).nullish();
const Ranking = z.number().nullish();
const TextOrObject = z.union([z.string(), z.looseObject({})]).nullish();
const textsOf = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Text]));

/** A sale in the format of section 2.3 of the NFT data interface. */
const LastSale = z.looseObject({
  ...textsOf('transaction_hash', 'block_timestamp', 'buyer_address', 'seller_address', 'price'),
  ...textsOf('price_formatted', 'usd_price_at_sale', 'current_usd_value', 'token_id'),
  payment_token: z
    .looseObject(
      textsOf('token_name', 'token_symbol', 'token_logo', 'token_decimals', 'token_address'),
    )
    .nullish(),
});

/**
 * A line of `tokens.jsonl`: a token of section 2.2 of the interface, with its contract and any
 * additional members.
 */
export const TokenLine = z
  .looseObject({
    ...ofContract,
    token_id: z.string().refine(isTokenId, 'expected a decimal token id'),
    name: Text,
    metadata: Text,
    ...textsOf('owner_of', 'token_hash', 'block_number', 'block_number_minted', 'contract_type'),
    ...textsOf('token_uri', 'minter_address', 'last_token_uri_sync', 'last_metadata_sync'),
    ...textsOf('amount', 'symbol', 'rarity_label'),
    normalized_metadata: TextOrObject,
    media: TextOrObject,
    possible_spam: Truth,
    verified_collection: Truth,
    rarity_rank: Ranking,
    rarity_percentage: Ranking,
    last_sale: LastSale.nullish(),
  })
  .refine(isKeepable, TOO_LARGE)
  .refine((line) => traitsOf(line).length <= MOST_TRAITS, `expected at most ${MOST_TRAITS} traits`);
export type TokenLine = z.output<typeof TokenLine>;

/** The contract of a line. */
export function contractIn({
  chain,
  token_address,
}: FloorLine | TradeLine | TokenLine): ContractKey {
  return ContractKey.parse(`${chain}:${token_address}`);
}

export function floorIn({ currency, marketplace, timestamp, ...line }: FloorLine): PricePoint {
  return defined({
    kind: 'price' as const,
    time: timeIn(timestamp),
    price: readDecimal(line.floor_price) ?? 0n,
    currency: unitOf(currency),
    usd: line.floor_price_usd === undefined ? undefined : readDecimal(line.floor_price_usd),
    source: marketplace.map(({ name }) => name).join(', ') || undefined,
    marketplaces: marketplace.length === 0 ? undefined : marketplace,
  });
}

/** Whether a trade was paid in ETH. Lowest prices ignore all other trades. */
export function isPaidInEth({ payment_token }: TradeLine): boolean {
  return unitOf(payment_token) === 'eth';
}

/**
 * Converts the lines of a file, in order, to trades paid in ETH; `order` is the line number.
 * Consecutive equal lines of one transaction are several sales. Equal lines elsewhere in the file
 * are one sale, because exports overlap.
 */
export function createTradeReader(): (line: TradeLine, order: number) => Trade {
  let group = '';
  let positionOf = createPositions();
  return (line, order) => {
    const { chain, payment_token, ...record } = line;
    const { transaction_hash, block_timestamp } = record;
    const current = transaction_hash === '' ? block_timestamp : transaction_hash;
    if (current !== group) positionOf = createPositions();
    group = current;
    const position = positionOf(record, `${order}`);
    const time = timeIn(block_timestamp);
    return {
      contract: contractIn(line),
      time,
      price: BigInt(record.price),
      order,
      position,
      record,
    };
  };
}

export function tokenIn(line: TokenLine): Token {
  const { chain, ...record } = line;
  return { contract: contractIn(line), id: BigInt(line.token_id), record };
}
