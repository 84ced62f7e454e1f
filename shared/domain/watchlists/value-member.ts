import type { ContractKey } from '#shared/domain/market/contract.ts';
import { byContract, type HeldTokens, listValueKey } from '#shared/domain/market/list-value.ts';
import { omit } from '#shared/domain/omit.ts';
import { isOfList } from '#shared/domain/rules/alert-rule.ts';
import type { HeldBody } from './holding.ts';
import type { Member, Watchlist } from './watchlist.ts';

/** The list value as a derived contract, which rules watch. */
export type ListValue = {
  readonly contract: ContractKey;
  /** The revision since which the list holds exactly these tokens. */
  readonly joined: number;
};

/**
 * The tokens that a list holds. A member with neither amount nor cost is only watched, not held.
 */
export function tokensHeld({
  members,
}: {
  readonly members: readonly (HeldBody & Pick<Member, 'contract'>)[];
}): readonly HeldTokens[] {
  return members.flatMap(({ contract, ...held }) => {
    const amount = tokenCount(held);
    return amount === 0 ? [] : [{ contract, amount }];
  });
}

/**
 * The number of tokens that the list holds of a member; one if the member has a cost but no amount.
 */
export function tokenCount({ amount, cost }: HeldBody): number {
  return amount ?? (cost === undefined ? 0 : 1);
}

/**
 * Sets the list value of a revision if a rule uses it. If the held tokens change, the list value is
 * a new derived contract.
 */
export function withValue(
  list: Watchlist,
  before: Pick<Watchlist, 'value'> | undefined,
): Watchlist {
  const contract = list.rules.some(isOfList) ? listValueKey(tokensHeld(list)) : undefined;
  const rest = omit(list, 'value');
  if (contract === undefined) return rest;
  const isSame = before?.value?.contract === contract;
  return { ...rest, value: isSame ? before.value : { contract, joined: list.revision } };
}

/**
 * The held tokens, sorted by contract, if the given contract is the list value; undefined for other
 * contracts.
 */
export function tokensOf(
  list: Pick<Watchlist, 'members' | 'value'>,
  contract: ContractKey,
): readonly HeldTokens[] | undefined {
  return list.value?.contract === contract ? byContract(tokensHeld(list)) : undefined;
}

/** The members of a list and, as one more member with the name of the list, the list value. */
export function watchedMembers({
  name,
  members,
  value,
}: Pick<Watchlist, 'name' | 'members' | 'value'>): readonly Member[] {
  return value === undefined ? members : [...members, { ...value, name }];
}
