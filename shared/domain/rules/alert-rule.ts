import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import {
  type Decimal,
  formatDecimal,
  GREATEST,
  ONE,
  parseDecimal,
} from '#shared/domain/market/decimal.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import {
  familyOf,
  isClock,
  type Metric,
  metricsOf,
  needsCost,
  seriesOfMetric,
  unitOfMetric,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CLAUSE_MEMBERS,
  type Clause,
  type Contradiction,
  clauseMembers,
  conditionOf,
  contradictionsInClause,
  decimal,
  ignoredBelow,
  isAscending,
  Threshold,
} from './clause.ts';
import type { Condition } from './condition.ts';
import { Severity } from './severity.ts';

/** Years with five or more digits are rejected, because the output could not be parsed again. */
const FOUR_DIGIT_YEAR = /^\d{4}-/;

/** A time in ISO 8601, converted to UTC with milliseconds. */
export const Moment = z.lazy(() =>
  z.iso
    .datetime({
      offset: true,
      error:
        'expected a valid time in ISO 8601 with a time zone, for example "2026-12-31T00:00:00Z"',
    })
    .transform((text, context) => {
      const moment = formatInstant(Date.parse(text));
      if (FOUR_DIGIT_YEAR.test(moment)) return moment;
      context.issues.push({
        code: 'custom',
        input: text,
        message: 'expected a time before the year 10000, also in UTC',
      });
      return z.NEVER;
    }),
);

/** A percentage above 0 and below 100. */
const Percent = z.lazy(() =>
  z.string().transform((text, context) => {
    const value = parseDecimal(text);
    if (value !== undefined && value > 0n && value < 100n * ONE) return formatDecimal(value);
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'expected a percentage above 0 and below 100 as a string, for example "10"',
    });
    return z.NEVER;
  }),
);

/** Ids of channels of the list. */
export const Notified = eachOnce(
  z
    .array(Identifier)
    .min(1, 'expected at least one channel; to get no alerts, pause or mute the rule')
    .max(LIMITS.watchlist.channels),
  'channel',
);

/** Rejects duplicate names. */
function eachOnce<Names extends z.ZodType<readonly string[]>>(names: Names, what: string) {
  return names.superRefine((all, context) => {
    all.forEach((name, index) => {
      if (all.indexOf(name) === index) return;
      context.addIssue({
        code: 'custom',
        path: [index],
        message: `expected each ${what} at most once`,
      });
    });
  });
}

/** One of several conditions that must hold together. */
const JointClause = z
  .strictObject({ ...clauseMembers, when: z.enum(['below', 'above', 'outside', 'inside']) })
  .superRefine((clause, context) => {
    for (const { member, message } of contradictionsInClause(clause)) {
      context.addIssue({ code: 'custom', path: [member], message });
    }
    if (isClock(clause.metric)) {
      const message = `expected a metric that depends only on market data: ${clause.metric} cannot be combined with other conditions`;
      context.addIssue({ code: 'custom', path: ['metric'], message });
    }
  });

/** The contracts of a rule: one, several, or `*` for all contracts of the list. */
export const RuleTarget = z.lazy(() =>
  z.union([
    z.literal('*'),
    ContractKey,
    eachOnce(z.array(ContractKey).min(1).max(LIMITS.watchlist.contracts), 'contract'),
  ]),
);
export type RuleTarget = z.output<typeof RuleTarget>;

/** Whether a rule applies to a contract of its list. */
export function isOn(target: RuleTarget, contract: ContractKey): boolean {
  return target === '*' || contractsIn(target).includes(contract);
}

/** The contracts that a rule names; empty if it applies to all. */
export function contractsIn(target: RuleTarget): readonly ContractKey[] {
  if (target === '*') return [];
  return typeof target === 'string' ? [target] : target;
}

