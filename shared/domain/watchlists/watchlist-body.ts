import * as z from 'zod';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import {
  ContractKey,
  contractOf,
  contractPattern,
  TraitFilter,
  withTraits,
} from '#shared/domain/market/contract.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { TimeZone } from '#shared/domain/market/time-zone.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { Metric, partsOfMetric } from '#shared/domain/metrics/metric.ts';
import { meantInstead } from '#shared/domain/nearest.ts';
import { AlertRule, contractsIn, RuleTarget } from '#shared/domain/rules/alert-rule.ts';
import { Severity } from '#shared/domain/rules/severity.ts';
import { countWatches, metricsOf } from '#shared/domain/watchlists/count-watches.ts';
import { ReportTimes } from '#shared/domain/watchlists/list-report.ts';
import { Escalation, NotifiedBySeverity } from '#shared/domain/watchlists/notified.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import { Identifier, identifier, Line, lineForm, named } from '#shared/domain/words.ts';

/**
 * A contract of a list, as it is written: alone, or with the name of its collection, or with the
 * traits of those of its tokens that are meant.
 */
export const MemberBody = z
  .union([
    ContractKey.transform((contract) => ({ contract })),
    z.strictObject({
      contract: ContractKey,
      name: Line.optional(),
      traits: TraitFilter.optional(),
    }),
  ])
  .transform((member, context) => ofTraits(member, context));

export type MemberBody = z.output<typeof MemberBody>;

type Named = { readonly contract: ContractKey; readonly name?: string | undefined };

/** A member with its traits in its key. */
function ofTraits<Member extends Named>(
  { traits, ...member }: Member & { readonly traits?: TraitFilter | undefined },
  context: z.RefinementCtx,
): Named {
  if (traits === undefined) return member;
  const contract = withTraits(member.contract, traits);
  if (contract !== undefined) return { ...member, contract };
  context.addIssue({ code: 'custom', path: ['traits'], message: TOO_LONG });
  return z.NEVER;
}

/** What is wrong with traits that no key has room for. */
export const TOO_LONG = 'expected shorter traits: two hundred characters in all';

/** Chain and address, or so much of an address that no collection is meant. */
const LIKE_ADDRESS = /(^|:)0x[0-9a-z]*([?%].*)?$/i;

/** A contract, or the slug, name or link of its collection at the provider. */
export const ContractOrName = z
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
  );

/** A collection that is still to be looked up, with what is written beside it. */
type NamedCollection = Pick<Named, 'name'> & {
  readonly collection: string;
  readonly traits?: TraitFilter | undefined;
};

/** How a list answers a contract of its wallet. Written back, it is left to the wallet. */
type HeldByWallet = { readonly by?: 'wallet' | undefined };

/** A contract of a list as people write it: by its address, or by what its collection is called. */
export const MemberRequest = z
  .union([
    ContractOrName.transform((contract) => ({ contract })),
    z.strictObject({
      contract: ContractOrName,
      name: Line.optional(),
      traits: TraitFilter.optional(),
      by: z.literal('wallet').optional(),
    }),
  ])
  .transform(({ contract, ...rest }, context): (Named | NamedCollection) & HeldByWallet => {
    const member = { ...contract, ...rest };
    return 'contract' in member ? ofTraits(member, context) : member;
  });
export type MemberRequest = z.output<typeof MemberRequest>;

const ContactPointId = identifier(
  'expected the id of a contact point, or a channel such as {"kind": "email", "to": "…"}',
);

/** A channel of a list as it is written: a contact point of the tenant by name, or one of its own. */
export const ListChannelBody = z.union([ContactPointId, ChannelBody]);
export type ListChannelBody = z.output<typeof ListChannelBody>;

const LegibleNames = z.array(Identifier.optional().catch(undefined)).optional().catch(undefined);

/** What can be read of a list some members of which are wrong; those are undefined. */
const Legible = z.lazy(() =>
  z.object({
    contracts: legibleArray({
      contract: ContractKey,
      traits: TraitFilter.optional().catch(undefined),
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

/** A watchlist as people and programs write it; only `name` is required. */
export const WatchlistRequest = bodyWith(MemberRequest);
export type WatchlistRequest = z.output<typeof WatchlistRequest>;

/** The same once each contract has its address. */
export const WatchlistBody = bodyWith(MemberBody);
export type WatchlistBody = z.output<typeof WatchlistBody>;

function bodyWith<Member extends z.ZodType>(member: Member) {
  return z
    .strictObject({
      id: Identifier.optional(),
      name: Line,
      /** Its collections are members, too. */
      wallet: WalletAddress.optional(),
      contracts: z.array(member).max(LIMITS.watchlist.contracts).default([]),
      rules: z.array(AlertRule).max(LIMITS.watchlist.rules).default([]),
      channels: z.array(ListChannelBody).max(LIMITS.watchlist.channels).default([]),
      notify: NotifiedBySeverity.optional(),
      escalate: Escalation.optional(),
      /** In which times are told, and which its quiet hours are of. */
      timeZone: TimeZone.optional(),
      quiet: Quiet.optional(),
      /** When people get a report of it. */
      report: ReportTimes.optional(),
    })
    .superRefine(
      (body, context) => {
        for (const { path, message } of contradictionsIn(body)) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      },
      // Also where members are wrong, so that one answer names every fault.
      { when: () => true },
    );
}

function repeated(ids: readonly (string | undefined)[]): readonly number[] {
  return ids.flatMap((id, index) => (id !== undefined && ids.indexOf(id) < index ? [index] : []));
}

function legibleArray<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.object(shape).optional().catch(undefined)).optional().catch(undefined);
}

type Contradiction = { readonly path: readonly (string | number)[]; readonly message: string };

/** Members of a list that do not go together, as far as they can be read. */
export function contradictionsIn(body: unknown): readonly Contradiction[] {
  return contradictionsOf(Legible.safeParse(body).data ?? {});
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
  const keys =
    contracts?.map(
      (member) =>
        member && (member.traits ? withTraits(member.contract, member.traits) : member.contract),
    ) ?? [];
  for (const index of repeated(keys)) {
    addIssue(['contracts', index], 'expected each contract once');
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
    addIssue(['escalate', 'to'], 'expected another channel of the list, which gets alerts first');
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
        'expected only on whole contracts: floors of traits have one source',
      );
    }
    for (const { metric: named, path } of metricsOf({ metric, all })) {
      const [deaf] = asked.flatMap((contract) => {
        const part = lackingPart(contract, named);
        return part === undefined ? [] : [{ part, ...contractOf(contract) }];
      });
      if (deaf === undefined) continue;
      const { chain, traits, part } = deaf;
      const lacking =
        traits === undefined
          ? `${chain.name} has no ${seriesOf(part).words.price}`
          : `of traits only floors are known`;
      addIssue(
        ['rules', index, ...path],
        `expected a metric that each contract of the rule offers; ${lacking}`,
      );
    }
  });
  const most = LIMITS.watchlist.watches;
  if (countWatches(rules, keys.length) > most) {
    addIssue(['rules'], `expected at most ${most} watches (rules times contracts)`);
  }
  return found;
}

/** The first series of a metric that nobody reports of a contract. */
function lackingPart(contract: ContractKey, metric: Metric): Part | undefined {
  const { chain, traits } = contractOf(contract);
  return partsOfMetric(metric).find((part) => {
    const { operation, isOfTraits } = seriesOf(part);
    return !chain.operations.includes(operation) || (!isOfTraits && traits !== undefined);
  });
}

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
    [WatchlistRequest.shape.contracts.unwrap(), { uniqueItems: true }],
  ];
}
