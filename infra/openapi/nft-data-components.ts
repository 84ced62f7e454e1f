import {
  FloorPrice,
  FloorPricePage,
  LastSale,
  LowestTrade,
  Marketplace,
  Nft,
  NftPage,
  NotReady,
  PaymentToken,
} from '#functions/serve-nft-data/answers.ts';
import { TraitsBody } from '#shared/domain/nft-data/queries.ts';
import { type Component, input, output } from './component.ts';

const CURSOR =
  'The `cursor` of the next request. On the last page it is empty; a provider may leave it out or send null.';

/** The records of the interface v2.2. */
export const nftDataComponents: readonly Component[] = [
  input('TraitsInput', TraitsBody, 'The traits that tokens must have, all of them.', {
    traits: 'Names and values of traits, in exact case. A number or a boolean equals its text.',
  }),
  output('NftPage', NftPage, 'A page of the tokens that have all the traits.', {
    page: 'The number of the page, from 1: a text from the archive, a text or a number from a provider.',
    page_size: 'How many tokens a page holds; like `page`.',
    cursor: CURSOR,
    result: 'The tokens.',
  }),
  output('Nft', Nft, 'A token. Its source may leave out all but its id, or send null.', {
    token_address: 'The address of the contract.',
    token_id: 'The id of the token, in the requested format.',
    owner_of: 'The address of the owner.',
    token_hash: 'A hash of contract and token.',
    block_number: 'The block of the last transfer.',
    block_number_minted: 'The block in which it was minted.',
    contract_type: 'The standard of the token, for example `ERC721`.',
    token_uri: 'The URL of its metadata.',
    metadata: 'Its metadata as they were found: a text, mostly JSON.',
    normalized_metadata:
      'Its metadata in a form common to all tokens; filled if `normalizeMetadata` is true.',
    media: 'Previews of its images and videos; filled if `media_items` is true.',
    minter_address: 'The address of the minter.',
    last_token_uri_sync: 'When its `token_uri` was last read.',
    last_metadata_sync: 'When its metadata were last read.',
    amount: 'How many of the token the owner has.',
    name: 'The name of the collection.',
    symbol: 'The symbol of the collection.',
    possible_spam: 'Whether the collection may be spam.',
    verified_collection: 'Whether the collection is verified.',
    rarity_rank: 'Its place by rarity, 1 being the rarest.',
    rarity_label: 'The same in words.',
    rarity_percentage: 'The same in percent of the collection.',
    last_sale: 'Its last sale.',
  }),
  output('NftSale', LastSale, 'The last sale of a token.', {
    transaction_hash: 'The transaction.',
    block_timestamp: 'When the sale was made.',
    buyer_address: 'The address of the buyer.',
    seller_address: 'The address of the seller.',
    price: 'The price in the smallest unit of the payment token.',
    price_formatted: 'The price, a decimal in the payment token.',
    usd_price_at_sale: 'The price in dollars at the time of the sale.',
    current_usd_value: 'The price in dollars now.',
    token_id: 'The token.',
    payment_token: 'The token of the payment.',
  }),
  output('PaymentToken', PaymentToken, 'The token that a sale was paid in.', {
    token_name: 'Its name.',
    token_symbol: 'Its symbol.',
    token_logo: 'The URL of an image.',
    token_decimals: 'How many decimals its smallest unit is.',
    token_address: 'The address of its contract.',
  }),
  output('FloorPricePage', FloorPricePage, 'A page of the floors of an interval.', {
    page: 'The number of the page, from 1: a number from the archive, a number or a text from a provider.',
    page_size: 'How many floors a page holds; like `page`.',
    cursor: CURSOR,
    result: 'The floors, newest first.',
  }),
  output(
    'FloorPrice',
    FloorPrice,
    'The floor of a collection at a moment. A provider may leave out all but `timestamp`, or send null.',
    {
      floor_price: 'The floor, a decimal in `currency`.',
      floor_price_usd: 'The floor in dollars, a decimal; null if unknown.',
      currency: 'The symbol of the currency, in lower case.',
      marketplace:
        'The marketplaces of the floor: a list from the archive; a list, one marketplace or its name from a provider.',
      timestamp: 'The moment, ISO 8601 in UTC with milliseconds.',
    },
  ),
  output('Marketplace', Marketplace, 'A marketplace.', {
    name: 'Its name.',
    logo: 'The URL of an image; may be empty.',
  }),
  output(
    'LowestTrade',
    LowestTrade,
    'The lowest trade that was paid in ETH. An unknown value is an empty text; a provider may leave out all but `price` and `block_timestamp`, or send null.',
    {
      token_address: 'The address of the contract.',
      transaction_hash: 'The transaction.',
      transaction_index: 'Its place in the block.',
      token_ids: 'The ids of the traded tokens.',
      seller_address: 'The address of the seller.',
      buyer_address: 'The address of the buyer.',
      marketplace_address:
        'The contract that executed the trade; empty if the provider has retired this operation.',
      price: 'The price in wei, digits only.',
      block_timestamp: 'When the trade was made: UTC, ISO 8601 without a zone.',
      block_number: 'The block; empty if the provider has retired this operation.',
      block_hash: 'Its hash; empty if the provider has retired this operation.',
    },
  ),
  output(
    'NotReady',
    NotReady,
    'The provider is still collecting the data of a collection; ask again later.',
    {
      message: 'The same, for people.',
    },
  ),
];
