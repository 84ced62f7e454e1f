import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { type Decimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint, KnownFloor } from '#shared/domain/market/upstream.ts';

/*
 * How providers' records become prices, whatever their forms: what each reader of answers shares.
 */

export const GARBAGE = { kind: 'failed', reason: 'garbage' } as const;
export const EMPTY = { kind: 'empty' } as const;
/** Neither a price nor its absence: sales in ETH may lie above it, of which nothing is reported. */
export const OTHER_MONEY = { kind: 'unsupported', reason: 'money' } as const;

/** No vendor existed before; an earlier time is a zero or a mistake in the unit. */
const EARLIEST = Date.UTC(2015, 0, 1);
/** Clocks differ by at most this; a time further ahead is garbage. */
export const CLOCK_TOLERANCE = 5 * MINUTE;
/** What a price can be and still be compared: 38 digits in the smallest unit. */
const PRICE_LIMIT = 10n ** 38n;
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

export const isPrice = (value: Decimal | undefined): value is Decimal =>
  value !== undefined && value > 0n && value < PRICE_LIMIT;
export const isSane = (time: Instant, now: Instant) =>
  time >= EARLIEST && time <= now + CLOCK_TOLERANCE;

/** Whether a number says that there is none: it is missing, or zero. */
export const isZero = (text: string | undefined) => text === undefined || Number(text) === 0;

export const Price = z.string().transform(readDecimal).refine(isPrice);
export const SmallestUnits = z
  .string()
  .regex(/^\d{1,40}$/)
  .transform(BigInt)
  .refine(isPrice);
/** A currency as a label of a unit; a price without one is no price. */
export const Currency = z
  .string()
  .transform(unitOf)
  .pipe(z.string().regex(/^[\p{L}\p{N}.$_-]{1,20}$/u));

/** It stands in messages to people: nothing that is no hash passes. Only Flow writes it without `0x`. */
export const TransactionHash = z.string().regex(/^(0x)?[0-9a-f]{64}$/i);

/** A token in which a sale was paid, as far as its record says. */
type PaymentToken = {
  readonly symbol: string | undefined;
  readonly address: string | undefined;
  readonly decimals: string | undefined;
};

/** Which money paid: `eth`, the name of another, or undefined if nothing is said. */
export function moneyPaid(token: PaymentToken, chain: Chain): string | undefined {
  const { symbol } = token;
  const address = token.address?.toLowerCase();
  const atAddress = address === undefined ? undefined : moneyAt(address, chain);
  if (symbol === undefined) return atAddress ?? address;
  if ((token.decimals ?? '18') !== '18') return `${symbol} of another scale`;
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

/** So long an unchanged floor is the observation that is known already; then it is a new one. */
const OBSERVED_AGAIN_AFTER = 10 * MINUTE;

/**
 * A floor of now, which has no time of its own. If it is the known one, so are its time and its
 * dollars: a quiet poll is no observation.
 */
export function observedFloor(now: FloorPoint, newest: KnownFloor | undefined): FloorPoint {
  const isKnown =
    newest !== undefined &&
    now.price === newest.price &&
    now.currency === newest.currency &&
    now.time - newest.time < OBSERVED_AGAIN_AFTER;
  if (!isKnown) return now;
  const { time, price, currency, usd } = newest;
  return {
    marketplaces: now.marketplaces,
    ...{ time, price, currency, ...defined({ usd }) },
  };
}

/** Newest first. Of several with one time the lowest counts, the chain's own money before others. */
export function onePerTime(points: readonly FloorPoint[], chain: Chain): readonly FloorPoint[] {
  const foreign = (point: FloorPoint) => (point.currency === chain.currency ? 0 : 1);
  const sorted = points.toSorted(
    (a, b) => b.time - a.time || foreign(a) - foreign(b) || compare(a.price, b.price),
  );
  return sorted.filter((point, index) => point.time !== sorted[index - 1]?.time);
}

const compare = (a: Decimal, b: Decimal) => Number(a > b) - Number(a < b);
