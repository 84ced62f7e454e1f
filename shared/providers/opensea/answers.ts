import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import { TradeRecord } from '#shared/domain/archive/trade.ts';
import { defined } from '#shared/domain/defined.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { type Decimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { earliest, formatInstant, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { STATISTICS_DAYS, type StatisticsSeries } from '#shared/domain/market/price-series.ts';
import type { SkipReason } from '#shared/domain/market/skipped.ts';
import type { BestOffer, FloorPoint, Outcome, Statistics } from '#shared/domain/market/upstream.ts';
import {
  Currency,
  EMPTY,
  GARBAGE,
  isSane,
  isZero,
  moneyPaid,
  onePerTime,
  Price,
  SmallestUnits,
  TokenCount,
  TransactionHash,
} from '#shared/providers/prices.ts';
import { readRecords } from '#shared/providers/read-records.ts';
import type { Sale } from '#shared/use-cases/upstream.ts';
import { identifierOf } from './chains.ts';

/*
 * OpenSea's answers according to `@opensea/api-types`. Prices are JSON numbers, so all their digits
 * are read.
 */

const MARKETPLACES = ['opensea'];

/**
 * The collection of a contract; the slug is empty if the contract has several collections or none.
 */
export function readContract(
  body: string,
): Outcome<{ readonly slug: string; readonly name: string }> {
  const parsed = ContractAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  return { kind: 'ok', value: { slug: parsed.data.collection, name: parsed.data.name } };
}

/** A collection with its contracts, with OpenSea's names of chains. */
export function readCollection(body: string): Outcome<z.output<typeof CollectionAnswer>> {
  const parsed = CollectionAnswer.safeParse(parseExactJson(body));
  return parsed.success ? { kind: 'ok', value: parsed.data } : GARBAGE;
}

/** The collections in the results of a search. */
export function readSearch(
  body: string,
): Outcome<readonly { readonly slug: string; readonly name: string }[]> {
  const parsed = SearchAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const value = readRecords(parsed.data.results, (record) => {
    const result = SearchResult.safeParse(record).data;
    if (result === undefined) return 'unreadable';
    const { collection } = result;
    return collection && { slug: collection.collection, name: collection.name };
  });
  return value === undefined ? GARBAGE : { kind: 'ok', value };
}

/**
 * A page of the collections of a wallet. One unreadable record invalidates the page, because it
 * could be any collection.
 */
export function readWalletCollections(
  body: string,
): Outcome<z.output<typeof WalletCollectionsAnswer>> {
  const parsed = WalletCollectionsAnswer.safeParse(parseExactJson(body));
  return parsed.success ? { kind: 'ok', value: parsed.data } : GARBAGE;
}

/** A key that OpenSea issues without an account. */
export type InstantKey = {
  readonly key: string;
  readonly endsAt: Instant;
  readonly readsPerHour: number;
};

export function readInstantKey(body: string): Outcome<InstantKey> {
  const parsed = InstantKeyAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const { api_key: key, expires_at, rate_limits } = parsed.data;
  return { kind: 'ok', value: { key, endsAt: expires_at, readsPerHour: rate_limits.read } };
}

/**
 * The current floor. OpenSea reports no time for it, so it gets the time of the request. Zero, or a
 * missing currency, means that nothing is listed.
 */
export function readFloorNow(
  body: string,
  askedAt: Instant,
): Outcome<FloorPoint & { readonly statistics: Statistics }> {
  const parsed = StatsAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const { floor_price, floor_price_symbol } = parsed.data.total;
  if (isZero(floor_price) || floor_price_symbol === '') return EMPTY;
  const price = Price.safeParse(floor_price);
  const currency = Currency.safeParse(floor_price_symbol);
  if (!price.success || !currency.success) return GARBAGE;
  return {
    kind: 'ok',
    value: {
      time: askedAt,
      price: price.data,
      currency: currency.data,
      marketplaces: MARKETPLACES,
      statistics: statisticsIn(parsed.data),
    },
  };
}

/** The intervals that we use; OpenSea has more. */
const INTERVALS = { 1: 'one_day', 7: 'seven_day', 30: 'thirty_day' } as const;

