import { createHash } from 'node:crypto';
import { defined } from '#shared/domain/defined.ts';
import { type ContractKey, wholeCollection } from './contract.ts';
import { type Decimal, GREATEST } from './decimal.ts';
import { VALUE_SIGN } from './derived-key.ts';
import {
  allPrices,
  haveOneCurrency,
  inDollars,
  latestTime,
  type NoDerivedPrice,
} from './derived-price.ts';
import type { Point, PricePoint } from './point.ts';

/** A contract and the number of its tokens that the list holds. */
export type HeldTokens = { readonly contract: ContractKey; readonly amount: number };

/**
 * The key of a list value: the first held contract, and a digest of all contracts and amounts. If
 * an amount changes, the key changes, so that values of different holdings are never compared.
 * Undefined if no tokens are held.
 */
export function listValueKey(held: readonly HeldTokens[]): ContractKey | undefined {
  const sorted = byContract(held);
  const [first] = sorted;
  if (first === undefined) return undefined;
  const text = sorted.map(({ contract, amount }) => `${contract} ${amount}`).join('\n');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 24);
  return `${wholeCollection(first.contract)}${VALUE_SIGN}${digest}` as ContractKey;
}

/**
 * Sorts held tokens by contract, so that their order does not depend on the order of the list's
 * members.
 */
export function byContract(held: readonly HeldTokens[]): readonly HeldTokens[] {
  return held.toSorted((one, other) => (one.contract < other.contract ? -1 : 1));
}

/**
 * Adds the values of held tokens at their floors; `amounts` has the order of `floors`. The sum
 * stays below `GREATEST`. The sum includes dollars if every floor does. If the floors have several
 * currencies, the sum is in dollars. Its time is that of the latest floor.
 */
export function listValue(
  floors: readonly (Point | undefined)[],
  amounts: readonly number[],
): PricePoint | NoDerivedPrice {
  const prices = allPrices(floors);
  if (prices === undefined) return 'floors';
  const dollars = inDollars(prices);
  const usd = dollars && weighted(dollars, amounts);
  const time = latestTime(prices);
  if (!haveOneCurrency(prices)) {
    return usd === undefined
      ? 'currencies'
      : { kind: 'price', time, price: usd, currency: 'usd', usd };
  }
  const [{ currency }] = prices;
  const price = weighted(
    prices.map((floor) => floor.price),
    amounts,
  );
  return { kind: 'price', time, price, currency, ...defined({ usd }) };
}

function weighted(prices: readonly Decimal[], amounts: readonly number[]): Decimal {
  const sum = prices.reduce(
    (total, price, index) => total + price * BigInt(amounts[index] ?? 0),
    0n,
  );
  return sum < GREATEST ? sum : GREATEST - 1n;
}
