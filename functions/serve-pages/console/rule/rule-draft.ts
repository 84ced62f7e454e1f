import { decimalIn, readDecimal } from '#console/form/decimals.tsx';
import { isListValue, type Subject, subjectOf } from '#shared/domain/market/derived-key.ts';
import type { Rule, RuleBody } from './rules.ts';

/** One condition as typed in the form: all numbers are texts. */
export type ClauseDraft = {
  readonly metric: string;
  readonly when: string;
  readonly threshold: string;
  readonly low: string;
  readonly high: string;
  readonly unit: string;
  readonly ignoreBelow: string;
};

/**
 * The typed texts and the choices of the form. Members whose text is empty are left out of the
 * rule.
 */
export type Draft = {
  /** All conditions must hold. Only a single condition may have a recovery threshold and steps. */
  readonly clauses: readonly ClauseDraft[];
  readonly recover: string;
  readonly steps: string;
  readonly on: 'all' | readonly string[];
  /**
   * Whether the rule fires immediately, after the condition has held for a time, or after several
   * values have matched.
   */
  readonly holds: 'at once' | 'for a time' | 'often';
  readonly for: string;
  readonly times: string;
  readonly of: string;
  readonly keepFor: string;
  readonly arm: string;
  readonly repeat: 'every' | 'once' | 'reminder';
  readonly reminder: string;
  /** Time without a price after which the rule reports missing data. Empty for the default. */
  readonly noData: string;
  readonly takesOutliers: boolean;
  readonly needsTwoSources: boolean;
  readonly label: string;
  readonly severity: Rule['severity'];
  /** The channels that the rule names. Undefined for the channels of the list. */
  readonly notify: readonly string[] | undefined;
  readonly notifyRecovery: boolean;
  readonly enabled: boolean;
  /** A time in UTC. */
  readonly expiresAt: string;
};

export const EMPTY_CLAUSE: ClauseDraft = {
  ...{ metric: 'floor_price', when: 'below', threshold: '', low: '', high: '' },
  ...{ unit: '', ignoreBelow: '' },
};

/** A new condition on a contract. Comparisons and list values have their own metrics. */
export function emptyClause(contract: string): ClauseDraft {
  return { ...EMPTY_CLAUSE, metric: FIRST_METRICS[subjectOf(contract)] };
}

const FIRST_METRICS: Readonly<Record<Subject, string>> = {
  contract: 'floor_price',
  ratio: 'floor_ratio',
  list: 'list_value',
};

export function emptyDraft(contract: string): Draft {
  return {
    ...{ clauses: [emptyClause(contract)], recover: '', steps: '' },
    // A rule on the value of a list names no contract.
    on: isListValue(contract) ? 'all' : [contract],
    ...{ holds: 'at once', for: '', times: '2', of: '3', keepFor: '', arm: 'level' },
    ...{ repeat: 'every', reminder: '1d', noData: '', takesOutliers: false },
    ...{ needsTwoSources: false, label: '', severity: 'warning', notify: undefined },
    ...{ notifyRecovery: true, enabled: true, expiresAt: '' },
  };
}

type Clause = NonNullable<Rule['all']>[number];

export function draftFromRule(rule: Rule): Draft {
  const { all, on, repeat, noData, confirm } = rule;
  const isReminding = typeof repeat !== 'string';
  return {
    clauses: (all ?? [rule]).map(clauseDraftOf),
    recover: rule.recover ?? '',
    steps: rule.steps ?? '',
    on: on === '*' ? 'all' : typeof on === 'string' ? [on] : on,
    holds: rule.for !== undefined ? 'for a time' : confirm === undefined ? 'at once' : 'often',
    for: rule.for ?? '',
    times: String(confirm?.times ?? 2),
    of: String(confirm?.of ?? 3),
    keepFor: rule.keepFor ?? '',
    arm: rule.arm,
    repeat: isReminding ? 'reminder' : repeat,
    reminder: isReminding ? repeat.reminder : '1d',
    noData: noData === 'keep' ? '' : noData.alert,
    takesOutliers: rule.outliers === 'take',
    needsTwoSources: rule.minSources === 2,
    label: rule.label ?? '',
    severity: rule.severity,
    notify: rule.notify,
    notifyRecovery: rule.notifyRecovery,
    enabled: rule.enabled,
    expiresAt: rule.expiresAt ?? '',
  };
}

function clauseDraftOf(clause: Partial<Clause> | Rule): ClauseDraft {
  const { metric = '', when = '', threshold = '', low = '', high = '' } = clause;
  return {
    metric,
    when,
    threshold,
    low,
    high,
    unit: clause.unit ?? '',
    ignoreBelow: clause.ignoreBelow ?? '',
  };
}