/**
 * Zero is a valid value here, because a collection may have had no sales. Volume in an unknown
 * currency is omitted.
 */
function statisticsIn({ total, intervals }: z.output<typeof StatsAnswer>): Statistics {
  const owners = countIn('owners', 'owners', total.num_owners);
  const counted = STATISTICS_DAYS.flatMap((days) => {
    const found = intervals.find(({ interval }) => interval === INTERVALS[days]);
    if (found === undefined) return [];
    const { volume, volume_symbol, sales } = found;
    const value = readDecimal(volume);
    const currency = Currency.safeParse(volume_symbol);
    const isKnown = value !== undefined && value >= 0n && currency.success;
    return [
      ...countIn(`sales.${days}d`, 'sales', sales),
      ...(isKnown ? [[`volume.${days}d`, { value, unit: currency.data }] as const] : []),
    ];
  });
  return Object.fromEntries([...owners, ...counted]);
}

function countIn(series: StatisticsSeries, unit: string, count: string) {
  const value = readDecimal(count);
  return value === undefined || value < 0n ? [] : [[series, { value, unit }] as const];
}

/**
 * The current floor of one value of a trait, in the currency of the chain. OpenSea omits values
 * without a listing.
 */
export function readTraitFloors(
  body: string,
  chain: Chain,
  [type, value]: readonly [string, string],
  askedAt: Instant,
): Outcome<FloorPoint> {
  const parsed = TraitFloorsAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const asks = readRecords(parsed.data.floors, (record) => {
    const floor = TraitFloor.safeParse(record).data;
    if (floor === undefined) return 'unreadable';
    if (floor.trait_type !== type || floor.value !== value) return undefined;
    if (unitOf(floor.payment_token_symbol) !== chain.currency) return 'other_money';
    const price = Price.safeParse(floor.floor_price);
    return price.success ? { price: price.data } : 'no_price';
  });
  return lowestAsk(asks, chain, askedAt);
}

/** The lowest price among listings of a single token in the currency of the chain. */
export function readListings(body: string, chain: Chain, askedAt: Instant): Outcome<FloorPoint> {
  const parsed = ListingsAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const asks = readRecords(parsed.data.listings, (record) => {
    const listing = Listing.safeParse(record).data;
    return listing === undefined ? 'unreadable' : askOf(listing, chain);
  });
  return lowestAsk(asks, chain, askedAt);
}

/**
 * The price of one token in a listing. A listing of several equal tokens contains only their total
 * price.
 *
 * A price that does not divide exactly is rounded up to the smallest unit: no buyer pays less for
 * one token, and a rule with a threshold at the exact price must not fire.
 */
function askOf(
  { price, protocol_data, remaining_quantity }: z.output<typeof Listing>,
  chain: Chain,
): { readonly price: Decimal } | SkipReason {
  const { currency: symbol, decimals, value } = price.current;
  const money = moneyPaid({ symbol, address: undefined, decimals }, chain);
  if (money !== chain.currency) return 'other_money';
  const [item, ...others] = protocol_data?.parameters.offer ?? [];
  // A bundle has one price for several tokens.
  if (others.length > 0) return 'no_price';
  // After partial sales an order still has the price of the whole order.
  const editions = Editions.safeParse(item?.startAmount ?? remaining_quantity);
  const whole = SmallestUnits.safeParse(value);
  if (!editions.success || !whole.success) return 'no_price';
  return { price: dividedUp(whole.data, editions.data) };
}

/** The lowest of the asks. `asks` is undefined if the page was not readable. */
function lowestAsk(
  asks: readonly { readonly price: Decimal }[] | undefined,
  { currency }: Chain,
  askedAt: Instant,
): Outcome<FloorPoint> {
  if (asks === undefined) return GARBAGE;
  const [lowest] = asks.toSorted((one, other) => (one.price < other.price ? -1 : 1));
  if (lowest === undefined) return EMPTY;
  const { price } = lowest;
  return { kind: 'ok', value: { time: askedAt, price, currency, marketplaces: MARKETPLACES } };
}

/**
 * The best offer in ETH or the currency of the chain, from offers sorted by value. The price of an
 * offer is for one token, regardless of the number of tokens in the offer.
 */
