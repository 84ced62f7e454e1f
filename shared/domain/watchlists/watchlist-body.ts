import * as z from 'zod';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { defined } from '#shared/domain/defined.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import {
  ContractKey,
  contractOf,
  contractPattern,
  MOST_COMPARED,
  RATIO_EXPECTED,
  ratioKey,
  TraitFilter,
  withTraits,
} from '#shared/domain/market/contract.ts';
import { comparedIn, isListValue, isRatio } from '#shared/domain/market/derived-key.ts';
import { priceSeries } from '#shared/domain/market/price-series.ts';
import { TimeZone } from '#shared/domain/market/time-zone.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { familiesWith, familyOf, Metric, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { meantInstead } from '#shared/domain/nearest.ts';
import { AlertRule, contractsIn, RuleTarget } from '#shared/domain/rules/alert-rule.ts';
import { Unit } from '#shared/domain/rules/clause.ts';
import { Severity } from '#shared/domain/rules/severity.ts';
import { countWatches, metricsOf } from '#shared/domain/watchlists/count-watches.ts';
import { type HeldBody, heldMembers, wrongUnit } from '#shared/domain/watchlists/holding.ts';
import { ReportTimes } from '#shared/domain/watchlists/list-report.ts';
import { Escalation, NotifiedBySeverity } from '#shared/domain/watchlists/notified.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import { Identifier, identifier, Line, lineForm, named } from '#shared/domain/words.ts';

/**
 * A contract of a list in a request: its key alone, or an object. The object may add a name, traits
 * of tokens, the contracts with which its floor is compared, or a holding.
 */
export const MemberBody = z.lazy(() =>
  z
    .union([
      ContractKey.transform((contract) => ({ contract })),
      z.strictObject({
        contract: ContractKey,
        name: Line.optional(),
        traits: TraitFilter.optional(),
        of: severalOf(ContractKey).optional(),
        ...heldMembers,
      }),
    ])
    .transform(({ traits, of, ...member }: WithParts, context): Named => {
      return { ...member, contract: keyIn({ ...member, traits, of }, context) };
    }),
);

export type MemberBody = z.output<typeof MemberBody>;

/** Accepts a single value or an array, and returns an array. */
function severalOf<Value, Input>(one: z.ZodType<Value, Input>) {
  const several = z.array(one).min(1).max(MOST_COMPARED);
  return z.union([one.transform((value) => [value]), several]);
}

type Named = HeldBody & { readonly contract: ContractKey; readonly name?: string | undefined };

/** A member as it is written, after all of its contracts were resolved to addresses. */
type WithParts = Named & {
  readonly traits?: TraitFilter | undefined;
  readonly of?: readonly ContractKey[] | undefined;
};

/** The key of a member, including its traits or the compared contracts. */
function keyIn(member: WithParts, context: z.RefinementCtx): ContractKey {
  const key = wholeKeyOf(member);
  if (typeof key === 'string') return key;
  context.addIssue({ code: 'custom', ...key, path: [...key.path] });
  return z.NEVER;
}

/** The key of a member, or the issue if its parts do not form a key. */
export function wholeKeyOf({
  contract,
  traits,
  of,
}: Pick<WithParts, 'contract' | 'traits' | 'of'>):
  | ContractKey
  | { readonly path: readonly string[]; readonly message: string } {
  if (isListValue(contract)) return { path: [], message: NO_VALUE };
  if (of === undefined) {
    const key = traits === undefined ? contract : withTraits(contract, traits);
    return key ?? { path: ['traits'], message: TOO_LONG };
  }
  const key = traits === undefined ? ratioKey(contract, of) : undefined;
  return key ?? { path: ['of'], message: RATIO_EXPECTED };
}

const NO_VALUE = 'expected a contract; the value of the list cannot be a member';

/** The message for traits that are too long for a key. */
const TOO_LONG = 'expected traits of at most 200 characters in total';

/**
 * Matches texts that are too similar to an address, with or without a chain, to be a collection's
 * name.
 */
const LIKE_ADDRESS = /(^|:)0x[0-9a-z]*([?%].*)?$/i;

