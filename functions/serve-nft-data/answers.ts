import * as z from 'zod';
import { type Answered, object, openObject } from '#shared/http/described.ts';

/*
 * Records of the archive and of providers. Providers are known to omit some members, or to use
 * other formats.
 */

/** A member that providers omit or send as null. */
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

const CURSOR = 'The `cursor` of the next request. On the last page it is empty, null or absent.';

const PaymentToken = openObject('PaymentToken', 'The token in which a sale was paid.', {
  token_name: [Text, 'The name of the token.'],
  token_symbol: [Text, 'The symbol of the token.'],
  token_logo: [Text, 'The URL of the logo.'],
  token_decimals: [Text, 'The number of decimals of the token.'],
  token_address: [Text, 'The contract address of the token.'],
});

const NftSale = openObject('NftSale', 'The last sale of a token.', {
  transaction_hash: [Text, 'The hash of the transaction.'],
  block_timestamp: [Text, 'The time of the sale.'],
  buyer_address: [Text, 'The address of the buyer.'],
  seller_address: [Text, 'The address of the seller.'],
  price: [Text, 'The price in the smallest unit of the payment token.'],
  price_formatted: [Text, 'The price, a decimal in the payment token.'],
  usd_price_at_sale: [Text, 'The price in dollars at the time of the sale.'],
  current_usd_value: [Text, 'The price in dollars now.'],
  token_id: [Text, 'The id of the token.'],
  payment_token: [
    PaymentToken.nullable().optional(),
    'The currency token in which the price was paid, such as WETH.',
  ],
});

const Nft = openObject('Nft', 'A token. All members except `token_id` may be absent or null.', {
  token_address: [Text, 'The address of the contract.'],
  token_id: [z.string(), 'The id of the token, in the requested format.'],
  owner_of: [Text, 'The address of the owner.'],
  token_hash: [Text, 'A hash of the contract and the token id.'],
  block_number: [Text, 'The block of the last transfer.'],
  block_number_minted: [Text, 'The block in which the token was minted.'],
  contract_type: [Text, 'The standard of the token, for example `ERC721`.'],
  token_uri: [Text, 'The URL of the metadata.'],
  metadata: [Text, 'The original metadata: a string, usually JSON.'],
  normalized_metadata: [
    Document,
    'The metadata in a normalized form; null unless `normalizeMetadata` is true.',
  ],
  media: [
    Document,
    'Previews of the images and videos of the token; null unless `media_items` is true.',
  ],
  minter_address: [Text, 'The address of the minter.'],
  last_token_uri_sync: [Text, 'The time at which `token_uri` was last read.'],
  last_metadata_sync: [Text, 'The time at which the metadata was last read.'],
  amount: [Text, 'The number of these tokens that the owner holds.'],
  name: [Text, 'The name of the collection.'],
  symbol: [Text, 'The symbol of the collection.'],
  possible_spam: [Truth, 'Whether the collection may be spam.'],
  verified_collection: [Truth, 'Whether the collection is verified.'],
  rarity_rank: [
    z.number().nullable().optional(),
    'The rank of the token by rarity; 1 is the rarest.',
  ],
  rarity_label: [Text, 'The rarity in words.'],
  rarity_percentage: [
    z.number().nullable().optional(),
    'The rank as a percentage of the size of the collection.',
  ],
  last_sale: [NftSale.nullable().optional(), 'The last sale of the token.'],
});

export const NftPage = openObject('NftPage', 'A page of tokens that have all requested traits.', {
  page: [
    Count,
    'The number of the page, starting at 1. The archive returns a string. A provider may return a string or a number.',
  ],
  page_size: [Count, 'The maximum number of tokens on a page. It has the same type as `page`.'],
  cursor: [Text, CURSOR],
  result: [z.array(Nft), 'The tokens.'],
});
export type NftPage = Answered<typeof NftPage>;

const Marketplace = openObject('Marketplace', 'A marketplace.', {
  name: [Text, 'The name of the marketplace.'],
  logo: [Text, 'The URL of the logo, which may be empty.'],
});

export const FloorPrice = openObject(
  'FloorPrice',
  'The floor of a collection at one time. All members except `timestamp` may be absent or null.',
  {
    floor_price: [Text, 'The floor, a decimal in `currency`.'],
    floor_price_usd: [Text, 'The floor in dollars, a decimal; null if unknown.'],
    currency: [Text, 'The symbol of the currency, in lower case.'],
    marketplace: [
      z
        .union([z.array(Marketplace), Marketplace, z.string()])
        .nullable()
        .optional(),
      'The marketplaces that have this floor. The archive returns an array. A provider may return an array, one object, or the name of a marketplace as a string.',
    ],
    timestamp: [z.string(), 'The time of the floor: ISO 8601, UTC, with milliseconds.'],
  },
);
export type FloorPrice = Answered<typeof FloorPrice>;

export const FloorPricePage = openObject('FloorPricePage', 'A page of floors in an interval.', {
  page: [
    Count,
    'The number of the page, starting at 1. The archive returns a number. A provider may return a number or a string.',
  ],
  page_size: [Count, 'The maximum number of floors on a page. It has the same type as `page`.'],
  cursor: [Text, CURSOR],
  result: [z.array(FloorPrice), 'The floors, newest first.'],
});
export type FloorPricePage = Answered<typeof FloorPricePage>;

export const LowestTrade = openObject(
  'LowestTrade',
  'The lowest trade that was paid in ETH. An unknown value is an empty string. All members except `price` and `block_timestamp` may be absent or null.',
  {
    token_address: [Text, 'The address of the contract.'],
    transaction_hash: [Text, 'The hash of the transaction.'],
    transaction_index: [Text, 'The index of the transaction in the block.'],
    token_ids: [z.array(z.string()).nullable().optional(), 'The ids of the traded tokens.'],
    seller_address: [Text, 'The address of the seller.'],
    buyer_address: [Text, 'The address of the buyer.'],
    marketplace_address: [
      Text,
      'The contract that executed the trade; empty if the provider has retired this operation.',
    ],
    price: [z.string().regex(/^\d+$/), 'The price in wei, digits only.'],
    block_timestamp: [z.string(), 'The time of the trade: ISO 8601 without a time zone, in UTC.'],
    block_number: [Text, 'The block; empty if the provider has retired this operation.'],
    block_hash: [Text, 'The hash of the block; empty if the provider has retired this operation.'],
  },
);
export type LowestTrade = Answered<typeof LowestTrade>;

export const NotReady = object(
  'NotReady',
  'The provider is still indexing the collection; try again later.',
  {
    message: [z.string(), 'The reason in words.'],
  },
);
export type NotReady = Answered<typeof NotReady>;
