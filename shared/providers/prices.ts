import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import { unitOf } from '#shared/domain/market/currency.ts';
import { type Decimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint, KnownFloor } from '#shared/domain/market/upstream.ts';

/** Conversion of records to prices, shared by the readers of all providers' answers. */

export const GARBAGE = { kind: 'failed', reason: 'garbage' } as const;
export const EMPTY = { kind: 'empty' } as const;
/**
 * The sale was paid in another currency. Sales in ETH at higher prices may exist, but the provider
 * does not report them.
 */
export const OTHER_MONEY = { kind: 'unsupported', reason: 'money' } as const;

/** Earlier times are invalid, such as zeros or a wrong unit, because no provider existed then. */
const EARLIEST = Date.UTC(2015, 0, 1);
/** The maximum difference between clocks; a record from further in the future is invalid. */
export const CLOCK_TOLERANCE = 5 * MINUTE;
/** The maximum price that can be compared: 38 digits in the smallest unit. */
const PRICE_LIMIT = 10n ** 38n;
const NATIVE_ADDRESSES: readonly string[] = [
  '0x0000000000000000000000000000000000000000',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
];
/**
 * The tokens that represent ether, by chain. The symbol alone is not sufficient, because any
 * contract can call itself WETH; on chains without an entry here the symbol is trusted.
 */
const ETHER_TOKENS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'eth',
    // WETH, and the token with which bids on Blur are paid.
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

/** Whether a number means "no price", because it is missing or zero. */
export const isZero = (text: string | undefined) => text === undefined || Number(text) === 0;

export const Price = z.lazy(() => z.string().transform(readDecimal).refine(isPrice));
export const SmallestUnits = z.lazy(() =>
  z
    .string()
    .regex(/^\d{1,40}$/)
    .transform(BigInt)
    .refine(isPrice),
);
/** A currency as the label of a unit. Prices without a currency are rejected. */
export const Currency = z.lazy(() =>
  z
    .string()
    .transform(unitOf)
    .pipe(z.string().regex(/^[\p{L}\p{N}.$_-]{1,20}$/u)),
);

/** Shown in messages to people, so anything but a hash is rejected. Only Flow omits `0x`. */
export const TransactionHash = z.lazy(() => z.string().regex(/^(0x)?[0-9a-f]{64}$/i));

/** How many tokens of a collection a wallet holds; undefined if no usable number was reported. */
export const TokenCount = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/** The payment token of a sale. Members that the record lacks are undefined. */
type PaymentToken = {
  readonly symbol: string | undefined;
  readonly address: string | undefined;
  readonly decimals: string | undefined;
};

/** The payment currency: `eth`, another name, or undefined if unknown. */
export function moneyPaid(token: PaymentToken, chain: Chain): string | undefined {
  const { symbol } = token;
  const address = token.address?.toLowerCase();
  const atAddress = address === undefined ? undefined : moneyAt(address, chain);
  if (symbol === undefined) return atAddress ?? address;
  if ((token.decimals ?? '18') !== '18') return `${symbol} without 18 decimals`;
  const named = unitOf(symbol);
  const isNamesake = named === 'eth' && address !== undefined && isElsewhere(atAddress, chain);
  return isNamesake ? `${symbol} at ${address}` : named;
}

/** The currency at a token address; undefined for an unknown address. */
function moneyAt(address: string, chain: Chain): string | undefined {
  if (NATIVE_ADDRESSES.includes(address)) return chain.currency;
  return ETHER_TOKENS.get(chain.slug)?.includes(address) === true ? 'eth' : undefined;
}

/**
 * Whether a token has the symbol of ether, although tokens of ether have other addresses on this
 * chain.
 */
function isElsewhere(money: string | undefined, chain: Chain): boolean {
  return money === undefined ? ETHER_TOKENS.has(chain.slug) : money !== 'eth';
}

/** How long an unchanged floor counts as the same observation. */
const OBSERVED_AGAIN_AFTER = 10 * MINUTE;

/**
 * Gives a current floor its time. If the floor is unchanged, it keeps the known time and dollar
 * value, because an unchanged poll is not a new observation.
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

/**
 * The points, newest first. If several points have the same time, only the lowest one is kept,
 * preferably in the chain's own currency.
 */
export function onePerTime(points: readonly FloorPoint[], chain: Chain): readonly FloorPoint[] {
  const foreign = (point: FloorPoint) => (point.currency === chain.currency ? 0 : 1);
  const sorted = points.toSorted(
    (a, b) => b.time - a.time || foreign(a) - foreign(b) || compare(a.price, b.price),
  );
  return sorted.filter((point, index) => point.time !== sorted[index - 1]?.time);
}

const compare = (a: Decimal, b: Decimal) => Number(a > b) - Number(a < b);
