import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '#shared/channels/channel.ts';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { type AlertRule, isOn, keepsRuleCondition } from '#shared/domain/rules/alert-rule.ts';
import { carriedFrom } from '#shared/domain/unknown-attributes.ts';
import { named } from '#shared/domain/words.ts';
import { type ListWallet, newListWallet, walletMembers, withRoomIn } from './wallet-members.ts';
import type { WatchlistBody } from './watchlist-body.ts';

export type Member = {
  readonly contract: ContractKey;
  readonly name?: string | undefined;
  /** The revision with which the contract joined. */
  readonly joined: number;
  /** Absent where a person wrote it: such a member stays when the list's wallet loses it. */
  readonly by?: 'wallet' | undefined;
};

export type Rule = AlertRule & {
  readonly id: string;
  /** The revision with which its condition last changed. */
  readonly since: number;
  /** The revision that last changed its `noData`. */
  readonly noDataSince?: number;
};

/** A list's name everywhere. */
export type WatchlistId = { readonly tenant: string; readonly id: string };

/**
 * A watchlist as it is kept: one document with a revision. A deleted list stays as a tombstone, so
 * that its revisions, and with them the ids of its alerts, are never used again.
 */
export type Watchlist = WatchlistId & {
  readonly revision: number;
  readonly deleted: boolean;
  /** When it was deleted. */
  readonly deletedAt?: Instant | undefined;
  /** The change that has made this revision. */
  readonly change?: string | undefined;
  readonly name: string;
  readonly wallet?: ListWallet | undefined;
  readonly members: readonly Member[];
  readonly rules: readonly Rule[];
  /** Its own channels. */
  readonly channels: readonly Channel[];
  /** The contact points of its tenant that it uses, by name. */
  readonly contactPoints: readonly string[];
  /** The channels that get its alerts, by severity; all where it says nothing. */
  readonly notify?: WatchlistBody['notify'];
  /** Who else gets critical alerts that nobody acknowledges. */
  readonly escalate?: WatchlistBody['escalate'];
  /** In which times are told in its messages; UTC where it says nothing. */
  readonly timeZone?: string | undefined;
  /** The hours in which people get nothing of it but what is critical. */
  readonly quiet?: WatchlistBody['quiet'];
  /** When people get a report of it. */
  readonly report?: WatchlistBody['report'];
  /**
   * Of a list that can be read in part only: the contracts on which it may have watches, and the
   * topic of its channels, are brought in line anew.
   */
  readonly salvagedOn?: readonly ContractKey[];
};

/** What can be read of a list that another version has written. */
export type Salvaged = {
  readonly list: Watchlist;
  /** Whether all of its contracts are among what can be read. */
  readonly hasAllMembers: boolean;
};

/**
 * The next revision of a list, from what a person wrote, its channels as they are to be kept, and
 * what was there before. The members of its wallet stay with it, as far as there is room.
 */
export function revise(
  { tenant, id }: WatchlistId,
  before: Watchlist | undefined,
  body: WatchlistBody,
  channels: readonly Channel[],
): Watchlist {
  const revision = (before?.revision ?? 0) + 1;
  const known = before?.deleted === true ? undefined : before;
  const rules = named('rule', body.rules).map((rule): Rule => {
    const old = known?.rules.find((other) => other.id === rule.id);
    const since = old !== undefined && keepsRuleCondition(old, rule) ? old.since : revision;
    return { ...rule, since, ...noDataSince(rule, old, revision) };
  });
  const written = body.contracts.map((member): Member => {
    const old = known?.members.find(({ contract }) => contract === member.contract);
    return { ...member, joined: old?.joined ?? revision };
  });
  const isWritten = new Set<string>(written.map(({ contract }) => contract));
  const wallet = walletOf(known, body.wallet);
  const ofWallet = known === undefined || wallet !== known.wallet ? [] : walletMembers(known);
  const others = ofWallet.filter(({ contract }) => !isWritten.has(contract));
  const { members, leftOut } = withRoomIn(written, others, rules);
  const contactPoints = body.channels.filter((channel) => typeof channel === 'string');
  return {
    ...carriedFrom(known),
    ...{ tenant, id, revision, deleted: false, name: body.name, members, rules, channels },
    ...(wallet && { wallet: { ...wallet, leftOut: wallet.leftOut + leftOut } }),
    contactPoints,
    ...defined({
      notify: body.notify,
      escalate: body.escalate,
      report: body.report,
      timeZone: body.timeZone,
      quiet: body.quiet,
    }),
  };
}

