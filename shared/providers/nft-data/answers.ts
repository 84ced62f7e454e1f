import * as z from 'zod';
import { type ExactJson, parseExactJson, rewriteMember } from '#shared/clients/exact-json.ts';
import { withoutZone } from '#shared/domain/archive/timestamp.ts';
import { defined } from '#shared/domain/defined.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { type Instant, readInstant } from '#shared/domain/market/instant.ts';
import type { SkipReason } from '#shared/domain/market/skipped.ts';
import type {
  FloorPage,
  FloorPoint,
  LowestTrade,
  Outcome,
  Refusal,
} from '#shared/domain/market/upstream.ts';
import { cursorForClients } from '#shared/domain/nft-data/upstream-cursor.ts';
import { onOneLine } from '#shared/domain/words.ts';
import {
  Currency,
  EMPTY,
  GARBAGE,
  isSane,
  moneyPaid,
  OTHER_MONEY,
  onePerTime,
  Price,
  SmallestUnits,
  TransactionHash,
} from '#shared/providers/prices.ts';
import { readRecords } from '#shared/providers/read-records.ts';
import { noteSkipped } from '#shared/use-cases/request-count.ts';

/**
 * Reads a page of the floor history. A record must have a time; records without a price are
 * skipped.
 */
export function readFloorPage(body: string, chain: Chain, now: Instant): Outcome<FloorPage> {
  const page = FloorRecords.safeParse(parseExactJson(body));
  if (!page.success) return GARBAGE;
  const { result: records, cursor } = page.data;
  const points = readRecords(records, (record): FloorPoint | SkipReason => {
    const time = FloorTime.safeParse(record).data?.timestamp;
    if (time === undefined || !isSane(time, now)) return 'no_time';
    return FloorRecord.safeParse(record).data ?? 'no_price';
  });
  if (points === undefined) return GARBAGE;
  if (points.length === 0) return EMPTY;
  return {
    kind: 'ok',
    value: { points: onePerTime(points, chain), ...defined({ cursor }) },
  };
}

/**
 * Reads the record of `lowestprice`, which includes only trades paid in ETH, even if the record
 * does not name the currency.
 */
export function readLowestRecord(body: string, chain: Chain, now: Instant): Outcome<LowestTrade> {
  if (body.trim() === '') return EMPTY;
  const record = parseExactJson(body);
  return isNothing(record) ? EMPTY : readTrade(record, chain, now, 'eth');
}

/**
 * Reads the lowest sale of `/price`. The endpoint includes sales in every payment token, but only a
 * sale in ETH is accepted.
 */
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
 * Passes a page through byte for byte, with two exceptions: a single record becomes a list, and a
 * cursor that looks like one of ours is marked.
 */
export function passPage(body: string): Outcome<string> {
  const page = RawPage.safeParse(parseExactJson(body));
  if (!page.success) return GARBAGE;
  const { result, cursor = '' } = page.data;
  const listed = Array.isArray(result)
    ? body
    : rewriteMember(body, 'result', (text) => `[${text}]`);
  const marked = cursorForClients(cursor);
  if (marked === cursor) return { kind: 'ok', value: listed };
  return { kind: 'ok', value: rewriteMember(listed, 'cursor', () => JSON.stringify(marked)) };
}

/** Passes the record of `lowestprice` through byte for byte. */
export function passLowestRecord(body: string): Outcome<string> {
  if (body.trim() === '') return EMPTY;
  const record = parseExactJson(body);
  if (isNothing(record)) return EMPTY;
  return RawTrade.safeParse(record).success ? { kind: 'ok', value: body } : refusalOfTrade(record);
}