/** A contract, or the slug, name or link of its collection at the provider. */
export const ContractOrName = z.lazy(() =>
  z
    .string()
    .transform(
      (text, context): { readonly contract: ContractKey } | { readonly collection: string } => {
        const collection = CollectionText.safeParse(text);
        const contract = ContractKey.safeParse(collection.data ?? text);
        if (contract.success) return { contract: contract.data };
        if (collection.success && !LIKE_ADDRESS.test(text)) return { collection: collection.data };
        const [wrong] = (collection.success ? contract : collection).error?.issues ?? [];
        context.issues.push({ code: 'custom', input: text, message: wrong?.message ?? '' });
        return z.NEVER;
      },
    ),
);

/** A member with a collection that must still be looked up. */
type NamedCollection = Omit<Named, 'contract'> & {
  readonly asked: z.output<typeof ContractOrName>;
  readonly traits?: TraitFilter | undefined;
  readonly of?: readonly z.output<typeof ContractOrName>[] | undefined;
};

type WrittenMember = Omit<NamedCollection, 'asked'> &
  HeldByWallet & { readonly contract: NamedCollection['asked'] };

/**
 * Marks contracts of the wallet in answers. If an answer is written back, the marked contracts
 * still belong to the wallet.
 */
type HeldByWallet = { readonly by?: 'wallet' | undefined };

const HELD_BY_WALLET =
  'expected no cost, because the contract comes from the wallet; omit "by" to manage the contract yourself';

/**
 * A contract of a list as people write it: its address, or the slug, name or link of its
 * collection.
 */
export const MemberRequest = z.lazy(() =>
  z
    .union([
      ContractOrName.transform((contract) => ({ contract })),
      z.strictObject({
        contract: ContractOrName,
        name: Line.optional(),
        traits: TraitFilter.optional(),
        of: severalOf(ContractOrName).optional(),
        ...heldMembers,
        by: z.literal('wallet').optional(),
      }),
    ])
    .superRefine((member, context) => {
      if (!('by' in member) || member.by === undefined || member.cost === undefined) return;
      context.addIssue({ code: 'custom', path: ['cost'], message: HELD_BY_WALLET });
    })
    .transform((written: WrittenMember, context): (Named | NamedCollection) & HeldByWallet => {
      const { contract: asked, traits, of, ...member } = written;
      const compared = of?.flatMap((one) => ('contract' in one ? one.contract : []));
      if ('collection' in asked || compared?.length !== of?.length) {
        return { ...member, asked, ...defined({ traits, of }) };
      }
      return { ...member, contract: keyIn({ ...asked, traits, of: compared }, context) };
    }),
);
export type MemberRequest = z.output<typeof MemberRequest>;

const ContactPointId = identifier(
  'expected the id of a contact point, or a channel such as {"kind": "email", "to": "…"}',
);

/**
 * A channel of a list in a request: the id of a contact point, or a channel that belongs to the
 * list.
 */
export const ListChannelBody = z.lazy(() => z.union([ContactPointId, ChannelBody]));
export type ListChannelBody = z.output<typeof ListChannelBody>;

const LegibleNames = z.lazy(() =>
  z.array(Identifier.optional().catch(undefined)).optional().catch(undefined),
);

/** The readable members of a list; the others are undefined. */
const Legible = z.lazy(() =>
  z.object({
    contracts: legibleArray({
      contract: ContractKey,
      traits: TraitFilter.optional().catch(undefined),
      of: severalOf(ContractKey).optional().catch(undefined),
      amount: z.unknown().optional(),
      cost: z.object({ unit: Unit.optional() }).optional().catch(undefined),
    }),
    rules: legibleArray({
      id: Identifier.optional().catch(undefined),
      on: RuleTarget.optional().catch(undefined),
      metric: Metric.optional().catch(undefined),
      all: legibleArray({ metric: Metric.optional().catch(undefined) }),
      noData: z.unknown(),
      minSources: z.unknown().optional(),
      notify: LegibleNames,
    }),
    channels: z
      .array(
        z
          .union([
            Identifier.transform((id) => ({ id })),
            z.object({ id: Identifier.optional().catch(undefined) }),
          ])
          .optional()
          .catch(undefined),
      )
      .optional()
      .catch(undefined),
    notify: z
      .object({ critical: LegibleNames, warning: LegibleNames, info: LegibleNames })
      .partial()
      .optional()
      .catch(undefined),
    escalate: z.object({ to: LegibleNames }).optional().catch(undefined),
  }),
);
type Legible = z.output<typeof Legible>;

