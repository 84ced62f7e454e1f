import {
  FloorPricePage,
  LowestTrade,
  NftPage,
  NotReady,
} from '#functions/serve-nft-data/answers.ts';
import { nftDataRoutes } from '#functions/serve-nft-data/routes.ts';
import { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import { TraitsBody } from '#shared/domain/nft-data/queries.ts';
import { input } from '#shared/http/described.ts';
import { describeRoutes, json } from './operation.ts';
import { RateLimit } from './request-limits.ts';

input('TraitsInput', TraitsBody, 'The traits. A token must have all of them.', {
  traits:
    'The names and values of traits, case-sensitive. A number or a boolean is equal to its text form.',
});

const traitsBody = { traits: { Type: 'Ape', Accessory: '3D Glasses' } };

const nftPage = {
  page: '1',
  page_size: '100',
  cursor: '',
  result: [
    {
      token_address: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
      token_id: '372',
      owner_of: null,
      token_hash: null,
      block_number: null,
      block_number_minted: null,
      contract_type: 'CRYPTOPUNKS',
      token_uri: null,
      metadata:
        '{"name":"CryptoPunk #372","attributes":[{"trait_type":"Type","value":"Ape"},{"trait_type":"Accessory","value":"3D Glasses"}]}',
      normalized_metadata: null,
      media: null,
      minter_address: null,
      last_token_uri_sync: null,
      last_metadata_sync: null,
      amount: '1',
      name: 'CryptoPunks',
      symbol: 'PUNK',
      possible_spam: false,
      verified_collection: true,
      rarity_rank: null,
      rarity_label: null,
      rarity_percentage: null,
      last_sale: null,
    },
  ],
};

const floorPricePage = {
  page: 1,
  page_size: 100,
  cursor: '',
  result: [
    {
      floor_price: '59.9',
      floor_price_usd: '181000.1299',
      currency: 'eth',
      marketplace: [{ name: 'opensea', logo: '' }],
      timestamp: '2026-11-21T12:00:00.000Z',
    },
  ],
};

const lowestTrade = {
  token_address: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  transaction_hash: '0x4f9ba5d8f47a3e3cb8e1d7dc1b7ab9aa2e3b4b8b1f6c8e6d6bd1a2b4d5e6f708',
  transaction_index: '',
  token_ids: ['372'],
  seller_address: '0x00000000000000000000000000000000000000aa',
  buyer_address: '0x00000000000000000000000000000000000000bb',
  marketplace_address: '0x00000000000000adc04c56bf30ac9d3c0aaf14dc',
  price: '59900000000000000000',
  block_timestamp: '2026-11-20T08:13:11',
  block_number: '21230000',
  block_hash: '0x1f6c8e6d6bd1a2b4d5e6f7084f9ba5d8f47a3e3cb8e1d7dc1b7ab9aa2e3b4b8b',
};

const notReadyBody = {
  message: 'The provider is still indexing this collection. Try again later.',
};

const CHAIN =
  'The chain of the contract: its name or its hex id, case-insensitive. In names, a hyphen may replace a space.';

const PAGE_BEFORE =
  'The `cursor` of the previous page, with the same query; omit it for the first page.';

const limits = {
  RateLimit,
  'RateLimit-Policy': `The units of a tenant per minute. A request that is sent to the provider takes ${REQUEST_UNITS['nft-data'].asked}; a response from the cache or the archive takes ${REQUEST_UNITS['nft-data'].atHand}.`,
};

const cached = {
  Age: 'The age of a cached response, in seconds.',
  'Cache-Status':
    'For a cached response (RFC 9211): `hit` while the response is fresh, or `fwd=stale` while the provider does not respond. With `fwd=stale`, `detail` is the reason, for example `slow` for a slow provider.',
};

const headers = {
  'X-Data-Source': 'The source of the data: `upstream` (the data provider) or `archive`.',
  ...cached,
  ...limits,
};

const problemHeaders = { ...cached, ...limits };

const notReady = json('The provider is still indexing the collection.', NotReady, notReadyBody, {
  'Retry-After': 'The seconds to wait before a retry.',
  ...limits,
});

const failures = [
  'throttled',
  'not_supported',
  'upstream_failed',
  'upstream_unavailable',
  'upstream_timeout',
  'not_found',
] as const;

export const nftDataOperations = describeRoutes(nftDataRoutes, {
  'POST /api/v2.2/nft/{address}/nfts-by-traits': {
    id: 'getNftsByTraits',
    tag: 'NFT data',
    summary: 'Find the tokens of a contract that have all the given traits',
    query: {
      chain: CHAIN,
      format: 'The format of token ids; `decimal` by default.',
      limit: 'The maximum number of tokens on a page; 100 by default.',
      cursor: PAGE_BEFORE,
      normalizeMetadata: 'Whether to return `normalized_metadata`; otherwise it is null.',
      media_items: 'Whether to return `media`; otherwise it is null.',
    },
    bodies: { 'two traits': traitsBody },
    answers: { 200: json('A page of tokens.', NftPage, nftPage, headers), 202: notReady },
    problems: failures,
    problemHeaders,
  },
  'GET /api/v2.2/nft/{address}/floor-price/historical': {
    id: 'getHistoricalFloorPrice',
    tag: 'NFT data',
    summary: 'Read the floors of a contract over an interval, newest first',
    query: {
      chain: CHAIN,
      interval: 'The length of the interval, which ends now.',
      cursor: PAGE_BEFORE,
    },
    answers: {
      200: json('A page of floors.', FloorPricePage, floorPricePage, headers),
      202: notReady,
    },
    problems: failures,
    problemHeaders,
  },
  'GET /api/v2.2/nft/{address}/lowestprice': {
    id: 'getLowestPrice',
    tag: 'NFT data',
    summary: 'Read the lowest trade of a contract, by price in ETH, in the last `days` days',
    query: {
      chain: CHAIN,
      days: 'The length of the period in days. The period ends now.',
      marketplace: 'The marketplace whose trades count; all marketplaces by default.',
    },
    answers: {
      200: json(
        'The trade with the lowest price; the earliest of several trades with the same price.',
        LowestTrade,
        lowestTrade,
        headers,
      ),
      202: notReady,
    },
    problems: [...failures, 'no_trade'],
    problemHeaders,
  },
});

/** Our decisions on points that the specification of this interface leaves open. */
export const NFT_DATA_DECISIONS = `The specification of the NFT data interface v2.2 leaves some points open. This service resolves them as follows:

- \`chain\` is \`eth\` by default. The chains flow and flow-testnet have no floor prices, so a request for floor prices on them returns 400.
- \`result\` is always an array, even in the traits search.
- \`page\` and \`page_size\` are strings in the traits search and numbers in the floor history, as in the samples of the specification.
- \`limit\` is 1 to 100, and 100 by default. A page of the floor history has 100 floors. The limit of the first page applies to all pages. A page may have fewer entries than \`limit\` although more pages follow, because its tokens are large or because few of many tokens match. Only an empty \`cursor\` marks the last page.
- A cursor is valid only for the query that returned it; any other query with this cursor returns 400. The cursor stays valid when data is added.
- Traits are case-sensitive. A token must have all given traits. If the metadata of a token repeats a trait name, the token matches each of the values. A number or a boolean is equal to its text form. At most 25 traits are allowed.
- \`token_id\` is decimal by default (\`format\`). In hex it has the prefix \`0x\` and no leading zeros.
- An unknown value of a token or a floor is null, never zero or an empty string. Only the \`logo\` of a marketplace may be empty. An unknown value of a trade is an empty string, as in the specification. \`normalized_metadata\` and \`media\` are null if they are not requested.
- A trade also has \`token_address\`, the contract of the traded tokens. Its \`block_timestamp\` is in UTC, without a time zone.
- If a provider has retired \`lowestprice\`, the trade is derived from the lowest sale that the successor of this operation reports. That sale has no \`marketplace_address\`, \`block_number\` or \`block_hash\`, so they are empty strings. For such a trade the SDK \`@moralisweb3/common-evm-utils\` (2.27) throws "Invalid address provided" or "Value is empty", because it requires \`token_address\`, \`seller_address\`, \`buyer_address\`, \`marketplace_address\` and \`block_number\`. Parse the JSON of such trades without the SDK. The SDK also reads \`block_timestamp\` as local time.
- \`days\` is 1 to 365, and 7 by default. The window starts \`days\` × 24 hours ago and ends now; both ends are included. If several trades have the lowest price, the earliest is returned. \`marketplace\` accepts only \`opensea\`.
- If no trade is found, the response is 404 with the type \`urn:floorwatch:problem:no_trade\`.
- An interval of up to 30 days returns all recorded floors; a longer interval returns the last floor of each day.
- While a provider collects the data of a collection, the response is 202 with a \`message\`.
- Errors are problem documents (RFC 9457) with a \`message\` that repeats the \`detail\`. Error texts from a provider are not passed on. 502, 503 and 504 are failures of the provider; 400, 404 and 429 concern the request. 429 with \`RateLimit\` means that the tenant's limit is reached. 429 without \`RateLimit\` means that all callers together, or one IP address, sent too many requests at once.
- Responses of a provider are cached: traits for 300 seconds, floors and lowest prices for 60 seconds. While the provider fails, or takes longer than a second, its last successful response is served for up to a day. \`Age\` is the age of a cached response in seconds.
- Each tenant has a number of units per minute. A request that is sent to the provider costs ten units. A response from the cache or the archive costs one unit, and so does each further page from the archive.
- A parameter or member that is not documented returns 400; so does a parameter that occurs twice.
- Pages and records from a provider are passed on unchanged, so they may have undocumented members and lack documented ones.`;
