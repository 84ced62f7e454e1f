import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import {
  familyOf,
  isClock,
  type Metric,
  partsOfMetric,
  unitOfMetric,
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

/** A moment is taken again as it was reported. */
const FOUR_DIGIT_YEAR = /^\d{4}-/;

/** A moment as people write it, in ISO 8601; returned in UTC with milliseconds. */
export const Moment = z.iso
  .datetime({
    offset: true,
    error:
      'expected a moment that there is, in ISO 8601 and with its zone, for example "2026-12-31T00:00:00Z"',
  })
  .transform((text, context) => {
    const moment = formatInstant(Date.parse(text));
    if (FOUR_DIGIT_YEAR.test(moment)) return moment;
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'expected a moment before the year 10000, in UTC as well',
    });
    return z.NEVER;
  });

/** A share of a price in percent, above zero and below a hundred. */
const Percent = z.string().transform((text, context) => {
  const value = parseDecimal(text);
  if (value !== undefined && value > 0n && value < 100n * ONE) return formatDecimal(value);
  context.issues.push({
    code: 'custom',
    input: text,
    message: 'expected a percentage above 0 and below 100 as a string, for example "10"',
  });
  return z.NEVER;
});

/** Channels of the list, by their ids. */
export const Notified = eachOnce(
  z
    .array(Identifier)
    .min(1, 'expected a channel at least; pause the rule or mute it to get no alerts')
    .max(LIMITS.watchlist.channels),
  'channel',
);

/** Refuses names that stand in an array twice. */
function eachOnce<Names extends z.ZodType<readonly string[]>>(names: Names, what: string) {
  return names.superRefine((all, context) => {
    all.forEach((name, index) => {
      if (all.indexOf(name) === index) return;
      context.addIssue({ code: 'custom', path: [index], message: `expected each ${what} once` });
    });
  });
}

/** One of the conditions that must hold together. */
const JointClause = z
  .strictObject({ ...clauseMembers, when: z.enum(['below', 'above', 'outside', 'inside']) })
  .superRefine((clause, context) => {
    for (const { member, message } of contradictionsInClause(clause)) {
      context.addIssue({ code: 'custom', path: [member], message });
    }
    if (isClock(clause.metric)) {
      const message =
        'expected a metric that the provider reports, since these hold together in time';
      context.addIssue({ code: 'custom', path: ['metric'], message });
    }
  });

/** Contracts of the list that a rule is on: one, several, or `*` for each of them. */
export const RuleTarget = z.union([
  z.literal('*'),
  ContractKey,
  eachOnce(z.array(ContractKey).min(1).max(LIMITS.watchlist.contracts), 'contract'),
]);
export type RuleTarget = z.output<typeof RuleTarget>;

/** Whether a rule is on a contract of its list. */
export function isOn(target: RuleTarget, contract: ContractKey): boolean {
  return target === '*' || contractsIn(target).includes(contract);
}

/** The contracts that a rule names; none where it is on all. */
export function contractsIn(target: RuleTarget): readonly ContractKey[] {
  if (target === '*') return [];
  return typeof target === 'string' ? [target] : target;
}