/** Builds the record of `lowestprice` (section 2.5) from the lowest sale of `price`. */
export function passLowestSale(body: string, { chain, address }: Contract): Outcome<string> {
  if (body.trim() === '') return EMPTY;
  const summary = parseExactJson(body);
  if (isNothing(summary)) return EMPTY;
  const parsed = PriceSummary.safeParse(summary);
  if (!parsed.success) return GARBAGE;
  const { lowest_sale: sale, message } = parsed.data;
  if (sale === null) return STILL_LOADING.test(message) ? { kind: 'not_ready' } : EMPTY;
  const money = moneyOf(sale, chain);
  if (money === undefined) return GARBAGE;
  if (money !== 'eth') return OTHER_MONEY;
  if (!RawTrade.safeParse(sale).success) return refusalOfTrade(sale);
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

/** The text members of a trade. A missing member is set to an empty text. */
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

const STILL_LOADING = /sync|index|fetch|progress|process|later/i;
const Time = z.lazy(() =>
  z
    .string()
    .transform(readInstant)
    .refine((time) => time !== undefined),
);
/** Optional members that are unreadable are omitted, and the price stays valid. */
const OptionalPrice = Price.optional().catch(undefined);
const OptionalText = z.lazy(() => z.string().min(1).optional().catch(undefined));
const Texts = z.lazy(() =>
  z
    .union([z.array(z.string()), z.string().transform((text) => [text])])
    .optional()
    .catch(undefined),
);

const OneOrMore = z.lazy(() =>
  z.union([
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()).transform((record): readonly unknown[] => [record]),
  ]),
);
/** On the last page the cursor is missing, empty or null. */
const FloorRecords = z.lazy(() => z.object({ result: OneOrMore, cursor: OptionalText }));
const RawPage = z.lazy(() =>
  z.object({
    result: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
    cursor: OptionalText,
  }),
);

/** Shown in messages, so it must not contain line breaks. */
const Word = z.lazy(() => z.string().transform(onOneLine).pipe(z.string().min(1)));
const MarketplaceName = z.lazy(() =>
  z.union([Word, z.object({ name: Word }).transform(({ name }) => name)]),
);
const Marketplaces = z.lazy(() =>
  z
    .unknown()
    .optional()
    .transform((value) =>
      (Array.isArray(value) ? value : [value]).flatMap((entry: unknown) => {
        const name = MarketplaceName.safeParse(entry);
        return name.success ? [name.data] : [];
      }),
    ),
);

const FloorTime = z.lazy(() => z.object({ timestamp: Time }));

/** A price without a currency is skipped, because it cannot be compared. */
const FloorRecord = z.lazy(() =>
  z
    .object({
      floor_price: Price,
      floor_price_usd: OptionalPrice,
      currency: Currency,
      marketplace: Marketplaces,
      timestamp: Time,
    })
    .transform(
      (record): FloorPoint => ({
        time: record.timestamp,
        price: record.floor_price,
        currency: record.currency,
        marketplaces: record.marketplace,
        ...defined({ usd: record.floor_price_usd }),
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
        ...defined({ usd: record.usd_price_at_sale }),
        ...(record.transaction_hash === undefined
          ? {}
          : { transactionHash: record.transaction_hash }),
      }),
    ),
);

/** A token given as one text: its symbol or its address. */
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
/** A trade with any amount, including zero and amounts above the limit of prices. */
const TradeForm = z.lazy(() =>
  z.object({ price: z.string().regex(/^\d+$/), block_timestamp: Time }),
);

const PriceSummary = z.lazy(() =>
  z.object({
    lowest_sale: z.record(z.string(), z.unknown()).nullable(),
    message: z.string().catch(''),
  }),
);

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
  if (!trade.success) return refusalOfTrade(record);
  return isSane(trade.data.time, now) ? { kind: 'ok', value: trade.data } : GARBAGE;
}

/**
 * The refusal of a lowest trade without a price. The provider reports only one trade, so no other
 * trade can replace it.
 */
function refusalOfTrade(record: unknown): Refusal {
  if (!TradeForm.safeParse(record).success) return GARBAGE;
  noteSkipped('no_price');
  return { kind: 'unsupported', reason: 'price' };
}

/** The payment currency: `eth`, another name, or undefined if the record does not have it. */
function moneyOf(record: unknown, chain: Chain): string | undefined {
  const token = Payment.safeParse(record).data?.payment_token;
  return moneyPaid(
    {
      symbol: token?.token_symbol ?? token?.symbol,
      address: token?.token_address ?? token?.address,
      decimals: token?.token_decimals,
    },
    chain,
  );
}

function isNothing(value: ExactJson | undefined): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
