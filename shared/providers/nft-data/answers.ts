import * as z from 'zod';
import { type ExactJson, locateMember, parseExactJson } from '#shared/clients/exact-json.ts';
import { withoutZone } from '#shared/domain/archive/timestamp.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { type Decimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE, readInstant } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  FloorPoint,
  LowestTrade,
  Outcome,
} from '#shared/domain/market/upstream.ts';
import { cursorForClients } from '#shared/domain/nft-data/upstream-cursor.ts';
import { onOneLine } from '#shared/domain/words.ts';

const GARBAGE = { kind: 'failed', reason: 'garbage' } as const;
const EMPTY = { kind: 'empty' } as const;
/** Neither a price nor its absence: sales in ETH may lie above it, of which nothing is reported. */
const OTHER_MONEY = { kind: 'unsupported', reason: 'money' } as const;

/** Reads a page of floor history: each record stands for itself, one that is no price is left out. */
export function readFloorPage(body: string, chain: Chain, now: Instant): Outcome<FloorPage> {
  const page = FloorRecords.safeParse(parseExactJson(body));
  if (!page.success) return GARBAGE;
  const { result: records, cursor } = page.data;
  if (records.length === 0) return EMPTY;
  const points = records.flatMap((record) => {
    const point = FloorRecord.safeParse(record);
    return point.success && isSane(point.data.time, now) ? [point.data] : [];
  });
  if (points.length === 0) return GARBAGE;
  return {
    kind: 'ok',
    value: { points: onePerTime(points, chain), ...(cursor === undefined ? {} : { cursor }) },
  };
}

/** Reads the record of `lowestprice`, which counts trades paid in ETH only and need not say so. */
export function readLowestRecord(body: string, chain: Chain, now: Instant): Outcome<LowestTrade> {
  if (body.trim() === '') return EMPTY;
  const record = parseExactJson(body);
  return isNothing(record) ? EMPTY : readTrade(record, chain, now, 'eth');
}

/** Reads the lowest sale of `/price`, which counts every payment token: only ETH is an answer. */
export function readPriceSummary(body: string, chain: Chain, now: Instant): Outcome<LowestTrade> {
  if (body.trim() === '') return EMPTY;
  const summary = parseExactJson(body);
  if (isNothing(summary)) return EMPTY;
  const parsed = PriceSummary.safeParse(summary);
  if (!parsed.success) return GARBAGE;
  const { lowest_sale, message } = parsed.data;
  if (lowest_sale !== null) return readTrade(lowest_sale, chain, now, undefined);
  return STILL_LOADING.test(message) ? { kind: 'not_ready' } : EMPTY;
}

/**
 * Passes a page through byte for byte; but a single record becomes a list of one, and a cursor that
 * could be taken for one of ours is marked.
 */
export function passPage(body: string): Outcome<string> {
  const page = RawPage.safeParse(parseExactJson(body));
  if (!page.success) return GARBAGE;
  const { result, cursor = '' } = page.data;
  const listed = Array.isArray(result) ? body : rewritten(body, 'result', (text) => `[${text}]`);
  const marked = cursorForClients(cursor);
  if (marked === cursor) return { kind: 'ok', value: listed };
  return { kind: 'ok', value: rewritten(listed, 'cursor', () => JSON.stringify(marked)) };
}

function rewritten(body: string, member: string, rewrite: (text: string) => string): string {
  const [start, end] = locateMember(body, member) ?? [0, 0];
  return body.slice(0, start) + rewrite(body.slice(start, end)) + body.slice(end);
}

/** Passes the record of `lowestprice` through byte for byte. */
export function passLowestRecord(body: string): Outcome<string> {
  if (body.trim() === '') return EMPTY;
  const record = parseExactJson(body);
  if (isNothing(record)) return EMPTY;
  return RawTrade.safeParse(record).success ? { kind: 'ok', value: body } : GARBAGE;
}

/** Makes the record of `lowestprice` (section 2.5) from the lowest sale of `price`. */
export function passLowestSale(body: string, { chain, address }: Contract): Outcome<string> {
  if (body.trim() === '') return EMPTY;
  const summary = parseExactJson(body);
  if (isNothing(summary)) return EMPTY;
  const parsed = PriceSummary.safeParse(summary);
  if (!parsed.success) return GARBAGE;
  const { lowest_sale: sale, message } = parsed.data;
  if (sale === null) return STILL_LOADING.test(message) ? { kind: 'not_ready' } : EMPTY;
  const money = moneyOf(sale, chain);
  if (money === undefined || !RawTrade.safeParse(sale).success) return GARBAGE;
  if (money !== 'eth') return OTHER_MONEY;
  const { token_id, token_ids = token_id, ...rest } = sale;
  const record = {
    ...rest,
    ...Object.fromEntries(TRADE_TEXTS.map((member) => [member, textOrEmpty(sale[member])])),
    token_address: address,
    token_ids: [token_ids].flat().filter((id) => typeof id === 'string'),
    block_timestamp: withoutZone(textOrEmpty(sale.block_timestamp)),
  };
  return { kind: 'ok', value: JSON.stringify(record) };
}

