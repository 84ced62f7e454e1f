import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '#shared/channels/channel.ts';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import {
  type AlertRule,
  isOfHoldings,
  isOfList,
  isOn,
  keepsRuleCondition,
} from '#shared/domain/rules/alert-rule.ts';
import { carriedFrom } from '#shared/domain/unknown-attributes.ts';
import { named } from '#shared/domain/words.ts';
import { type Held, holdingSince, storedCost } from './holding.ts';
import { type ListValue, watchedMembers, withValue } from './value-member.ts';
import { type ListWallet, newListWallet, walletMembers, withRoomIn } from './wallet-members.ts';
import type { WatchlistBody } from './watchlist-body.ts';

export type Member = Held & {
  readonly contract: ContractKey;
  readonly name?: string | undefined;
  /** The revision with which the contract joined. */
  readonly joined: number;
  /**
   * The revision that last changed its holding; absent if it has not changed since the contract
   * joined.
   */
  readonly holdingSince?: number | undefined;
  /**
   * Absent if a person wrote the member. Such a member stays even if the list's wallet no longer
   * holds the contract.
   */
  readonly by?: 'wallet' | undefined;
};

export type Rule = AlertRule & {
  readonly id: string;
  /** The revision that last changed its condition. */
  readonly since: number;
  /** The revision that last enabled its `noData`. */
  readonly noDataSince?: number;
};

/** Identifies a list. */
export type WatchlistId = { readonly tenant: string; readonly id: string };

/**
 * A watchlist as it is stored: one document with a revision. A deleted list stays as a tombstone,
 * so that its revisions, and the ids of its alerts, are never used again.
 */
export type Watchlist = WatchlistId & {
  readonly revision: number;
  readonly deleted: boolean;
  /** When the list was deleted. */
  readonly deletedAt?: Instant | undefined;
  /** The id of the change that created this revision. */
  readonly change?: string | undefined;
  readonly name: string;
  readonly wallet?: ListWallet | undefined;
  readonly members: readonly Member[];
  /** The list value; absent if no rule uses it, or if the list holds no tokens. */
  readonly value?: ListValue | undefined;
  readonly rules: readonly Rule[];
  /** The list's own channels, without contact points. */
  readonly channels: readonly Channel[];
  /** Ids of the tenant's contact points that the list uses. */
  readonly contactPoints: readonly string[];
  /** The channels that get its alerts, by severity. An omitted severity goes to all channels. */
  readonly notify?: WatchlistBody['notify'];
  /** The additional channels for critical alerts that nobody acknowledges. */
  readonly escalate?: WatchlistBody['escalate'];
  /** The time zone of its messages; UTC if it is absent. */
  readonly timeZone?: string | undefined;
  /** The hours in which people get only critical alerts of the list. */
  readonly quiet?: WatchlistBody['quiet'];
  /** When people get a report of the list. */
  readonly report?: WatchlistBody['report'];
  /**
   * Only for a list that is partly unreadable: the contracts on which it may have watches. The list
   * is applied again to these contracts, and its topic is set up again.
   */
  readonly salvagedOn?: readonly ContractKey[];
};

/**
 * The parts of a list that could be parsed, although another version wrote the list in another
 * format.
 */
export type Salvaged = {
  readonly list: Watchlist;
  /** Whether all contracts of the list could be parsed. */
  readonly hasAllMembers: boolean;
};

/**
 * The next revision of a list, from the body that a person wrote, its channels as they are stored,
 * and the previous revision. The members of its wallet stay if there is room.
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
    const { contract, amount, cost } = member;
    const held = defined({ amount, cost: cost && storedCost(contract, cost) });
    return {
      ...{ ...omit(member, 'amount', 'cost'), ...held },
      ...{ joined: old?.joined ?? revision, ...holdingSince(held, old, revision) },
    };
  });
  const isWritten = new Set<string>(written.map(({ contract }) => contract));
  const wallet = walletOf(known, body.wallet);
  const ofWallet = known === undefined || wallet !== known.wallet ? [] : walletMembers(known);
  const others = ofWallet.filter(({ contract }) => !isWritten.has(contract));
  const { members, leftOut } = withRoomIn(written, others, rules);
  const contactPoints = body.channels.filter((channel) => typeof channel === 'string');
  const list: Watchlist = {
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
  return withValue(list, known);
}

/** The wallet of the list if its address is unchanged, otherwise a new one. */
function walletOf(
  known: Watchlist | undefined,
  address: WatchlistBody['wallet'],
): ListWallet | undefined {
  if (address === undefined || known?.wallet?.address === address) return address && known?.wallet;
  return newListWallet(address);
}