/** The wallet that a list had, where a person has written the same one. */
function walletOf(
  known: Watchlist | undefined,
  address: WatchlistBody['wallet'],
): ListWallet | undefined {
  if (address === undefined || known?.wallet?.address === address) return address && known?.wallet;
  return newListWallet(address);
}

/**
 * Rules whose episodes an edit has closed: they mean something else now, or were paused or resumed.
 */
export function restartedRules(before: Watchlist | undefined, after: Watchlist): readonly string[] {
  return after.rules.flatMap(({ id, since }) => {
    const old = before?.rules.find((rule) => rule.id === id);
    return old === undefined || old.since === since ? [] : [id];
  });
}

/** Each time `noData` is switched on, its alerts begin anew, under ids of their own. */
function noDataSince(rule: AlertRule, old: Rule | undefined, revision: number) {
  if (rule.noData === 'keep') return {};
  const goesOn = old !== undefined && old.noData !== 'keep';
  return { noDataSince: (goesOn ? old.noDataSince : undefined) ?? revision };
}

/**
 * So long the channels of a deleted list get what closes its episodes: as long as any alert is
 * tried.
 */
const CHANNELS_OUTLIVE_LIST = DAY;

/** The tombstone of a list, with its channels as long as they may have something to get. */
export function tombstoneOf(list: Watchlist, now: Instant): Watchlist {
  const before = omit(list, 'salvagedOn', 'wallet');
  return {
    ...before,
    revision: list.revision + 1,
    deleted: true,
    deletedAt: now,
    members: [],
    rules: [],
  };
}

/**
 * When the channels of a deleted list go; undefined for a list that stands, or whose channels are
 * gone.
 */
export function channelsEndAt({
  deleted,
  deletedAt = 0,
  channels,
}: Watchlist): Instant | undefined {
  return deleted && channels.length > 0 ? deletedAt + CHANNELS_OUTLIVE_LIST : undefined;
}

/** A tombstone without the channels that it had. */
export function withoutChannels(tombstone: Watchlist): Watchlist {
  return { ...tombstone, revision: tombstone.revision + 1, channels: [] };
}

/** Contracts whose watches may differ between two revisions. */
export function affectedContracts(
  before: Watchlist | undefined,
  after: Watchlist,
): readonly ContractKey[] {
  const sameRules = isDeepStrictEqual(before?.rules, after.rules);
  const describe = (list: Watchlist | undefined) =>
    new Map(list?.members.map((member) => [member.contract, member]));
  const [old, young] = [describe(before), describe(after)];
  if (before?.salvagedOn !== undefined)
    return [...new Set([...before.salvagedOn, ...young.keys()])];
  return [...new Set([...old.keys(), ...young.keys()])].filter(
    (contract) => !sameRules || !isDeepStrictEqual(old.get(contract), young.get(contract)),
  );
}

/** The rules of a list on a contract; none when it is not a member. */
export function rulesOn({ rules, members }: Watchlist, contract: ContractKey): readonly Rule[] {
  return members.some((member) => member.contract === contract)
    ? rules.filter(({ on }) => isOn(on, contract))
    : [];
}

/** The generation of a rule's watch on a member: alert ids begin anew with it. */
export function generationOf(rule: Rule, member: Member): number {
  return Math.max(rule.since, member.joined);
}

/** The generation of a rule's no-data watches; undefined without any. */
export function noDataGeneration(rule: Rule, member: Member): number | undefined {
  return rule.noDataSince === undefined
    ? undefined
    : Math.max(generationOf(rule, member), rule.noDataSince);
}
