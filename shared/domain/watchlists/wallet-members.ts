import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '#shared/domain/limits.ts';
import { INTERFACE_OPERATIONS } from '#shared/domain/market/chains.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { HeldCollection, Holdings, WalletAddress } from '#shared/domain/market/wallet.ts';
import { countWatches } from './count-watches.ts';
import type { Member, Rule, Watchlist } from './watchlist.ts';

/** The wallet that a list is made of. */
export type ListWallet = {
  readonly address: WalletAddress;
  /** Whether its collections have never been read yet. */
  readonly isPending: boolean;
  /** How many of its collections are not watched: for want of room, or of a price of their own. */
  readonly leftOut: number;
  /** The last change of the members that it has made; people get an alert of it. */
  readonly last?: MembersChange | undefined;
};

/** A list that is made of a wallet. */
export type ListOfWallet = Watchlist & { readonly wallet: ListWallet };

export type MembersChange = {
  readonly revision: number;
  readonly at: Instant;
  readonly joined: SomeMembers;
  readonly left: SomeMembers;
};

/** How many members, and what the first of them are called. */
export type SomeMembers = { readonly count: number; readonly names: readonly string[] };

/** An alert names no more. */
const MOST_NAMES = 10;

/** A wallet whose collections are not read yet. */
export function newListWallet(address: WalletAddress): ListWallet {
  return { address, isPending: true, leftOut: 0 };
}

/** The members of a list that are in it because its wallet holds them. */
export function walletMembers({ members }: Pick<Watchlist, 'members'>): readonly Member[] {
  return members.filter(({ by }) => by === 'wallet');
}

/** The members of a list that people wrote. */
export function writtenMembers({ members }: Pick<Watchlist, 'members'>): readonly Member[] {
  return members.filter(({ by }) => by === undefined);
}

/**
 * Members that people wrote and, behind them, as many of a wallet as the list has room for; and how
 * many have none.
 */
export function withRoomIn(
  written: readonly Member[],
  ofWallet: readonly Member[],
  rules: readonly Rule[],
  most = Number.POSITIVE_INFINITY,
): { readonly members: readonly Member[]; readonly leftOut: number } {
  const room = Math.max(0, Math.min(most, mostMembers(rules)) - written.length);
  const members = [...written, ...ofWallet.slice(0, room)];
  return { members, leftOut: Math.max(0, ofWallet.length - room) };
}

/** How many contracts a list of these rules may have. */
function mostMembers(rules: readonly Rule[]): number {
  const { contracts, watches } = LIMITS.watchlist;
  const each = countWatches(rules, 1) - countWatches(rules, 0);
  return each === 0 ? contracts : Math.min(contracts, (watches - countWatches(rules, 0)) / each);
}

/**
 * A revision of a list with what its wallet holds. Those that are in the list already go before
 * others where there is no room for all, and where not all was read, none leaves. `most` is the
 * number of contracts that the limits of the tenant leave to the list.
 */
export function withHoldings(
  list: ListOfWallet,
  { collections, others, isCut }: Holdings,
  most: number,
): ListOfWallet {
  const { revision, wallet, rules } = list;
  const written = writtenMembers(list);
  const known = walletMembers(list);
  const wanted = collections.filter(
    (held) => hasPrices(held) && !written.some(({ contract }) => contract === held.contract),
  );
  const isHeld = new Set<string>(wanted.map(({ contract }) => contract));
  const isMember = new Set<string>(known.map(({ contract }) => contract));
  const staying = known.filter(({ contract }) => isCut || isHeld.has(contract));
  const joining = wanted
    .filter(({ contract }) => !isMember.has(contract))
    .map(({ contract, name }): Member => ({ contract, name, joined: revision, by: 'wallet' }));
  // What tenants have is never taken away for the sake of their limits.
  const leave = Math.max(most, written.length + staying.length);
  const { members, leftOut } = withRoomIn(written, [...staying, ...joining], rules, leave);
  const unpriced = collections.filter((held) => !hasPrices(held)).length;
  return {
    ...list,
    members,
    wallet: { ...wallet, isPending: false, leftOut: leftOut + others + unpriced },
  };
}

/** The next revision of a list by what its wallet holds; undefined where nothing is to change. */
export function walletEdit(
  list: ListOfWallet,
  holdings: Holdings,
  most: number,
  now: Instant,
): ListOfWallet | undefined {
  const revision = list.revision + 1;
  const after = withHoldings({ ...list, revision }, holdings, most);
  const [joined, left] = [someOf(membersBut(after, list)), someOf(membersBut(list, after))];
  if (joined.count + left.count > 0)
    return { ...after, wallet: { ...after.wallet, last: { revision, at: now, joined, left } } };
  return isDeepStrictEqual(after.wallet, list.wallet) ? undefined : after;
}

/** The members of a list that another has not. */
function membersBut({ members }: Watchlist, other: Watchlist): readonly Member[] {
  const known = new Set<string>(other.members.map(({ contract }) => contract));
  return members.filter(({ contract }) => !known.has(contract));
}

/** The interface has no floors of the chain Flow: no rule could be on all members. */
function hasPrices({ contract }: HeldCollection): boolean {
  return INTERFACE_OPERATIONS.every((one) => contractOf(contract).chain.operations.includes(one));
}

function someOf(members: readonly Member[]): SomeMembers {
  const names = members.slice(0, MOST_NAMES).map(({ contract, name }) => name ?? contract);
  return { count: members.length, names };
}

/**
 * Whether an answer lacks more than half of what a wallet has in its list: providers have answered
 * with nothing before.
 */
export function isDoubtful(list: Watchlist, { collections, isCut }: Holdings): boolean {
  const held = new Set(collections.map(({ contract }) => contract));
  const known = walletMembers(list);
  const missing = known.filter(({ contract }) => !held.has(contract)).length;
  return !isCut && missing > known.length / 2;
}

/** Whether such an answer is believed: one with something after an hour, an empty one after a day. */
export function isBelieved(
  { collections }: Holdings,
  doubtedSince: Instant,
  now: Instant,
): boolean {
  return now - doubtedSince >= (collections.length === 0 ? DAY : HOUR);
}

/** What a person has to know of the wallet of a list that is written. */
export function walletWarnings(list: Watchlist): readonly string[] {
  const { wallet } = list;
  if (wallet === undefined) return [];
  const { address, isPending, leftOut } = wallet;
  if (isPending) {
    return [
      `the provider has not yet reported what the wallet ${address} holds: its collections join as soon as it does`,
    ];
  }
  if (leftOut > 0) {
    const which = leftOut === 1 ? '1 collection' : `${leftOut} collections`;
    return [
      `${which} of the wallet ${address} not watched: there is no room for more contracts, or no price of the collection alone`,
    ];
  }
  return list.members.length > 0
    ? []
    : [`the wallet ${address} holds no collections; what it gets joins within a day`];
}