/** What a person may say of a rule; all that is left out does the expected thing. */
export const AlertRule = z
  .strictObject({
    id: Identifier.optional(),
    label: Line.optional(),
    on: RuleTarget.default('*'),
    ...clauseMembers,
    metric: clauseMembers.metric.optional(),
    when: clauseMembers.when.optional(),
    /** In place of `metric` and `when`: conditions of one contract that must hold together. */
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
            message: 'expected each condition once',
          });
        });
      })
      .optional(),
    /**
     * The value that ends the episode when it is reached. Without it any value not beyond ends it.
     */
    recover: Threshold.optional(),
    /** Whether a floor far from the one before it counts at once, or when the next confirms it. */
    outliers: z.enum(['confirm', 'take']).default('confirm'),
    /** A floor counts only if a second source, of another origin, reports it too. */
    minSources: z.literal(2, 'expected 2: a floor has two sources at most').optional(),
    /** How long it must hold, by data time, before it fires. */
    for: Duration.optional(),
    /** How many of the last observations must be beyond to fire. */
    confirm: z
      .strictObject({
        times: z.int().min(1).max(LIMITS.rule.observations),
        of: z.int().min(2).max(LIMITS.rule.observations),
      })
      .refine(({ times, of }) => times <= of, {
        path: ['times'],
        message: 'expected at most as many times as observations',
      })
      .optional(),
    /**
     * How long it must have recovered, by data time, before the episode ends; left out, as long as
     * its metric says.
     */
    keepFor: Duration.optional(),
    /** `level` fires if already beyond; `cross` waits for a fresh crossing. */
    arm: z.enum(['level', 'cross']).default('level'),
    /** One episode, each episode, or each with a reminder on a fixed clock while it lasts. */
    repeat: z
      .union([z.enum(['once', 'every']), z.strictObject({ reminder: Duration })])
      .default('every'),
    /**
     * Alert again each further so many percent from the value last reported; of a percentage,
     * points.
     */
    steps: Percent.optional(),
    /** Whether a person is informed that the data have stopped coming, and after how long. */
    noData: z.union([z.literal('keep'), z.strictObject({ alert: Duration })]).default('keep'),
    severity: Severity.default('warning'),
    /** The channels that get its alerts; left out, those of its severity in the list. */
    notify: Notified.optional(),
    notifyRecovery: z.boolean().default(true),
    enabled: z.boolean().default(true),
    expiresAt: Moment.optional(),
  })
  .superRefine((rule, context) => {
    for (const { member, message } of contradictionsOf(rule)) {
      context.addIssue({ code: 'custom', path: [member], message });
    }
  });
export type AlertRule = z.output<typeof AlertRule>;

/** A number of one contract, and what it is held against. */
export type RuleConditionClause = Quantity & { readonly condition: Condition };

/**
 * What a rule asks of one contract, in numbers. Two rules with equal conditions share their episodes.
 */
export type RuleCondition = RuleConditionClause & {
  /** Further conditions that must hold together with the first. */
  readonly also?: readonly RuleConditionClause[];
  readonly arm: 'level' | 'cross';
  /** Whether a floor counts at once that is far from the one before it. */
  readonly takesOutliers?: true;
  /** Spans of data time in milliseconds. */
  readonly for?: number;
  readonly keepFor?: number;
  readonly confirm?: { readonly times: number; readonly of: number };
};

/** How often a rule alerts; an edit of it keeps the episode. */
export type RepeatPolicy = {
  readonly repeat: 'once' | 'every';
  /** Milliseconds between two reminders of an open episode, counted from its beginning. */
  readonly reminder?: number;
  /** Percent from the value last reported, as a decimal. */
  readonly steps?: Decimal;
  /** Whether no-data watches report that nothing has come: then the watch itself does not. */
  readonly hasNoDataWatches?: true;
};

/** The conditions of a rule: its own, or those that must hold together. */
export function clausesOf({ metric, when, all, ...rule }: AlertRule): readonly Clause[] {
  if (all !== undefined) return all;
  return metric === undefined || when === undefined ? [] : [{ ...rule, metric, when }];
}

