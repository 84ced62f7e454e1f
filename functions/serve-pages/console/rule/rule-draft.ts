import type { Rule, RuleBody } from './rules.ts';

/** What the form holds: texts as they are typed; what is empty is left out of the rule. */
export type Draft = {
  readonly metric: string;
  readonly when: string;
  readonly threshold: string;
  readonly low: string;
  readonly high: string;
  readonly recover: string;
  readonly for: string;
  readonly keepFor: string;
  readonly label: string;
  readonly severity: string;
  readonly isForAll: boolean;
  readonly notifyRecovery: boolean;
  readonly enabled: boolean;
};

export const EMPTY: Draft = {
  ...{ metric: 'floor_price', when: 'below', threshold: '', low: '', high: '', recover: '' },
  ...{ for: '', keepFor: '', label: '', severity: 'warning' },
  ...{ isForAll: false, notifyRecovery: true, enabled: true },
};

export function draftOf(rule: Rule): Draft {
  return {
    metric: rule.metric ?? '',
    when: rule.when ?? '',
    threshold: rule.threshold ?? '',
    low: rule.low ?? '',
    high: rule.high ?? '',
    recover: rule.recover ?? '',
    for: rule.for ?? '',
    keepFor: rule.keepFor ?? '',
    label: rule.label ?? '',
    severity: rule.severity,
    isForAll: rule.on === '*',
    notifyRecovery: rule.notifyRecovery,
    enabled: rule.enabled,
  };
}

/** Whether a condition is a band from one line to another. */
export function isBand(when: string): boolean {
  return when === 'outside' || when === 'inside';
}

/** Only an episode that begins at a line can end at another. */
export function hasRecovery(when: string): boolean {
  return when === 'below' || when === 'above';
}

/**
 * The rule that a form means. Members of a known rule that the form does not show stay; the
 * interface checks all of it and names what is wrong.
 */
export function ruleOf(draft: Draft, contract: string, known?: Rule): RuleBody {
  const {
    threshold: _t,
    low: _l,
    high: _h,
    recover: _r,
    for: _f,
    keepFor: _k,
    label: _la,
    ...rest
  } = known ?? {};
  const isJoint = known?.all !== undefined;
  const band = isBand(draft.when);
  const typed = {
    ...(isJoint ? {} : { metric: draft.metric, when: draft.when }),
    ...texts({
      threshold: isJoint || band ? '' : draft.threshold,
      low: band ? draft.low : '',
      high: band ? draft.high : '',
      recover: hasRecovery(draft.when) ? draft.recover : '',
      for: draft.when === 'crosses' ? '' : draft.for,
      keepFor: draft.when === 'crosses' ? '' : draft.keepFor,
      label: draft.label,
    }),
    on: draft.isForAll ? '*' : contract,
    severity: draft.severity,
    notifyRecovery: draft.notifyRecovery,
    enabled: draft.enabled,
  };
  // Which words the interface takes it says itself: it refuses others and names them.
  return { ...rest, ...typed } as RuleBody;
}

function texts(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, text.trim()]],
    ),
  );
}
