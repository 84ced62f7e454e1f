import type { Provider } from '#shared/domain/market/provider.ts';
import {
  DECIMAL_TEXT,
  DIGITS,
  type Form,
  HEX,
  LIST,
  NUMBER,
  SECONDS,
  TEXT,
  TIME_TEXT,
  WHOLE_NUMBER,
} from './forms.ts';
import type { Exchange } from './record-exchanges.ts';

/** Our assumptions about one kind of answer, with the members that the clients read. */
export type ExpectedAnswer = {
  readonly name: string;
  /** Whether an exchange is of this kind. */
  readonly isOf: (exchange: Exchange) => boolean;
  /** The documented statuses of a usable answer. */
  readonly statuses: readonly number[];
  readonly members: Readonly<Record<string, Member>>;
  /** The number of records on each page of a list except the last page. */
  readonly page?: { readonly list: string; readonly next: string; readonly size: number };
};

/** The accepted forms of a member. An optional member may be missing from all records. */
type Member = { readonly forms: readonly Form[]; readonly isOptional?: true };

const is = (...forms: readonly Form[]): Member => ({ forms });
const maybe = (...forms: readonly Form[]): Member => ({ forms, isOptional: true });

/** An answer that is recognized by the path of its request. */
const at = (pattern: RegExp, name: string) => ({
  name,
  isOf: ({ request }: Exchange) => pattern.test(request.url.pathname),
  statuses: [200],
});

/** An answer that is recognized by the JSON-RPC method of its request, alone or in a batch. */
const of = (method: string, name: string) => ({
  name,
  isOf: ({ request }: Exchange) => request.body?.includes(`"method":"${method}"`) === true,
  statuses: [200],
});

const TRADE = { price: is(DIGITS), block_timestamp: is(TIME_TEXT), transaction_hash: maybe(HEX) };

export const EXPECTED: Readonly<Record<Provider, readonly ExpectedAnswer[]>> = {
  'nft-data': [
    {
      ...at(/\/floor-price\/historical$/, 'floor history'),
      members: {
        'result[].timestamp': is(TIME_TEXT),
        'result[].floor_price': is(DECIMAL_TEXT),
        'result[].floor_price_usd': maybe(DECIMAL_TEXT),
        'result[].currency': is(TEXT),
      },
      page: { list: 'result', next: 'cursor', size: 100 },
    },
    { ...at(/\/lowestprice$/, 'lowest sale'), members: TRADE },
    {
      ...at(/\/price$/, 'price summary'),
      members: {
        'lowest_sale.price': is(DIGITS),
        'lowest_sale.block_timestamp': is(TIME_TEXT),
        'lowest_sale.transaction_hash': maybe(HEX),
        'lowest_sale.payment_token.token_symbol': is(TEXT),
      },
    },
  ],
  opensea: [
    {
      ...at(/\/chain\/[^/]+\/contract\/[^/]+$/, 'collection of the contract'),
      members: { collection: is(TEXT), name: is(TEXT) },
    },
    {
      ...at(/\/collections\/[^/]+$/, 'contracts of the collection'),
      members: {
        name: is(TEXT),
        'contracts[].address': is(HEX),
        'contracts[].chain': is(TEXT),
      },
    },
    {
      ...at(/\/collections\/[^/]+\/stats$/, 'current floor'),
      members: { 'total.floor_price': is(NUMBER), 'total.floor_price_symbol': is(TEXT) },
    },
    {
      ...at(/\/collections\/[^/]+\/floor_prices$/, 'floor history'),
      members: {
        'floor_prices[].time': is(SECONDS),
        'floor_prices[].token_unit': is(NUMBER),
        'floor_prices[].symbol': is(TEXT),
        'floor_prices[].usd_price': maybe(DECIMAL_TEXT),
        'floor_prices[].chain': maybe(TEXT),
      },
    },
    {
      ...at(/\/collections\/[^/]+\/offer_aggregates$/, 'offers'),
      members: {
        'offer_aggregates[].offer_price.token_unit': is(NUMBER),
        'offer_aggregates[].offer_price.symbol': is(TEXT),
        'offer_aggregates[].offer_price.usd_price': maybe(DECIMAL_TEXT),
        'offer_aggregates[].offer_price.chain': is(TEXT),
        'offer_aggregates[].total_offers': is(WHOLE_NUMBER),
      },
    },
    {
      ...at(/\/events\/collection\/[^/]+$/, 'sales'),
      members: {
        'asset_events[].event_timestamp': is(SECONDS),
        'asset_events[].quantity': is(WHOLE_NUMBER),
        'asset_events[].transaction': maybe(HEX),
        'asset_events[].payment.quantity': is(DIGITS),
        'asset_events[].payment.token_address': is(HEX),
        'asset_events[].payment.decimals': is(WHOLE_NUMBER),
        'asset_events[].payment.symbol': is(TEXT),
        'asset_events[].nft.identifier': is(DIGITS),
        'asset_events[].nft.contract': is(HEX),
      },
      page: { list: 'asset_events', next: 'next', size: 200 },
    },
  ],
  coingecko: [
    {
      ...at(/\/nfts\/[^/]+\/contract\/[^/]+$/, 'current floor'),
      members: {
        native_currency_symbol: is(TEXT),
        'floor_price.native_currency': is(NUMBER),
        'floor_price.usd': is(NUMBER),
      },
    },
  ],
  alchemy: [
    {
      ...at(/\/getFloorPrice$/, 'current floor'),
      members: {
        'openSea.floorPrice': is(NUMBER),
        'openSea.priceCurrency': is(TEXT),
        'openSea.retrievedAt': is(TIME_TEXT),
      },
    },
  ],
  'ethereum-node': [
    { ...of('eth_chainId', 'chain'), members: { result: is(HEX) } },
    {
      ...of('eth_getBlockByNumber', 'block'),
      members: replies({ 'result.number': is(HEX), 'result.timestamp': is(HEX) }),
    },
    {
      ...of('eth_getLogs', 'transfers'),
      members: {
        'result[].address': is(HEX),
        'result[].topics': is(LIST),
        'result[].data': is(HEX),
        'result[].blockNumber': is(HEX),
        'result[].transactionHash': is(HEX),
        'result[].blockTimestamp': maybe(HEX),
      },
    },
    {
      ...of('eth_getTransactionReceipt', 'receipts'),
      members: replies({ 'result.logs': is(LIST) }),
    },
  ],
};

/** The members of a JSON-RPC reply, alone and in a batch. */
function replies(members: Readonly<Record<string, Member>>): Readonly<Record<string, Member>> {
  const inBatch = Object.entries(members).map(([path, member]) => [`[].${path}`, member] as const);
  return { ...members, ...Object.fromEntries(inBatch) };
}
