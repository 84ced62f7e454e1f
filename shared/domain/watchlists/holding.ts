import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import type { Holding } from '#shared/domain/metrics/holding.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import { decimal, PositivePrice, Unit } from '#shared/domain/rules/clause.ts';

/** The number of tokens of a collection that a list holds. */
const Amount = z
  .int(`expected a whole number from 1 to ${LIMITS.member.amount}`)
  .min(1, 'expected at least 1; omit "amount" and "cost" if no token is held')
  .max(LIMITS.member.amount, `expected at most ${LIMITS.member.amount}`);

/** Cost of one token. */
const Cost = z.strictObject({
  price: PositivePrice,
  /** Defaults to the currency of the chain. */
  unit: Unit.optional(),
});
type Cost = z.output<typeof Cost>;

const KeptCost = z.strictObject({ price: PositivePrice, unit: Unit });

/** A holding in a request. */
export type HeldBody = {
  /** Defaults to one token. */
  readonly amount?: number | undefined;
  readonly cost?: Cost | undefined;
};

/** The holding of a member of a list. Its cost always has a unit. */
export type Held = Pick<HeldBody, 'amount'> & { readonly cost?: KeptCost | undefined };
type KeptCost = z.output<typeof KeptCost>;

/** The members of a contract's entry in a request that describe its holding. */
export const heldMembers = { amount: Amount.optional(), cost: Cost.optional() } as const;

/** Like `heldMembers`, but for a stored list member, whose cost always has a unit. */
export const keptHeldMembers = { amount: Amount.optional(), cost: KeptCost.optional() } as const;

/** Descriptions of these members in the OpenAPI document. */
export const HELD_WORDS = {
  amount:
    'The number of tokens held; by default 1 with a `cost`, and 0 without. For collections of the wallet, it is the number that the provider reports.',
  cost: 'The cost of one token: its `price`, and its `unit` (`usd`, or the currency of the chain, which is the default). Rules on `gain` and `gain_pct` apply to contracts with a cost; an edit of `cost` or `amount` restarts these rules on the contract.',
} as const;

/** A cost in its stored form: without a unit in the request, it has the currency of the chain. */
export function storedCost(contract: ContractKey, cost: Cost): KeptCost {
  return { price: cost.price, unit: cost.unit ?? contractOf(contract).chain.currency };
}

/**
 * The holding of a member with its numbers parsed, and the unit of its cost; undefined without a
 * cost.
 */
export function holdingOf({
  amount = 1,
  cost,
}: Held): (Pick<Quantity, 'unit'> & { readonly holding: Holding }) | undefined {
  if (cost === undefined) return undefined;
  return { unit: cost.unit, holding: { cost: decimal(cost.price), amount: BigInt(amount) } };
}

/**
 * The revision that last changed the holding of a member; absent if it has not changed since the
 * member joined.
 */
export function holdingSince(
  { amount, cost }: Held,
  old: (Held & Since) | undefined,
  revision: number,
): Since {
  if (old === undefined) return {};
  const isSame = old.amount === amount && isDeepStrictEqual(old.cost, cost);
  return defined({ holdingSince: isSame ? old.holdingSince : revision });
}

type Since = { readonly holdingSince?: number | undefined };

/** The error if a cost on a contract cannot have the given unit; undefined if it can. */
export function wrongUnit(contract: ContractKey, unit: string | undefined): string | undefined {
  const { chain } = contractOf(contract);
  if (unit === undefined || unit === 'usd' || unit === chain.currency) return undefined;
  return `expected "${chain.currency}", the currency of ${chain.name}, or "usd"`;
}

export function holdingForms(): Forms {
  return [[Amount, { type: 'integer', minimum: 1, maximum: LIMITS.member.amount, examples: [3] }]];
}