/** Texts of a trade that a sale may leave out. */
const TRADE_TEXTS = [
  'transaction_hash',
  'transaction_index',
  'seller_address',
  'buyer_address',
  'marketplace_address',
  'block_number',
  'block_hash',
];

const textOrEmpty = (value: unknown) => (typeof value === 'string' ? value : '');

/** What an error answer says: its `message`, one text or several, and its `details`. */
export function messageOf(body: string): string {
  const parsed = ErrorBody.safeParse(parseExactJson(body));
  const { message = body, error = '', details = '' } = parsed.data ?? {};
  return [message, error, details].flat().join(' ').slice(0, 500);
}

/** No vendor existed before; an earlier time is a zero or a mistake in the unit. */
const EARLIEST = Date.UTC(2015, 0, 1);
/** Clocks differ; what lies further ahead is garbage. */
const TOLERANCE = 5 * MINUTE;
/** What a price can be and still be compared: 38 digits in the smallest unit. */
const PRICE_LIMIT = 10n ** 38n;
const STILL_LOADING = /sync|index|fetch|progress|process|later/i;
const NATIVE_ADDRESSES: readonly string[] = [
  '0x0000000000000000000000000000000000000000',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
];
/**
 * The tokens that are ether, by the slug of a chain: any contract may call itself WETH.
 * On chains that are not named a symbol is believed.
 */
const ETHER_TOKENS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'eth',
    // WETH, and what bids on Blur are paid from.
    ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', '0x0000000000a39bb272e79075ade125fd351887ac'],
  ],
  ['polygon', ['0x7ceb23fd6bc0add59e62ac25578270cff1b9f619']],
  ['arbitrum', ['0x82af49447d8a07e3bd95bd0d56f35241523fbab1']],
  ['base', ['0x4200000000000000000000000000000000000006']],
  ['optimism', ['0x4200000000000000000000000000000000000006']],
  ['linea', ['0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f']],
]);

const isPrice = (value: Decimal | undefined): value is Decimal =>
  value !== undefined && value > 0n && value < PRICE_LIMIT;
const isSane = (time: Instant, now: Instant) => time >= EARLIEST && time <= now + TOLERANCE;

const Price = z.string().transform(readDecimal).refine(isPrice);
const SmallestUnits = z
  .string()
  .regex(/^\d{1,40}$/)
  .transform(BigInt)
  .refine(isPrice);
const Time = z
  .string()
  .transform(readInstant)
  .refine((time) => time !== undefined);
/** Words beside a price never make it unusable: what cannot be read is left out. */
const OptionalPrice = Price.optional().catch(undefined);
const OptionalText = z.string().min(1).optional().catch(undefined);
const Texts = z
  .union([z.array(z.string()), z.string().transform((text) => [text])])
  .optional()
  .catch(undefined);

const OneOrMore = z.union([
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()).transform((record): readonly unknown[] => [record]),
]);
/** The last page has no cursor, an empty one or null. */
const FloorRecords = z.lazy(() => z.object({ result: OneOrMore, cursor: OptionalText }));
const RawPage = z.lazy(() =>
  z.object({
    result: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
    cursor: OptionalText,
  }),
);

/** Messages are made of it, line by line. */
const Word = z.string().transform(onOneLine).pipe(z.string().min(1));
const MarketplaceName = z.lazy(() =>
  z.union([Word, z.object({ name: Word }).transform(({ name }) => name)]),
);
const Marketplaces = z
  .unknown()
  .optional()
  .transform((value) =>
    (Array.isArray(value) ? value : [value]).flatMap((entry: unknown) => {
      const name = MarketplaceName.safeParse(entry);
      return name.success ? [name.data] : [];
    }),
  );

/** It stands in messages to people: nothing that is no hash passes. Only Flow writes it without `0x`. */
const TransactionHash = z.string().regex(/^(0x)?[0-9a-f]{64}$/i);