/** A rule in a request. All omitted members have sensible defaults. */
export const AlertRule = z.lazy(() =>
  z
    .strictObject({
      id: Identifier.optional(),
      label: Line.optional(),
      on: RuleTarget.default('*'),
      ...clauseMembers,
      metric: clauseMembers.metric.optional(),
      when: clauseMembers.when.optional(),
      /**
       * Replaces `metric` and `when`: several conditions on one contract that must hold together.
       */
      all: z
        .array(JointClause)
        .min(2, 'expected two to five conditions')
        .max(LIMITS.rule.conditions, 'expected two to five conditions')
        .superRefine((clauses, context) => {
          clauses.forEach((clause, index) => {
            if (clauses.findIndex((other) => isDeepStrictEqual(other, clause)) === index) return;
            context.addIssue({
              code: 'custom',
              path: [index],
              message: 'expected each condition at most once',
            });
          });
        })
        .optional(),
      /**
       * The value at which the episode ends. By default it ends at the first value that is not
       * beyond the threshold.
       */
      recover: Threshold.optional(),
      /**
       * Whether a floor far from the previous one is used immediately (`take`), or only once the
       * next one confirms it (`confirm`).
       */
      outliers: z.enum(['confirm', 'take']).default('confirm'),
      /** If set, a floor is used only if a second source of another origin confirms it. */
      minSources: z
        .literal(2, 'expected 2, because a floor has at most two sources; omit it if one is enough')
        .optional(),
      /** How long the condition must hold, in data time, before the rule fires. */
      for: Duration.optional(),
      /** How many of the last observations must be beyond the threshold before the rule fires. */
      confirm: z
        .strictObject({
          times: z.int().min(1).max(LIMITS.rule.observations),
          of: z.int().min(2).max(LIMITS.rule.observations),
        })
        .refine(({ times, of }) => times <= of, {
          path: ['times'],
          message: 'expected "times" to be at most "of"',
        })
        .optional(),
      /**
       * How long, in data time, the value must stay recovered before the episode ends. The default
       * depends on the metric.
       */
      keepFor: Duration.optional(),
      /**
       * `level` also fires if the first value is already beyond the threshold; `cross` waits until
       * a value crosses the threshold.
       */
      arm: z.enum(['level', 'cross']).default('level'),
      /**
       * Whether a rule alerts for its first episode only or for each one, optionally with reminders
       * at fixed intervals.
       */
      repeat: z
        .union([z.enum(['once', 'every']), z.strictObject({ reminder: Duration })])
        .default('every'),
      /**
       * Alerts again each time the value moves this many percent (for percentages: percentage
       * points) further than the last reported value.
       */
      steps: Percent.optional(),
      /** Whether missing data cause an alert, and after how long. */
      noData: z.union([z.literal('keep'), z.strictObject({ alert: Duration })]).default('keep'),
      severity: Severity.default('warning'),
      /** The channels that get the alerts; by default, the list's channels for the severity. */
      notify: Notified.optional(),
      notifyRecovery: z.boolean().default(true),
      enabled: z.boolean().default(true),
      expiresAt: Moment.optional(),
    })
    .superRefine((rule, context) => {
      for (const { member, message } of contradictionsOf(rule)) {
        context.addIssue({ code: 'custom', path: [member], message });
      }
    }),
);
export type AlertRule = z.output<typeof AlertRule>;

/** One condition of a rule, with the quantity that it compares. */
export type RuleConditionClause = Quantity & { readonly condition: Condition };

/**
 * The numeric conditions of a rule for one contract. Rules with equal conditions share their
 * episodes.
 */
export type RuleCondition = RuleConditionClause & {
  /** Further conditions that must hold together with the first one. */
  readonly also?: readonly RuleConditionClause[];
  readonly arm: 'level' | 'cross';
  /** Whether a floor far from the previous one is used immediately. */
  readonly takesOutliers?: true;
  /** In milliseconds of data time. */
  readonly for?: number;
  readonly keepFor?: number;
  readonly confirm?: { readonly times: number; readonly of: number };
};

/** How often a rule alerts. An edit of these members does not end an open episode. */
export type RepeatPolicy = {
  readonly repeat: 'once' | 'every';
  /** Milliseconds between reminders of an open episode, counted from its start. */
  readonly reminder?: number;
  /**
   * How far the value must move from the last reported value for a `worsened` alert: in percent or,
   * for a percentage, in percentage points.
   */
  readonly steps?: Decimal;
  /** Set if separate no-data watches report missing data, so that the watch itself does not. */
  readonly hasNoDataWatches?: true;
};

