import * as z from 'zod';

/*
 * The answers of `serve-nft-data`: records of the archive, and a provider's records as they came,
 * with members that it is known to leave out or to write in another form. The OpenAPI document is
 * generated from these schemas, and tests check each answer against them; the function itself does
 * not use them.
 */

/** A member that providers leave out, or send as null. */
const Text = z.string().nullable().optional();
const Truth = z.union([z.boolean(), z.string()]).nullable().optional();
const Document = z
  .union([z.looseObject({}), z.string()])
  .nullable()
  .optional();
const Count = z
  .union([z.int().positive(), z.string().regex(/^\d+$/)])
  .nullable()
  .optional();

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
  token_address: Text,
  token_id: z.string(),
  owner_of: Text,
  token_hash: Text,
  block_number: Text,
  block_number_minted: Text,
  contract_type: Text,
  token_uri: Text,
  metadata: Text,
  normalized_metadata: Document,
  media: Document,
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
  page: Count,
  page_size: Count,
  cursor: Text,
  result: z.array(Nft),
});

export const Marketplace = z.looseObject({ name: Text, logo: Text });

export const FloorPrice = z.looseObject({
  floor_price: Text,
  floor_price_usd: Text,
  currency: Text,
  marketplace: z
    .union([z.array(Marketplace), Marketplace, z.string()])
    .nullable()
    .optional(),
  timestamp: z.string(),
});

export const FloorPricePage = z.looseObject({
  page: Count,
  page_size: Count,
  cursor: Text,
  result: z.array(FloorPrice),
});

export const LowestTrade = z.looseObject({
  token_address: Text,
  transaction_hash: Text,
  transaction_index: Text,
  token_ids: z.array(z.string()).nullable().optional(),
  seller_address: Text,
  buyer_address: Text,
  marketplace_address: Text,
  price: z.string().regex(/^\d+$/),
  block_timestamp: z.string(),
  block_number: Text,
  block_hash: Text,
});

export const NotReady = z.strictObject({ message: z.string() });