/** A price without a currency is no price: a number without a unit is not compared. */
const FloorRecord = z.lazy(() =>
  z
    .object({
      floor_price: Price,
      floor_price_usd: OptionalPrice,
      currency: z
        .string()
        .transform(unitOf)
        .pipe(z.string().regex(/^[\p{L}\p{N}.$_-]{1,20}$/u)),
      marketplace: Marketplaces,
      timestamp: Time,
    })
    .transform(
      (record): FloorPoint => ({
        time: record.timestamp,
        price: record.floor_price,
        currency: record.currency,
        marketplaces: record.marketplace,
        ...(record.floor_price_usd === undefined ? {} : { usd: record.floor_price_usd }),
      }),
    ),
);

const PaymentToken = z.lazy(() =>
  z.object({
    symbol: OptionalText,
    token_symbol: OptionalText,
    address: OptionalText,
    token_address: OptionalText,
    token_decimals: OptionalText,
  }),
);

const TradeRecord = z.lazy(() =>
  z
    .object({
      price: SmallestUnits,
      block_timestamp: Time,
      transaction_hash: TransactionHash.optional().catch(undefined),
      token_ids: Texts,
      token_id: Texts,
      usd_price_at_sale: OptionalPrice,
    })
    .transform(
      (record): LowestTrade => ({
        time: record.block_timestamp,
        price: record.price,
        tokenIds: record.token_ids ?? record.token_id ?? [],
        ...(record.usd_price_at_sale === undefined ? {} : { usd: record.usd_price_at_sale }),
        ...(record.transaction_hash === undefined
          ? {}
          : { transactionHash: record.transaction_hash }),
      }),
    ),
);

/** A token reported in one word, by its symbol or by its address. */
const PaymentName = z.lazy(() =>
  z
    .string()
    .min(1)
    .transform((text) =>
      PaymentToken.parse(text.startsWith('0x') ? { address: text } : { symbol: text }),
    ),
);

const Payment = z.lazy(() =>
  z.object({
    payment_token: z.union([PaymentName, PaymentToken]).nullish().catch(null),
  }),
);

const RawTrade = z.lazy(() => z.object({ price: SmallestUnits, block_timestamp: Time }));

const PriceSummary = z.lazy(() =>
  z.object({
    lowest_sale: z.record(z.string(), z.unknown()).nullable(),
    message: z.string().catch(''),
  }),
);

const Message = z.union([z.string(), z.array(z.string())]).catch('');
const ErrorBody = z.lazy(() => z.object({ message: Message, error: Message, details: Message }));

function readTrade(
  record: unknown,
  chain: Chain,
  now: Instant,
  moneyUnlessReported: string | undefined,
): Outcome<LowestTrade> {
  const money = moneyOf(record, chain) ?? moneyUnlessReported;
  if (money === undefined) return GARBAGE;
  if (money !== 'eth') return OTHER_MONEY;
  const trade = TradeRecord.safeParse(record);
  return trade.success && isSane(trade.data.time, now)
    ? { kind: 'ok', value: trade.data }
    : GARBAGE;
}

/** Which money paid: `eth`, the name of another, or undefined where the record does not tell. */
function moneyOf(record: unknown, chain: Chain): string | undefined {
  const token = Payment.safeParse(record).data?.payment_token;
  const symbol = token?.token_symbol ?? token?.symbol;
  const address = (token?.token_address ?? token?.address)?.toLowerCase();
  const atAddress = address === undefined ? undefined : moneyAt(address, chain);
  if (symbol === undefined) return atAddress ?? address;
  if ((token?.token_decimals ?? '18') !== '18') return `${symbol} of another scale`;
  const named = unitOf(symbol);
  const isNamesake = named === 'eth' && address !== undefined && isElsewhere(atAddress, chain);
  return isNamesake ? `${symbol} at ${address}` : named;
}

/** The money that an address stands for; undefined where it is no known one. */
function moneyAt(address: string, chain: Chain): string | undefined {
  if (NATIVE_ADDRESSES.includes(address)) return chain.currency;
  return ETHER_TOKENS.get(chain.slug)?.includes(address) === true ? 'eth' : undefined;
}

/** Whether what is called ether is reported at an address where ether is known not to be. */
function isElsewhere(money: string | undefined, chain: Chain): boolean {
  return money === undefined ? ETHER_TOKENS.has(chain.slug) : money !== 'eth';
}

function isNothing(value: ExactJson | undefined): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Newest first. Of several with one time the lowest counts, the chain's own money before others. */
function onePerTime(points: readonly FloorPoint[], chain: Chain): readonly FloorPoint[] {
  const foreign = (point: FloorPoint) => (point.currency === chain.currency ? 0 : 1);
  const sorted = points.toSorted(
    (a, b) => b.time - a.time || foreign(a) - foreign(b) || compare(a.price, b.price),
  );
  return sorted.filter((point, index) => point.time !== sorted[index - 1]?.time);
}

const compare = (a: Decimal, b: Decimal) => Number(a > b) - Number(a < b);