/** The conditions of a rule: a single one, or several that must hold together. */
export function clausesOf({ metric, when, all, ...rule }: AlertRule): readonly Clause[] {
  if (all !== undefined) return all;
  return metric === undefined || when === undefined ? [] : [{ ...rule, metric, when }];
}

/**
 * Whether a rule uses the cost of its contracts. Such a rule does not apply to contracts without a
 * cost.
 */
export function isOfHoldings(rule: AlertRule): boolean {
  return clausesOf(rule).some(({ metric }) => needsCost(metric));
}

/** The numeric conditions of a rule for a contract on a chain, optionally with a holding. */
export function ruleConditionOf(
  rule: AlertRule,
  chain: Chain,
  held?: Pick<Quantity, 'unit' | 'holding'>,
): RuleCondition {
  const [first, ...also] = clausesOf(rule).map(
    (clause): RuleConditionClause => ({
      metric: clause.metric,
      unit: clause.unit ?? unitOfMetric(clause.metric, chain),
      ...ignoredBelow(clause),
      ...(rule.minSources !== undefined && readsFloors(clause.metric)
        ? { minSources: rule.minSources }
        : {}),
      ...(needsCost(clause.metric) ? held : {}),
      condition: conditionOf(clause),
    }),
  );
  if (first === undefined) throw new RangeError('a rule without a condition');
  return {
    ...first,
    ...(also.length === 0 ? {} : { also }),
    arm: rule.arm,
    ...(rule.outliers === 'take' ? { takesOutliers: true } : {}),
    ...(rule.for === undefined ? {} : { for: span(rule.for) }),
    ...keepForOf(rule, [first, ...also]),
    ...defined({ confirm: rule.confirm }),
  };
}

/**
 * The condition of source watches, which no floor meets. They cause polls of the floors from which
 * a rule's ratios or values are computed, and of the history that the rule needs.
 */
export function sourceConditionOf(rule: AlertRule, chain: Chain): RuleCondition {
  const lookBack = Math.max(...clausesOf(rule).map(({ metric }) => windowOf(metric) ?? 0));
  const ofWindow = metricsOf('floor_change_pct').find((metric) => windowOf(metric) === lookBack);
  const metric = ofWindow ?? 'floor_price';
  const condition = { when: 'above', threshold: GREATEST - 1n } as const;
  return { metric, unit: unitOfMetric(metric, chain), condition, arm: 'level' };
}

/**
 * The time for which a value must stay recovered. A percentage also changes with its reference
 * value, so it often fluctuates around its threshold. By default (`usualKeepFor`) an episode of a
 * percentage therefore ends only after an hour of recovery, so that such fluctuations belong to one
 * episode.
 */
function keepForOf(
  { keepFor, when }: AlertRule,
  clauses: readonly RuleConditionClause[],
): Pick<RuleCondition, 'keepFor'> {
  if (keepFor !== undefined) return { keepFor: span(keepFor) };
  const usual = Math.max(...clauses.map(({ metric }) => familyOf(metric).usualKeepFor ?? 0));
  return when === 'crosses' || usual === 0 ? {} : { keepFor: usual };
}

/** All conditions of a watch. */
export function clausesIn(
  ruleCondition: RuleCondition,
): readonly [RuleConditionClause, ...RuleConditionClause[]] {
  const { metric, unit, ignoreBelow, minSources, holding, condition, also = [] } = ruleCondition;
  const ignored = ignoreBelow === undefined ? {} : { ignoreBelow };
  const confirmed = minSources === undefined ? {} : { minSources };
  const held = holding === undefined ? {} : { holding };
  return [{ metric, unit, ...ignored, ...confirmed, ...held, condition }, ...also];
}