/** What a rule means for a contract of this chain. */
export function ruleConditionOf(rule: AlertRule, chain: Chain): RuleCondition {
  const [first, ...also] = clausesOf(rule).map(
    (clause): RuleConditionClause => ({
      metric: clause.metric,
      unit: clause.unit ?? unitOfMetric(clause.metric, chain),
      ...ignoredBelow(clause),
      ...(rule.minSources !== undefined && readsFloors(clause.metric)
        ? { minSources: rule.minSources }
        : {}),
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
 * How long a rule must have recovered. A percentage also moves with what it is measured against, so
 * it comes and goes around its line: unless the rule says otherwise, its episode ends after an hour
 * of recovery (`usualKeepFor`), and what happens within that hour is one event.
 */
function keepForOf(
  { keepFor, when }: AlertRule,
  clauses: readonly RuleConditionClause[],
): Pick<RuleCondition, 'keepFor'> {
  if (keepFor !== undefined) return { keepFor: span(keepFor) };
  const usual = Math.max(...clauses.map(({ metric }) => familyOf(metric).usualKeepFor ?? 0));
  return when === 'crosses' || usual === 0 ? {} : { keepFor: usual };
}

/** All conditions of a condition. */
export function clausesIn(
  ruleCondition: RuleCondition,
): readonly [RuleConditionClause, ...RuleConditionClause[]] {
  const { metric, unit, ignoreBelow, minSources, condition, also = [] } = ruleCondition;
  const ignored = ignoreBelow === undefined ? {} : { ignoreBelow };
  const confirmed = minSources === undefined ? {} : { minSources };
  return [{ metric, unit, ...ignored, ...confirmed, condition }, ...also];
}

/** The repetition of a rule's alerts. */
export function repeatPolicyOf({ repeat, steps, noData }: AlertRule): RepeatPolicy {
  return {
    repeat: repeat === 'once' ? 'once' : 'every',
    ...(typeof repeat === 'string' ? {} : { reminder: span(repeat.reminder) }),
    ...(steps === undefined ? {} : { steps: decimal(steps) }),
    ...(noData === 'keep' ? {} : { hasNoDataWatches: true }),
  };
}

/** The conditions of a rule's no-data watches, by part. */
export function noDataWatchesOf(
  rule: AlertRule,
): readonly { readonly part: Part; readonly ruleCondition: RuleCondition }[] {
  const { noData } = rule;
  if (noData === 'keep') return [];
  const threshold = (BigInt(span(noData.alert)) * ONE) / BigInt(MINUTE);
  const parts = new Set(clausesOf(rule).flatMap(({ metric }) => partsOfMetric(metric)));
  return [...parts].map((part) => ({
    part,
    ruleCondition: {
      metric: NO_DATA_METRICS[part],
      unit: 'minutes',
      condition: { when: 'above', threshold },
      arm: 'level',
    },
  }));
}

/**
 * Whether an edit keeps the condition of a rule, and with it its episodes. Pausing does not: the rule
 * starts again when it is enabled.
 */
export function keepsRuleCondition(before: AlertRule, after: AlertRule): boolean {
  return isDeepStrictEqual(essenceOf(before), essenceOf(after));
}

function essenceOf(rule: AlertRule) {
  const { on, recover, confirm, for: held, keepFor, arm, outliers, minSources, enabled } = rule;
  const clauses = clausesOf(rule).map(({ recover: _own, ...clause }) => ({
    ...Object.fromEntries(CLAUSE_MEMBERS.map((member) => [member, clause[member]])),
  }));
  // In which order contracts are named means nothing.
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

/** Members that do not go together, each with what was expected of it. */
function contradictionsOf(rule: AlertRule): readonly Contradiction[] {
  const found = rule.all === undefined ? contradictionsInSingle(rule) : contradictionsInJoint(rule);
  if (clausesOf(rule).some(({ metric }) => readsFloors(metric))) return found;
  const ofFloors = 'expected only with a metric of the floor';
  return [
    ...found,
    ...(rule.outliers === 'confirm' ? [] : [{ member: 'outliers', message: ofFloors }]),
    ...(rule.minSources === undefined
      ? []
      : [{ member: 'minSources', message: `${ofFloors}: nothing else has a second source` }]),
  ];
}

/** Whether a metric is worked out of the prices of floors. */
function readsFloors(metric: Metric): boolean {
  return !isClock(metric) && partsOfMetric(metric).includes('floor');
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
      'expected a recovery threshold strictly on the good side: above a "below" threshold, below an "above" threshold',
    );
  } else {
    expect(rule.recover === undefined, 'recover', 'expected only with "below" and "above"');
    expect(rule.steps === undefined, 'steps', 'expected only with "below" and "above"');
  }
  if (when === 'crosses') {
    const alone = 'expected not with "crosses": each crossing is one alert, without an episode';
    expect(rule.for === undefined, 'for', alone);
    expect(rule.keepFor === undefined, 'keepFor', alone);
    expect(rule.confirm === undefined, 'confirm', alone);
    expect(rule.repeat === 'every', 'repeat', alone);
  }
  if (isClock(metric)) {
    const clock = `expected not with ${metric}, which the clock moves`;
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
      found.push({ member, message: 'expected not beside "all"' });
    }
  }
  return [...found, ...contradictionsInTime(rule)];
}

/** What is said of one condition alone. */
const ONE_CONDITION = [...CLAUSE_MEMBERS, 'recover', 'steps'] as const;

function contradictionsInTime(rule: AlertRule): readonly Contradiction[] {
  return rule.for === undefined || rule.confirm === undefined
    ? []
    : [{ member: 'confirm', message: 'expected either "for" or "confirm"' }];
}

/** The metric of `noData` of each series. */
const NO_DATA_METRICS: Readonly<Record<Part, Metric>> = {
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
  if (milliseconds === undefined) throw new RangeError(`${text} is no span of time`);
  return milliseconds;
}