/** Whether a condition has a band instead of a threshold. */
export function isBand(when: string): boolean {
  return when === 'outside' || when === 'inside';
}

/**
 * Whether a recovery threshold is possible. A recovery threshold needs a single condition, with
 * "below" or "above".
 */
export function hasRecovery({ clauses }: Draft): boolean {
  const [first, ...others] = clauses;
  return others.length === 0 && (first?.when === 'below' || first?.when === 'above');
}

/** Whether alerts of the rule begin episodes. A crossing is one alert without an episode. */
export function hasEpisodes({ clauses }: Draft): boolean {
  return clauses[0]?.when !== 'crosses';
}

/** Whether each condition has its threshold, or both edges of its band. */
export function isComplete({ clauses }: Draft): boolean {
  return clauses.every(({ when, threshold, low, high }) =>
    isBand(when) ? low !== '' && high !== '' : threshold !== '',
  );
}

/** Whether all typed numbers are readable. */
export function isReadable({ clauses, recover, steps }: Draft): boolean {
  const numbers = clauses.flatMap(({ when, threshold, low, high, ignoreBelow }) => [
    ...(isBand(when) ? [low, high] : [threshold]),
    ignoreBelow,
  ]);
  return [...numbers, recover, steps].every((text) =>
    ['none', 'decimal'].includes(readDecimal(text).kind),
  );
}

/** The members of a rule that the form shows. */
const SHOWN: ReadonlySet<string> = new Set<keyof Rule>([
  ...(['metric', 'when', 'threshold', 'low', 'high', 'unit', 'ignoreBelow', 'all'] as const),
  ...(['recover', 'steps', 'on', 'for', 'confirm', 'keepFor', 'arm', 'repeat'] as const),
  ...(['noData', 'outliers', 'minSources', 'label', 'severity', 'notify'] as const),
  ...(['notifyRecovery', 'enabled', 'expiresAt'] as const),
]);

/**
 * Builds the rule from the form. Keeps members of the known rule that the form does not show. The
 * API validates the rule and reports each error with its member.
 */
export function ruleOf(draft: Draft, known?: Rule): RuleBody {
  const others = Object.entries(known ?? {}).filter(([member]) => !SHOWN.has(member));
  const [first, ...also] = draft.clauses.map(clauseOf);
  const condition = also.length === 0 ? first : { all: [first, ...also] };
  const ofEpisodes = hasEpisodes(draft)
    ? {
        ...texts({ for: draft.holds === 'for a time' ? draft.for : '', keepFor: draft.keepFor }),
        ...(draft.holds === 'often'
          ? { confirm: { times: Number(draft.times), of: Number(draft.of) } }
          : {}),
        repeat: draft.repeat === 'reminder' ? { reminder: draft.reminder } : draft.repeat,
      }
    : {};
  const ofLine = hasRecovery(draft) ? decimals({ recover: draft.recover, steps: draft.steps }) : {};
  const typed = {
    ...condition,
    ...ofLine,
    ...ofEpisodes,
    ...texts({ label: draft.label, expiresAt: draft.expiresAt }),
    on: draft.on === 'all' ? '*' : draft.on.length === 1 ? draft.on[0] : draft.on,
    arm: draft.arm,
    noData: draft.noData.trim() === '' ? 'keep' : { alert: draft.noData.trim() },
    outliers: draft.takesOutliers ? 'take' : 'confirm',
    ...(draft.needsTwoSources ? { minSources: 2 } : {}),
    severity: draft.severity,
    ...(draft.notify === undefined ? {} : { notify: draft.notify }),
    notifyRecovery: draft.notifyRecovery,
    enabled: draft.enabled,
  };
  // The type of a choice is `string` here. The API rejects unknown choices.
  return { ...Object.fromEntries(others), ...typed } as RuleBody;
}

function clauseOf({ metric, when, threshold, low, high, unit, ignoreBelow }: ClauseDraft) {
  const lines = isBand(when) ? { low, high } : { threshold };
  return { metric, when, ...decimals({ ...lines, ignoreBelow }), ...texts({ unit }) };
}

/** Converts numbers to the API's format. Keeps unreadable texts, so that the API rejects them. */
function decimals(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return texts(
    Object.fromEntries(
      Object.entries(members).map(([name, text]) => [name, decimalIn(text) ?? text]),
    ),
  );
}

function texts(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, text.trim()]],
    ),
  );
}