/** The repeat policy of a rule. */
export function repeatPolicyOf({ repeat, steps, noData }: AlertRule): RepeatPolicy {
  return {
    repeat: repeat === 'once' ? 'once' : 'every',
    ...(typeof repeat === 'string' ? {} : { reminder: span(repeat.reminder) }),
    ...(steps === undefined ? {} : { steps: decimal(steps) }),
    ...(noData === 'keep' ? {} : { hasNoDataWatches: true }),
  };
}

/** The conditions of a rule's no-data watches, by series. */
export function noDataWatchesOf(
  rule: AlertRule,
): readonly { readonly series: PriceSeriesName; readonly ruleCondition: RuleCondition }[] {
  const { noData } = rule;
  if (noData === 'keep') return [];
  const threshold = (BigInt(span(noData.alert)) * ONE) / BigInt(MINUTE);
  const series = new Set(clausesOf(rule).flatMap(({ metric }) => seriesOfMetric(metric)));
  return [...series].map((name) => ({
    series: name,
    ruleCondition: {
      metric: NO_DATA_METRICS[name],
      unit: 'minutes',
      condition: { when: 'above', threshold },
      arm: 'level',
    },
  }));
}

/**
 * Whether an edit leaves the condition of a rule unchanged, so that open episodes continue. Pausing
 * a rule counts as a change: its watches restart when it is enabled.
 */
export function keepsRuleCondition(before: AlertRule, after: AlertRule): boolean {
  return isDeepStrictEqual(essenceOf(before), essenceOf(after));
}

function essenceOf(rule: AlertRule) {
  const { on, recover, confirm, for: held, keepFor, arm, outliers, minSources, enabled } = rule;
  const clauses = clausesOf(rule).map(({ recover: _own, ...clause }) => ({
    ...Object.fromEntries(CLAUSE_MEMBERS.map((member) => [member, clause[member]])),
  }));
  // The order of the contracts is irrelevant.
  const contracts = on === '*' ? on : contractsIn(on).toSorted();
  return {
    contracts,
    clauses,
    recover,
    confirm,
    held,
    keepFor,
    arm,
    outliers,
    minSources,
    enabled,
  };
}

/** The members of a rule that contradict others, each with a message about the expected value. */
function contradictionsOf(rule: AlertRule): readonly Contradiction[] {
  const found = [
    ...(rule.all === undefined ? contradictionsInSingle(rule) : contradictionsInJoint(rule)),
    ...contradictionsOfDerived(rule),
  ];
  if (clausesOf(rule).some(({ metric }) => readsFloors(metric))) return found;
  const ofFloors = 'allowed only with a metric based on the floor price';
  return [
    ...found,
    ...(rule.outliers === 'confirm' ? [] : [{ member: 'outliers', message: ofFloors }]),
    ...(rule.minSources === undefined
      ? []
      : [
          {
            member: 'minSources',
            message: `${ofFloors}, because only floors have a second source`,
          },
        ]),
  ];
}

/**
 * Ratios and list values are computed from floors, so only rules on these floors can report missing
 * data. A rule on the list value is not about single contracts, so it has neither a target nor
 * conditions on contracts.
 */
function contradictionsOfDerived(rule: AlertRule): readonly Contradiction[] {
  const clauses = clausesOf(rule);
  const derived = clauses.find(({ metric }) => familyOf(metric).subject !== undefined);
  if (derived === undefined) return [];
  const { metric } = derived;
  const found: Contradiction[] = [];
  if (rule.noData !== 'keep') {
    const message = `not allowed with ${metric}; set "noData" on a rule for the floors from which it is computed`;
    found.push({ member: 'noData', message });
  }
  if (!isOfList(rule)) return found;
  if (rule.on !== '*') {
    found.push({ member: 'on', message: `expected no "on": ${metric} applies to the whole list` });
  }
  const other = clauses.find((clause) => familyOf(clause.metric).subject !== 'list');
  if (other !== undefined) {
    const message = `expected only metrics of the whole list: ${other.metric} applies to single contracts`;
    found.push({ member: 'all', message });
  }
  return found;
}

/** Whether a rule is on the list value. */
export function isOfList(rule: AlertRule): boolean {
  return clausesOf(rule).some(({ metric }) => familyOf(metric).subject === 'list');
}