export function readOffers(body: string, chain: Chain): Outcome<BestOffer> {
  const parsed = OffersAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const offers = readRecords(parsed.data.offer_aggregates, (record): BestOffer | SkipReason => {
    const level = OfferLevel.safeParse(record).data;
    if (level === undefined) return 'unreadable';
    const { token_unit, symbol, usd_price: usd, chain: of } = level.offer_price;
    if (of.toLowerCase() !== identifierOf(chain)) return 'other_contract';
    const currency = unitOf(symbol);
    if (currency !== chain.currency && currency !== 'eth') return 'other_money';
    const price = Price.safeParse(token_unit);
    if (!price.success || isZero(level.total_offers)) return 'no_price';
    return { price: price.data, currency, ...defined({ usd }) };
  });
  if (offers === undefined) return GARBAGE;
  const [best] = offers;
  return best === undefined ? EMPTY : { kind: 'ok', value: best };
}

/**
 * The recorded floors, newest first. A record must have a time; records without a price are
 * skipped.
 */
export function readFloorHistory(
  body: string,
  { chain }: Contract,
  now: Instant,
): Outcome<readonly FloorPoint[]> {
  const parsed = HistoryAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const points = readRecords(parsed.data.floor_prices, (record): FloorPoint | SkipReason => {
    const time = HistoryTime.safeParse(record).data?.time;
    if (time === undefined || !isSane(time, now)) return 'no_time';
    const point = HistoryPoint.safeParse(record);
    if (!point.success) return 'no_price';
    const { token_unit: price, symbol: currency, usd_price: usd, chain: of } = point.data;
    const isOfChain = of === undefined || of.toLowerCase() === identifierOf(chain);
    if (!isOfChain) return 'other_contract';
    const dollars = usd === undefined ? {} : { usd };
    return { time, price, currency, marketplaces: MARKETPLACES, ...dollars };
  });
  if (points === undefined) return GARBAGE;
  return points.length === 0 ? EMPTY : { kind: 'ok', value: onePerTime(points, chain) };
}

/** A page of sales, newest first. */
export type SalesPage = {
  /** The sales of the contract that were paid in ETH. */
  readonly sales: readonly Sale[];
  /** The time of the oldest event of the page, of any type. */
  readonly oldest: Instant | undefined;
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
};

export function readSales(body: string, contract: Contract, now: Instant): Outcome<SalesPage> {
  const parsed = EventsAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const { asset_events: records, next } = parsed.data;
  const sales = readRecords(records, (record) => readSale(record, contract, now));
  if (sales === undefined) return GARBAGE;
  const oldest = earliest(records.map((record) => timeOf(record, now)));
  return { kind: 'ok', value: { sales, oldest, next } };
}

function readSale(record: unknown, contract: Contract, now: Instant): Sale | SkipReason {
  if (timeOf(record, now) === undefined) return 'no_time';
  // A bundle has no single token, and a barter has no payment, so neither has a price.
  if (!PricedEvent.safeParse(record).success) return 'no_price';
  const form = SaleForm.safeParse(record);
  if (!form.success) return 'unreadable';
  if (form.data.nft.contract.toLowerCase() !== contract.address) return 'other_contract';
  if (moneyOf(form.data, contract) !== 'eth') return 'other_money';
  const event = SaleEvent.safeParse(record);
  const [sale] = event.success ? saleOf(event.data, contract) : [];
  return sale ?? 'no_price';
}

/** The time of an event of any type; undefined if it is missing or impossible. */
function timeOf(record: unknown, now: Instant): Instant | undefined {
  const time = TimeOnly.safeParse(record).data?.event_timestamp;
  return time !== undefined && isSane(time, now) ? time : undefined;
}

function moneyOf({ payment }: z.output<typeof SaleForm>, { chain }: Contract): string | undefined {
  const { symbol, token_address: address, decimals } = payment;
  return moneyPaid({ symbol, address, decimals }, chain);
}