/**
 * The ids of rules that an edit restarted, which closed their open episodes: the condition has
 * changed, at least on one contract, or the rule was paused or resumed.
 */
export function restartedRules(before: Watchlist | undefined, after: Watchlist): readonly string[] {
  return after.rules.flatMap((rule) => {
    const { id, since } = rule;
    const old = before?.rules.find((other) => other.id === id);
    if (old === undefined) return [];
    const isEdited = isHoldingEdited(before, after, rule) || isValueEdited(before, after, rule);
    return old.since !== since || isEdited ? [id] : [];
  });
}

/**
 * Whether an edit changes the holding that a rule uses, on a contract to which the rule already
 * applied.
 */
function isHoldingEdited(before: Watchlist | undefined, after: Watchlist, rule: Rule): boolean {
  if (!isOfHoldings(rule)) return false;
  return after.members.some(({ contract, holdingSince }) => {
    const old = before?.members.find((member) => member.contract === contract);
    const wasOn = old?.cost !== undefined && isOn(rule.on, contract);
    return wasOn && old.holdingSince !== holdingSince;
  });
}

/** Whether an edit changes the held tokens whose value a rule watches. */
function isValueEdited(before: Watchlist | undefined, after: Watchlist, rule: Rule): boolean {
  const old = before?.value;
  return isOfList(rule) && old !== undefined && old.contract !== after.value?.contract;
}

/**
 * The revision that last enabled `noData`. Each time it is enabled, the ids of the no-data alerts
 * restart.
 */
function noDataSince(rule: AlertRule, old: Rule | undefined, revision: number) {
  if (rule.noData === 'keep') return {};
  const goesOn = old !== undefined && old.noData !== 'keep';
  return { noDataSince: (goesOn ? old.noDataSince : undefined) ?? revision };
}

/**
 * How long a deleted list keeps its channels, so that they get the `closed` alerts. This is also
 * how long the delivery of an alert is retried.
 */
const CHANNELS_OUTLIVE_LIST = DAY;

/**
 * The tombstone of a deleted list. Its channels are removed later, when their last alerts have
 * been sent.
 */
export function tombstoneOf(list: Watchlist, now: Instant): Watchlist {
  const before = omit(list, 'salvagedOn', 'wallet', 'value');
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
 * When the channels of a deleted list are removed; undefined if the list is not deleted, or has no
 * channels left.
 */
export function channelsEndAt({
  deleted,
  deletedAt = 0,
  channels,
}: Watchlist): Instant | undefined {
  return deleted && channels.length > 0 ? deletedAt + CHANNELS_OUTLIVE_LIST : undefined;
}

/** A tombstone without its channels. */
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
    new Map(list && watchedMembers(list).map((member) => [member.contract, member]));
  const [old, young] = [describe(before), describe(after)];
  if (before?.salvagedOn !== undefined)
    return [...new Set([...before.salvagedOn, ...young.keys()])];
  // If the rules differ, all contracts are included: a rule on a ratio also affects the contracts
  // that the ratio compares.
  return [...new Set([...old.keys(), ...young.keys()])].filter(
    (contract) => !sameRules || !isDeepStrictEqual(old.get(contract), young.get(contract)),
  );
}

/**
 * The rules of a list that apply to a contract; none if the contract is not a member. Rules that
 * use a cost apply only to members with a cost, and rules on the list value only to that value.
 */
export function rulesOn(list: Watchlist, contract: ContractKey): readonly Rule[] {
  const { rules, members, value } = list;
  if (contract === value?.contract) return rules.filter(isOfList);
  const member = members.find((other) => other.contract === contract);
  if (member === undefined) return [];
  return rules.filter(
    (rule) =>
      !isOfList(rule) &&
      isOn(rule.on, contract) &&
      (member.cost !== undefined || !isOfHoldings(rule)),
  );
}

/** The generation of a rule's watch on a member. Alert ids restart with each generation. */
export function generationOf(rule: Rule, member: Member): number {
  const heldSince = isOfHoldings(rule) ? member.holdingSince : undefined;
  return Math.max(rule.since, member.joined, heldSince ?? 0);
}

/** The generation of a rule's no-data watches; undefined if it has none. */
export function noDataGeneration(rule: Rule, member: Member): number | undefined {
  return rule.noDataSince === undefined
    ? undefined
    : Math.max(generationOf(rule, member), rule.noDataSince);
}