/**
 * Whether a metric is computed from reported floors. Ratios and list values are not: they are
 * computed from accepted floors.
 */
function readsFloors(metric: Metric): boolean {
  const isReported = familyOf(metric).subject === undefined && !isClock(metric);
  return isReported && seriesOfMetric(metric).includes('floor');
}

function contradictionsInSingle(rule: AlertRule): readonly Contradiction[] {
  const { metric, when } = rule;
  const found: Contradiction[] = [];
  const expect = (holds: boolean, member: keyof AlertRule, message: string) => {
    if (!holds) found.push({ member, message });
  };
  expect(metric !== undefined, 'metric', 'expected a metric, or conditions in "all"');
  expect(when !== undefined, 'when', 'expected "below", "above", "outside", "inside" or "crosses"');
  if (metric === undefined || when === undefined) return found;
  found.push(...contradictionsInClause({ ...rule, metric, when }));
  if (when === 'below' || when === 'above') {
    const [lower, upper] =
      when === 'below' ? [rule.threshold, rule.recover] : [rule.recover, rule.threshold];
    expect(
      isAscending(lower, upper),
      'recover',
      'expected a recovery threshold strictly above the threshold with "when": "below", or strictly below it with "when": "above"',
    );
  } else {
    expect(rule.recover === undefined, 'recover', 'allowed only with "below" and "above"');
    expect(rule.steps === undefined, 'steps', 'allowed only with "below" and "above"');
  }
  if (when === 'crosses') {
    const alone = 'not allowed with "crosses": each crossing is one alert, without an episode';
    expect(rule.for === undefined, 'for', alone);
    expect(rule.keepFor === undefined, 'keepFor', alone);
    expect(rule.confirm === undefined, 'confirm', alone);
    expect(rule.repeat === 'every', 'repeat', alone);
  }
  if (isClock(metric)) {
    const clock = `not allowed with ${metric}, which changes as time passes`;
    expect(rule.confirm === undefined, 'confirm', clock);
    expect(rule.noData === 'keep', 'noData', clock);
    expect(rule.arm === 'level', 'arm', clock);
  }
  return [...found, ...contradictionsInTime(rule)];
}

function contradictionsInJoint(rule: AlertRule): readonly Contradiction[] {
  const found: Contradiction[] = [];
  for (const member of ONE_CONDITION) {
    if (rule[member] !== undefined) {
      found.push({ member, message: 'not allowed with "all"' });
    }
  }
  return [...found, ...contradictionsInTime(rule)];
}

/** The members that are allowed only with a single condition. */
const ONE_CONDITION = [...CLAUSE_MEMBERS, 'recover', 'steps'] as const;

function contradictionsInTime(rule: AlertRule): readonly Contradiction[] {
  return rule.for === undefined || rule.confirm === undefined
    ? []
    : [{ member: 'confirm', message: 'expected "for" or "confirm", not both' }];
}

/** The `noData` metric of each series. */
const NO_DATA_METRICS: Readonly<Record<PriceSeriesName, Metric>> = {
  floor: 'data_age_minutes',
  'lowest.1d': 'silence_minutes.1d',
  'lowest.7d': 'silence_minutes.7d',
  'lowest.30d': 'silence_minutes.30d',
  'lowest.90d': 'silence_minutes.90d',
  'volume.1d': 'statistics_silence_minutes.volume.1d',
  'volume.7d': 'statistics_silence_minutes.volume.7d',
  'volume.30d': 'statistics_silence_minutes.volume.30d',
  'sales.1d': 'statistics_silence_minutes.sales.1d',
  'sales.7d': 'statistics_silence_minutes.sales.7d',
  'sales.30d': 'statistics_silence_minutes.sales.30d',
  owners: 'statistics_silence_minutes.owners',
  offer: 'offers_silence_minutes',
};

function span(text: string): number {
  const milliseconds = readDuration(text);
  if (milliseconds === undefined) throw new RangeError(`${text} is not a duration`);
  return milliseconds;
}
