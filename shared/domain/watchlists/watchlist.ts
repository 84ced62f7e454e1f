import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type Channel, ChannelBody } from '#shared/domain/channels/channel.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { AlertRule, keepsMeaning } from '#shared/domain/rules/alert-rule.ts';
import { Metric, partsOfMetric } from '#shared/domain/rules/metric.ts';
import { Identifier, Line, named } from '#shared/domain/words.ts';

/** A contract of a list, as it is written: alone, or with the name of its collection. */
export const MemberBody = z.union([
  ContractKey.transform((contract) => ({ contract })),
  z.strictObject({ contract: ContractKey, name: Line.optional() }),
]);

/** What can be read of a list some members of which are wrong; those are undefined. */
const Legible = z.object({
  contracts: legibleArray({ contract: ContractKey }),
  rules: legibleArray({
    id: Identifier.optional().catch(undefined),
    on: z
      .union([z.literal('*'), ContractKey])
      .optional()
      .catch(undefined),
    metric: Metric.optional().catch(undefined),
    all: legibleArray({ metric: Metric.optional().catch(undefined) }),
    noData: z.unknown(),
  }),
  channels: legibleArray({ id: Identifier.optional().catch(undefined) }),
});
type Legible = z.output<typeof Legible>;

/** A watchlist as people and programs write it; only `name` is required. */
export const WatchlistBody = z
  .strictObject({
    id: Identifier.optional(),
    name: Line,
    contracts: z.array(MemberBody).max(LIMITS.watchlist.contracts).default([]),
    rules: z.array(AlertRule).max(LIMITS.watchlist.rules).default([]),
    channels: z.array(ChannelBody).max(LIMITS.watchlist.channels).default([]),
  })
  .superRefine(
    (body, context) => {
      for (const { path, message } of contradictionsOf(Legible.safeParse(body).data ?? {})) {
        context.addIssue({ code: 'custom', path: [...path], message });
      }
    },
    // Also where members are wrong, so that a person hears of everything at once.
    { when: () => true },
  );
export type WatchlistBody = z.output<typeof WatchlistBody>;

export type Member = {
  readonly contract: ContractKey;
  readonly name?: string | undefined;
  /** The revision with which the contract joined. */
  readonly joined: number;
};

export type Rule = AlertRule & {
  readonly id: string;
  /** The revision with which its meaning last changed. */
  readonly since: number;
  /** The revision with which it was last told to speak of missing data. */
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
  /** The change that has made this revision. */
  readonly change?: string | undefined;
  readonly name: string;
  readonly members: readonly Member[];
  readonly rules: readonly Rule[];
  readonly channels: readonly Channel[];
};

/**
 * The next revision of a list, from what a person wrote, its channels as they are to be kept, and
 * what was there before.
 */
export function revise(
  { tenant, id }: WatchlistId,
  before: Watchlist | undefined,
  body: Omit<WatchlistBody, 'channels'>,
  channels: readonly Channel[],
): Watchlist {
  const revision = (before?.revision ?? 0) + 1;
  const known = before?.deleted === true ? undefined : before;
  const rules = named('rule', body.rules).map((rule): Rule => {
    const old = known?.rules.find((other) => other.id === rule.id);
    const since = old !== undefined && keepsMeaning(old, rule) ? old.since : revision;
    return { ...rule, since, ...noDataSince(rule, old, revision) };
  });
  const members = body.contracts.map((member): Member => {
    const old = known?.members.find(({ contract }) => contract === member.contract);
    return { ...member, joined: old?.joined ?? revision };
  });
  return { tenant, id, revision, deleted: false, name: body.name, members, rules, channels };
}

/** Rules whose episodes an edit has closed: they mean something else now, or were paused or resumed. */
export function startingAnew(before: Watchlist | undefined, after: Watchlist): readonly string[] {
  return after.rules.flatMap(({ id, since }) => {
    const old = before?.rules.find((rule) => rule.id === id);
    return old === undefined || old.since === since ? [] : [id];
  });
}

/** Missing data are spoken of anew, under ids of their own, each time a rule is told to. */
function noDataSince(rule: AlertRule, old: Rule | undefined, revision: number) {
  if (rule.noData === 'keep') return {};
  const goesOn = old !== undefined && old.noData !== 'keep';
  return { noDataSince: (goesOn ? old.noDataSince : undefined) ?? revision };
}