/** A watchlist as people and programs write it. Only `name` is required. */
export const WatchlistRequest = bodyWith(MemberRequest);
export type WatchlistRequest = z.output<typeof WatchlistRequest>;

/** A watchlist after each of its contracts was resolved to an address. */
export const WatchlistBody = bodyWith(MemberBody);
export type WatchlistBody = z.output<typeof WatchlistBody>;

function bodyWith<Member extends z.ZodType>(member: Member) {
  return z.lazy(() =>
    z
      .strictObject({
        id: Identifier.optional(),
        name: Line,
        /** The collections of this wallet are members, too. */
        wallet: WalletAddress.optional(),
        contracts: z.array(member).max(LIMITS.watchlist.contracts).default([]),
        rules: z.array(AlertRule).max(LIMITS.watchlist.rules).default([]),
        channels: z.array(ListChannelBody).max(LIMITS.watchlist.channels).default([]),
        notify: NotifiedBySeverity.optional(),
        escalate: Escalation.optional(),
        /** The time zone of its messages and of its quiet hours. */
        timeZone: TimeZone.optional(),
        quiet: Quiet.optional(),
        /** When people get a report of the list. */
        report: ReportTimes.optional(),
      })
      .superRefine(
        (body, context) => {
          const legible = legibleIn(body);
          const found = [...contradictionsOf(legible), ...strangersIn(legible)];
          for (const { path, message } of found) {
            context.addIssue({ code: 'custom', path: [...path], message });
          }
        },
        // Also runs if members are invalid, so that one response has all errors.
        { when: () => true },
      ),
  );
}

function repeated(ids: readonly (string | undefined)[]): readonly number[] {
  return ids.flatMap((id, index) => (id !== undefined && ids.indexOf(id) < index ? [index] : []));
}

function legibleArray<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.object(shape).optional().catch(undefined)).optional().catch(undefined);
}

type Contradiction = { readonly path: readonly (string | number)[]; readonly message: string };

/** Contradictions among the readable members of a list. */
export function contradictionsIn(body: unknown): readonly Contradiction[] {
  return contradictionsOf(legibleIn(body));
}

function legibleIn(body: unknown): Partial<Legible> {
  return Legible.safeParse(body).data ?? {};
}

/** Compared contracts that are not members of the list. */
function strangersIn({ contracts }: Partial<Legible>): readonly Contradiction[] {
  const keys = keysOf(contracts);
  if (keys.includes(undefined)) return [];
  return keys.flatMap((key, index) => {
    const stranger = key && comparedIn(key).find((contract) => !keys.includes(contract));
    if (stranger === undefined) return [];
    const message = `expected the compared contracts to be members of the list, too; "${stranger}" is not a member`;
    return [{ path: ['contracts', index], message }];
  });
}

function keysOf(contracts: Legible['contracts'] = []): readonly (ContractKey | undefined)[] {
  return contracts.map((member) => {
    const key = member && wholeKeyOf(member);
    return typeof key === 'string' ? key : undefined;
  });
}