/** A sale with the price of one token in the smallest unit, rounded up for several equal tokens. */
function saleOf(
  {
    payment,
    quantity,
    event_timestamp: time,
    transaction,
    order_hash: mark,
    nft,
    ...sides
  }: z.output<typeof SaleEvent>,
  contract: Contract,
): Sale[] {
  const count = BigInt(quantity);
  if (count <= 0n) return [];
  const price = dividedUp(payment.quantity, count);
  const record = TradeRecord.parse({
    token_address: contract.address,
    transaction_hash: transaction,
    token_ids: [nft.identifier],
    seller_address: sides.seller,
    buyer_address: sides.buyer,
    marketplace_address: sides.protocol_address,
    price: `${price}`,
    block_timestamp: formatInstant(time),
  });
  return [
    {
      time,
      price,
      tokenIds: [nft.identifier],
      ...defined({ transactionHash: transaction }),
      record,
      mark,
    },
  ];
}

/** The quotient of two integers, rounded up. */
const dividedUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;

/** OpenSea's record of a token. */
export type OpenSeaToken = z.output<typeof Token>;

export type TokensPage = {
  readonly tokens: readonly OpenSeaToken[];
  readonly next: string | undefined;
};

export function readTokens(body: string, { address }: Contract): Outcome<TokensPage> {
  const parsed = TokensAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const tokens = readRecords(parsed.data.nfts, (record) => {
    const token = Token.safeParse(record).data;
    if (token === undefined) return 'unreadable';
    return token.contract.toLowerCase() === address ? token : 'other_contract';
  });
  return tokens === undefined ? GARBAGE : { kind: 'ok', value: { tokens, next: parsed.data.next } };
}

/** The text of an error response: `errors`, a list of texts, or an `error` with a `message`. */
export function messageOf(body: string): string {
  const { errors = [], error } = ErrorAnswer.safeParse(parseExactJson(body)).data ?? {};
  return [...errors, error?.message ?? ''].join(' ').trim().slice(0, 500);
}

const OptionalText = z.lazy(() => z.string().min(1).optional().catch(undefined));
const TextOrEmpty = z.lazy(() => z.string().catch(''));

/** Seconds or milliseconds since the epoch; the documentation does not specify the unit. */
const Epoch = z.lazy(() =>
  z
    .string()
    .transform(Number)
    .pipe(z.number().positive())
    .transform((given) => Math.round(given < MILLISECONDS_FROM ? given * SECOND : given)),
);
/** In seconds this is the year 5138, in milliseconds 1973. */
const MILLISECONDS_FROM = 1e11;

const ContractAnswer = z.lazy(() => z.object({ collection: z.string(), name: TextOrEmpty }));
const Contracts = z.lazy(() => z.array(z.object({ address: z.string(), chain: z.string() })));
const CollectionAnswer = z.lazy(() =>
  z.object({
    collection: OptionalText,
    name: z.string().min(1),
    image_url: OptionalText,
    contracts: Contracts,
  }),
);
const WalletCollectionsAnswer = z.lazy(() =>
  z.object({
    collections: z.array(
      z.object({
        ...{ collection: z.string().min(1), name: z.string(), contracts: Contracts },
        total_quantity: TokenCount,
      }),
    ),
    next: OptionalText,
  }),
);
const SearchAnswer = z.lazy(() => z.object({ results: z.array(z.unknown()) }));
const SearchResult = z.lazy(() =>
  z.object({ collection: z.object({ collection: z.string(), name: z.string() }).optional() }),
);

const PERIODS: Readonly<Record<string, number>> = { s: 3600, m: 60, h: 1 };
/** Converts a rate such as `600/h` to calls an hour. */
const Rate = z.lazy(() =>
  z
    .string()
    .regex(/^\d{1,9}\/[smh]$/)
    .transform((text) => Number.parseInt(text, 10) * (PERIODS[text.slice(-1)] ?? 1)),
);
const InstantKeyAnswer = z.lazy(() =>
  z.object({
    api_key: z.string().min(1),
    expires_at: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
    rate_limits: z.object({ read: Rate }),
  }),
);

const StatsAnswer = z.lazy(() =>
  z.object({
    total: z.object({
      floor_price: z.string(),
      floor_price_symbol: z.string(),
      num_owners: TextOrEmpty,
    }),
    intervals: z
      .array(
        z.object({
          interval: TextOrEmpty,
          volume: TextOrEmpty,
          volume_symbol: TextOrEmpty,
          sales: TextOrEmpty,
        }),
      )
      .catch([]),
  }),
);