/** The tombstone of a list. */
export function entomb(list: Watchlist): Watchlist {
  return {
    ...list,
    revision: list.revision + 1,
    deleted: true,
    members: [],
    rules: [],
    channels: [],
  };
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
  return [...new Set([...old.keys(), ...young.keys()])].filter(
    (contract) => !sameRules || !isDeepStrictEqual(old.get(contract), young.get(contract)),
  );
}

/** Rules of a list that speak of a contract; none when it is not a member. */
export function rulesOn({ rules, members }: Watchlist, contract: ContractKey): readonly Rule[] {
  return members.some((member) => member.contract === contract)
    ? rules.filter(({ on }) => on === '*' || on === contract)
    : [];
}

/** The generation of a rule's watch on a member: alert ids begin anew with it. */
export function generationOf(rule: Rule, member: Member): number {
  return Math.max(rule.since, member.joined);
}

/** The generation of what speaks of missing data beside a rule; undefined where nothing does. */
export function companionGeneration(rule: Rule, member: Member): number | undefined {
  return rule.noDataSince === undefined
    ? undefined
    : Math.max(generationOf(rule, member), rule.noDataSince);
}

function repeated(ids: readonly (string | undefined)[]): readonly number[] {
  return ids.flatMap((id, index) => (id !== undefined && ids.indexOf(id) < index ? [index] : []));
}

function legibleArray<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.object(shape).optional().catch(undefined)).optional().catch(undefined);
}

type Contradiction = { readonly path: readonly (string | number)[]; readonly message: string };

/** Members of a list that do not go together. */
function contradictionsOf({
  contracts,
  rules = [],
  channels = [],
}: Partial<Legible>): readonly Contradiction[] {
  const found: Contradiction[] = [];
  const complain = (path: Contradiction['path'], message: string) => found.push({ path, message });
  const keys = contracts?.map((member) => member?.contract) ?? [];
  for (const index of repeated(keys)) {
    complain(['contracts', index], 'expected each contract once');
  }
  for (const index of repeated(rules.map((rule) => rule?.id))) {
    complain(['rules', index, 'id'], 'expected an id that no other rule of the list has');
  }
  for (const index of repeated(channels.map((channel) => channel?.id))) {
    complain(['channels', index, 'id'], 'expected an id that no other channel of the list has');
  }
  const members = new Set(keys.filter((key) => key !== undefined));
  const areKnown = contracts !== undefined && !keys.includes(undefined);
  rules.forEach((rule, index) => {
    if (rule?.on === undefined) return;
    const { on, metric, all } = rule;
    if (areKnown && on !== '*' && !members.has(on)) {
      complain(['rules', index, 'on'], 'expected "*" or a contract of this list');
    }
    const asked = on === '*' ? [...members] : [on];
    for (const { metric: named, path } of metricsOf({ metric, all })) {
      const deaf = asked.find((contract) => !offers(contract, named));
      if (deaf === undefined) continue;
      const { name } = contractOf(deaf).chain;
      complain(
        ['rules', index, ...path],
        `expected a metric that each chain of the rule offers; ${name} has no floor prices`,
      );
    }
  });
  const most = LIMITS.watchlist.watches;
  if (countWatches(rules, keys.length) > most) {
    complain(['rules'], `expected at most ${most} watches (rules times contracts)`);
  }
  return found;
}

/** How many watches rules have in a list of so many contracts. */
export function countWatches(
  rules: readonly (LegibleRule | undefined)[],
  contracts: number,
): number {
  return rules.reduce((sum, rule) => sum + watchesOn(rule) * (rule?.on === '*' ? contracts : 1), 0);
}

type LegibleRule = NonNullable<NonNullable<Legible['rules']>[number]>;

/** The metrics of a rule, each with its place. */
function metricsOf({ metric, all = [] }: Pick<LegibleRule, 'metric' | 'all'>) {
  const joint = all.map((clause, index) => ({
    metric: clause?.metric,
    path: ['all', index, 'metric'],
  }));
  return [{ metric, path: ['metric'] }, ...joint].flatMap(({ metric: named, path }) =>
    named === undefined ? [] : [{ metric: named, path }],
  );
}

/** How many watches a rule has on a contract: itself, and what speaks of missing data. */
function watchesOn(rule: LegibleRule | undefined): number {
  if (rule === undefined || typeof rule.noData !== 'object') return 1;
  return 1 + new Set(metricsOf(rule).flatMap(({ metric }) => partsOfMetric(metric))).size;
}

function offers(contract: ContractKey, metric: Metric): boolean {
  const { operations } = contractOf(contract).chain;
  return partsOfMetric(metric).every((part) =>
    operations.includes(part === 'floor' ? 'floor' : 'lowest'),
  );
}
