import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '#shared/domain/limits.ts';
import { INTERFACE_OPERATIONS } from '#shared/domain/market/chains.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { HeldCollection, Holdings, WalletAddress } from '#shared/domain/market/wallet.ts';
import { omit } from '#shared/domain/omit.ts';
import { countWatches } from './count-watches.ts';
import { holdingSince } from './holding.ts';
import { withValue } from './value-member.ts';
import type { Member, Rule, Watchlist } from './watchlist.ts';

/** The wallet whose collections are members of a list. */
export type ListWallet = {
  readonly address: WalletAddress;
  /** Whether its collections have never been read. */
  readonly isPending: boolean;
  /**
   * Number of its collections that are not watched, because a limit is reached or because they have
   * no price of their own.
   */
  readonly leftOut: number;
  /** The last change of members by the wallet, which is reported in an alert. */
  readonly last?: MembersChange | undefined;
};

/** A list with a wallet. */
export type ListOfWallet = Watchlist & { readonly wallet: ListWallet };

export type MembersChange = {
  readonly revision: number;
  readonly at: Instant;
  readonly joined: SomeMembers;
  readonly left: SomeMembers;
};

/** How many members joined or left, and the names of the first ones. */
export type SomeMembers = { readonly count: number; readonly names: readonly string[] };

/** Maximum number of names in an alert. */
const MOST_NAMES = 10;

/** A wallet whose collections have not been read yet. */
export function newListWallet(address: WalletAddress): ListWallet {
  return { address, isPending: true, leftOut: 0 };
}

/** The members of a list that its wallet added. */
export function walletMembers({ members }: Pick<Watchlist, 'members'>): readonly Member[] {
  return members.filter(({ by }) => by === 'wallet');
}

/** The members of a list that people wrote. */
export function writtenMembers({ members }: Pick<Watchlist, 'members'>): readonly Member[] {
  return members.filter(({ by }) => by === undefined);
}

/**
 * The members that people wrote, followed by as many of the wallet's members as the list has room
 * for. `leftOut` is the number of the others.
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

/** Maximum number of contracts in a list with these rules. */
function mostMembers(rules: readonly Rule[]): number {
  const { contracts, watches } = LIMITS.watchlist;
  const each = countWatches(rules, 1) - countWatches(rules, 0);
  return each === 0 ? contracts : Math.min(contracts, (watches - countWatches(rules, 0)) / each);
}

/**
 * A revision of a list with the collections of its wallet. If there is not enough room, present
 * members have priority. If the wallet was not read completely, no member leaves. `most` is the
 * number of contracts that the limits of the tenant allow for the list.
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
  const held = new Map(wanted.map((collection) => [collection.contract, collection]));
  const isMember = new Set<string>(known.map(({ contract }) => contract));
  const staying = known
    .filter(({ contract }) => isCut || held.has(contract))
    .map((member) => withAmount(member, held.get(member.contract), revision));
  const joining = wanted
    .filter(({ contract }) => !isMember.has(contract))
    .map(
      ({ contract, name, ...collection }): Member => ({
        ...{ contract, name, joined: revision, by: 'wallet' },
        ...amountIn(collection),
      }),
    );
  // Contracts that the list already has stay, even if they exceed a limit.
  const leave = Math.max(most, written.length + staying.length);
  const { members, leftOut } = withRoomIn(written, [...staying, ...joining], rules, leave);
  const unpriced = collections.filter((held) => !hasPrices(held)).length;
  return {
    ...withValue({ ...list, members }, list),
    wallet: { ...wallet, isPending: false, leftOut: leftOut + others + unpriced },
  };
}

/** A member with the number of tokens that the wallet holds. */
function withAmount(
  member: Member,
  collection: HeldCollection | undefined,
  revision: number,
): Member {
  if (collection === undefined) return member;
  const after = amountIn(collection);
  const others = omit(member, 'amount', 'holdingSince');
  return { ...others, ...after, ...holdingSince(after, member, revision) };
}

/**
 * The amount of a collection, reduced to the limit that also applies to amounts that people enter.
 */
function amountIn({ amount = 0 }: Pick<HeldCollection, 'amount'>): Pick<Member, 'amount'> {
  return amount < 1 ? {} : { amount: Math.min(amount, LIMITS.member.amount) };
}

/** The next revision of a list after its wallet was read; undefined if nothing changes. */
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
  const isSame =
    isDeepStrictEqual(after.wallet, list.wallet) && isDeepStrictEqual(after.members, list.members);
  return isSame ? undefined : after;
}

/** The members of a list that are not members of the other list. */
function membersBut({ members }: Watchlist, other: Watchlist): readonly Member[] {
  const known = new Set<string>(other.members.map(({ contract }) => contract));
  return members.filter(({ contract }) => !known.has(contract));
}

/**
 * Whether the v2.2 interface supports all operations on the collection's chain. On Flow it has no
 * floors, so rules could not apply to all members.
 */
function hasPrices({ contract }: HeldCollection): boolean {
  return INTERFACE_OPERATIONS.every((one) => contractOf(contract).chain.operations.includes(one));
}

function someOf(members: readonly Member[]): SomeMembers {
  const names = members.slice(0, MOST_NAMES).map(({ contract, name }) => name ?? contract);
  return { count: members.length, names };
}

/**
 * Whether an answer lacks more than half of the wallet's members. Such an answer may be a mistake:
 * providers have returned empty answers for wallets with tokens.
 */
export function isDoubtful(list: Watchlist, { collections, isCut }: Holdings): boolean {
  const held = new Set(collections.map(({ contract }) => contract));
  const known = walletMembers(list);
  const missing = known.filter(({ contract }) => !held.has(contract)).length;
  return !isCut && missing > known.length / 2;
}

/**
 * Whether a doubtful answer is used after all: once answers have been doubtful for an hour, or for
 * a day if this answer is empty.
 */
export function isBelieved(
  { collections }: Holdings,
  doubtedSince: Instant,
  now: Instant,
): boolean {
  return now - doubtedSince >= (collections.length === 0 ? DAY : HOUR);
}

/** Warnings about the wallet in a new revision of a list. */
export function walletWarnings(list: Watchlist): readonly string[] {
  const { wallet } = list;
  if (wallet === undefined) return [];
  const { address, isPending, leftOut } = wallet;
  if (isPending) {
    return [
      `the provider has not reported the wallet ${address} yet; its collections are added as soon as it does`,
    ];
  }
  if (leftOut > 0) {
    const isOne = leftOut === 1;
    const which = isOne ? '1 collection' : `${leftOut} collections`;
    const reason = `a contract limit is reached, or no price can be read for the ${isOne ? 'collection' : 'collections'}`;
    return [`${which} of the wallet ${address} ${isOne ? 'is' : 'are'} not watched: ${reason}`];
  }
  return list.members.length > 0
    ? []
    : [`the wallet ${address} holds no collections; new ones are added within a day`];
}