function contradictionsOf({
  contracts,
  rules = [],
  channels = [],
  notify = {},
  escalate = {},
}: Partial<Legible>): readonly Contradiction[] {
  const found: Contradiction[] = [];
  const addIssue = (path: Contradiction['path'], message: string) => found.push({ path, message });
  const keys = keysOf(contracts);
  for (const index of repeated(keys)) {
    addIssue(['contracts', index], 'expected each contract at most once');
  }
  for (const [index, member] of contracts?.entries() ?? []) {
    const message = member && wrongUnit(member.contract, member.cost?.unit);
    if (message !== undefined) addIssue(['contracts', index, 'cost', 'unit'], message);
    const key = keys[index];
    for (const held of HELD) {
      if (key === undefined || !isRatio(key) || member?.[held] === undefined) continue;
      addIssue(['contracts', index, held], 'not allowed with "of": a ratio has no tokens');
    }
  }
  for (const index of repeated(rules.map((rule) => rule?.id))) {
    addIssue(['rules', index, 'id'], 'expected an id that no other rule of the list has');
  }
  for (const index of repeated(channels.map((channel) => channel?.id))) {
    addIssue(['channels', index, 'id'], 'expected an id that no other channel of the list has');
  }
  const ids = named(
    'channel',
    channels.map((channel) => channel ?? {}),
  ).map(({ id }) => id);
  const expectChannels = (
    names: readonly (string | undefined)[] = [],
    ...path: Contradiction['path']
  ) => {
    names.forEach((name, index) => {
      if (name === undefined || ids.includes(name)) return;
      addIssue([...path, index], `the list has no channel "${name}"; ${meantInstead(name, ids)}`);
    });
  };
  for (const severity of Severity.options) expectChannels(notify[severity], 'notify', severity);
  const { to = [] } = escalate;
  expectChannels(to, 'escalate', 'to');
  if (to.length > 0 && ids.every((id) => to.includes(id))) {
    addIssue(
      ['escalate', 'to'],
      'expected at least one channel of the list that is not in "to", so that alerts can escalate',
    );
  }
  for (const [index, rule] of rules.entries()) {
    expectChannels(rule?.notify, 'rules', index, 'notify');
  }
  const members = new Set(keys.filter((key) => key !== undefined));
  const areKnown = contracts !== undefined && !keys.includes(undefined);
  rules.forEach((rule, index) => {
    if (rule?.on === undefined) return;
    const { on, metric, all, minSources } = rule;
    const targets = contractsIn(on);
    for (const [place, contract] of targets.entries()) {
      if (!areKnown || members.has(contract)) continue;
      const path = typeof on === 'string' ? [] : [place];
      addIssue(['rules', index, 'on', ...path], 'expected "*" or a contract of this list');
    }
    const asked = on === '*' ? [...members] : targets;
    if (minSources !== undefined && asked.some((contract) => contractOf(contract).traits)) {
      addIssue(
        ['rules', index, 'minSources'],
        'allowed only for contracts without traits: floors of traits have only one source',
      );
    }
    for (const { metric: named, path } of metricsOf({ metric, all })) {
      const [lacking] = asked.flatMap((contract) => whyLacking(contract, named) ?? []);
      if (lacking === undefined) continue;
      addIssue(
        ['rules', index, ...path],
        `expected a metric that each contract of the rule supports; ${lacking}`,
      );
    }
  });
  const most = LIMITS.watchlist.watches;
  if (countWatches(rules, keys.length) > most) {
    addIssue(['rules'], `expected at most ${most} watches (rules times contracts)`);
  }
  return found;
}

const HELD = ['amount', 'cost'] as const;

/** Why a contract does not support a metric; undefined if it does. */
function whyLacking(contract: ContractKey, metric: Metric): string | undefined {
  const { subject } = familyOf(metric);
  if (subject === 'list') return undefined;
  if (isRatio(contract) && subject !== 'ratio') {
    return `a member with "of" supports only ${OF_RATIOS.join(' and ')}`;
  }
  if (!isRatio(contract) && subject === 'ratio')
    return `${metric} applies only to members with "of"`;
  const { chain, traits } = contractOf(contract);
  const lacking = seriesOfMetric(metric).find((series) => {
    const { operation, isOfTraits } = priceSeries(series);
    return !chain.operations.includes(operation) || (!isOfTraits && traits !== undefined);
  });
  if (lacking === undefined) return undefined;
  return traits === undefined
    ? `the ${priceSeries(lacking).words.price} is not reported on ${chain.name}`
    : `for contracts with "traits" only floors are reported`;
}

const OF_RATIOS = familiesWith(({ subject }) => subject === 'ratio');

export function watchlistForms(): Forms {
  return [
    [
      ContractOrName,
      {
        anyOf: [
          { type: 'string', pattern: `^${contractPattern()}$` },
          { type: 'string', ...lineForm() },
        ],
        examples: ['eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', 'boredapeyachtclub'],
      },
    ],
    [WatchlistRequest._zod.innerType.shape.contracts.unwrap(), { uniqueItems: true }],
  ];
}