const TraitFloorsAnswer = z.lazy(() => z.object({ floors: z.array(z.unknown()) }));
const TraitFloor = z.lazy(() =>
  z.object({
    trait_type: z.string(),
    value: z.string(),
    floor_price: z.string(),
    payment_token_symbol: z.string(),
  }),
);
/** The number of equal tokens that an order sells. */
const Editions = z.lazy(() =>
  z
    .string()
    .regex(/^[1-9]\d{0,29}$/)
    .transform(BigInt),
);
const ListingsAnswer = z.lazy(() => z.object({ listings: z.array(z.unknown()) }));
const Listing = z.lazy(() =>
  z.object({
    price: z.object({
      current: z.object({ currency: z.string(), decimals: z.string(), value: z.string() }),
    }),
    remaining_quantity: z.string(),
    protocol_data: z
      .object({
        parameters: z.object({ offer: z.array(z.object({ startAmount: z.string() })) }),
      })
      .nullish(),
  }),
);

const OffersAnswer = z.lazy(() => z.object({ offer_aggregates: z.array(z.unknown()) }));
const OfferLevel = z.lazy(() =>
  z.object({
    offer_price: z.object({
      token_unit: z.string(),
      symbol: TextOrEmpty,
      usd_price: Price.optional().catch(undefined),
      chain: z.string(),
    }),
    total_offers: z.string(),
  }),
);

const HistoryAnswer = z.lazy(() => z.object({ floor_prices: z.array(z.unknown()) }));
const HistoryPoint = z.lazy(() =>
  z.object({
    time: Epoch,
    token_unit: Price,
    symbol: Currency,
    usd_price: Price.optional().catch(undefined),
    chain: z.string().optional(),
  }),
);
const HistoryTime = z.lazy(() => z.object({ time: Epoch }));

/** The members that show whether a sale was paid in ETH, and for a token of the contract. */
const SaleForm = z.lazy(() =>
  z.object({
    quantity: z.string().regex(/^\d{1,30}$/),
    payment: z.object({
      quantity: z.string(),
      token_address: z.string(),
      decimals: z.string(),
      symbol: z.string(),
    }),
    nft: z.object({ identifier: z.string(), contract: z.string() }),
  }),
);
const SaleEvent = z.lazy(() =>
  z.object({
    event_timestamp: Epoch,
    transaction: TransactionHash.optional().catch(undefined),
    order_hash: TextOrEmpty,
    protocol_address: TextOrEmpty,
    seller: TextOrEmpty,
    buyer: TextOrEmpty,
    quantity: z.string().regex(/^\d{1,30}$/),
    payment: z.object({
      quantity: SmallestUnits,
      token_address: z.string(),
      decimals: z.string(),
      symbol: z.string(),
    }),
    nft: z.object({ identifier: z.string(), contract: z.string() }),
  }),
);
const PricedEvent = z.lazy(() => z.object({ payment: z.looseObject({}), nft: z.looseObject({}) }));
const TimeOnly = z.lazy(() => z.object({ event_timestamp: Epoch }));
const EventsAnswer = z.lazy(() =>
  z.object({ asset_events: z.array(z.unknown()), next: OptionalText }),
);

const Trait = z.lazy(() =>
  z.object({
    trait_type: z.string(),
    value: z.union([z.string(), z.boolean()]),
    display_type: z.string().nullish(),
  }),
);
const Token = z.lazy(() =>
  z.object({
    identifier: z.string().regex(/^\d{1,78}$/),
    contract: z.string(),
    token_standard: TextOrEmpty,
    name: OptionalText,
    description: OptionalText,
    image_url: OptionalText,
    metadata_url: OptionalText,
    updated_at: OptionalText,
    traits: z
      .array(z.unknown())
      .catch([])
      .transform((traits) => traits.flatMap((trait) => Trait.safeParse(trait).data ?? [])),
  }),
);
const TokensAnswer = z.lazy(() => z.object({ nfts: z.array(z.unknown()), next: OptionalText }));

const ErrorAnswer = z.lazy(() =>
  z.object({
    errors: z.array(z.string()).optional().catch(undefined),
    error: z.object({ message: z.string() }).optional().catch(undefined),
  }),
);
