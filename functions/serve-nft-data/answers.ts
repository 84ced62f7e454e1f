import * as z from 'zod';

/*
 * What `serve-nft-data` answers, as far as it is ours to say: what a provider tells is passed on as
 * it is, with members and values that are not told of here. The OpenAPI document is made of these
 * and each answer of the archive is held against them; the function itself needs none of them.
 */

/** Providers leave members out, or tell null. */
const Text = z.string().nullable().optional();
const Truth = z.union([z.boolean(), z.string()]).nullable().optional();

export const PaymentToken = z.looseObject({
  token_name: Text,
  token_symbol: Text,
  token_logo: Text,
  token_decimals: Text,
  token_address: Text,
});

export const LastSale = z.looseObject({
  transaction_hash: Text,
  block_timestamp: Text,
  buyer_address: Text,
  seller_address: Text,
  price: Text,
  price_formatted: Text,
  usd_price_at_sale: Text,
  current_usd_value: Text,
  token_id: Text,
  payment_token: PaymentToken.nullable().optional(),
});

export const Nft = z.looseObject({
  token_address: z.string().nullable(),
  token_id: z.string(),
  owner_of: Text,
  token_hash: Text,
  block_number: Text,
  block_number_minted: Text,
  contract_type: Text,
  token_uri: Text,
  metadata: Text,
  normalized_metadata: z.looseObject({}).nullable().optional(),
  media: z.looseObject({}).nullable().optional(),
  minter_address: Text,
  last_token_uri_sync: Text,
  last_metadata_sync: Text,
  amount: Text,
  name: Text,
  symbol: Text,
  possible_spam: Truth,
  verified_collection: Truth,
  rarity_rank: z.number().nullable().optional(),
  rarity_label: Text,
  rarity_percentage: z.number().nullable().optional(),
  last_sale: LastSale.nullable().optional(),
});

export const NftPage = z.looseObject({
  page: z.string().regex(/^\d+$/),
  page_size: z.string().regex(/^\d+$/),
  cursor: z.string(),
  result: z.array(Nft),
});

export const FloorPrice = z.looseObject({
  floor_price: z.string(),
  floor_price_usd: z.string().nullable(),
  currency: z.string(),
  marketplace: z.array(z.looseObject({ name: z.string(), logo: z.string() })),
  timestamp: z.string(),
});

export const FloorPricePage = z.looseObject({
  page: z.int().positive(),
  page_size: z.int().positive(),
  cursor: z.string(),
  result: z.array(FloorPrice),
});

export const LowestTrade = z.looseObject({
  token_address: z.string(),
  transaction_hash: z.string(),
  transaction_index: z.string(),
  token_ids: z.array(z.string()),
  seller_address: z.string(),
  buyer_address: z.string(),
  marketplace_address: z.string(),
  price: z.string().regex(/^\d+$/),
  block_timestamp: z.string(),
  block_number: z.string(),
  block_hash: z.string(),
});

export const NotReady = z.strictObject({ message: z.string() });
