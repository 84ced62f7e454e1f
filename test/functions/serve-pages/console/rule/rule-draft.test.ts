import { expect, it } from 'vitest';
import {
  draftFromRule,
  EMPTY_CLAUSE,
  emptyDraft,
  isComplete,
  ruleOf,
} from '#console/rule/rule-draft.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { newRule } from '#test/simulation/actors/rule-bodies.ts';
import { createStreams } from '#test/simulation/services/streams.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

type Body = Parameters<typeof AlertRule.parse>[0];

/** A rule as the API returns it. */
const reported = (body: Body) => ({ ...AlertRule.parse(body), id: 'rule' });

/** A random valid rule. */
function aRule(seed: number) {
  const { workload } = createStreams(seed);
  const body = newRule(`rule-${seed}`, 'Rule', { ...workload, floorTimes: [] }, NOON);
  return reported({
    ...body,
    on: workload.pick(['*', PUNKS, [PUNKS, APES]]),
    ...(body.metric === 'floor_price' ? { unit: 'usdc' } : {}),
    ...(workload.happens(0.3) ? { notify: ['desk', 'phone'] } : {}),
    ...(workload.happens(0.2) ? { enabled: false } : {}),
  });
}

it('opening and saving a rule without an edit changes nothing', () => {
  for (const rule of SEEDS.map(aRule)) {
    expect(AlertRule.parse(ruleOf(draftFromRule(rule), rule))).toEqual(rule);
  }
});

it('saving a rule keeps members that the form does not show', () => {
  const rule = { ...aRule(1), onlyOnWeekdays: true };

  expect(ruleOf(draftFromRule(rule), rule)).toMatchObject({ id: 'rule', onlyOnWeekdays: true });
});

it.each(['below', 'above', 'outside', 'inside', 'crosses'])(
  'changing the condition to "%s" removes members that the API would refuse',
  (when) => {
    for (const rule of SEEDS.map(aRule).filter(({ metric }) => metric === 'floor_price')) {
      const draft = draftFromRule(rule);
      const [first = EMPTY_CLAUSE] = draft.clauses;
      const clause = { ...first, when, threshold: '2', low: '1', high: '3' };
      const edited = { ...draft, clauses: [clause], recover: when === 'above' ? '1' : '3' };

      expect(AlertRule.parse(ruleOf(edited, rule))).toMatchObject({ when });
    }
  },
);

it('adding a second condition removes the recovery line and the steps', () => {
  const line = { ...EMPTY_CLAUSE, threshold: '60' };
  const draft = { ...emptyDraft(PUNKS), recover: '70', steps: '5' };
  const joint = [line, { ...line, metric: 'floor_price_usd', threshold: '9000' }];

  const single = AlertRule.parse(ruleOf({ ...draft, clauses: [line] }));
  const both = AlertRule.parse(ruleOf({ ...draft, clauses: joint }));

  expect(single).toMatchObject({ threshold: '60', recover: '70', steps: '5' });
  expect(both.all).toMatchObject([{ threshold: '60' }, { threshold: '9000' }]);
  expect(both).not.toHaveProperty('recover');
});

it('emptying a field removes its member from the rule', () => {
  const bare = { metric: 'floor_price', when: 'below', threshold: '60' };
  const rule = reported({
    ...{ ...bare, unit: 'usdc', recover: '70', steps: '5', for: '10m', keepFor: '20m' },
    ...{ label: 'Dip', noData: { alert: '6h' }, notify: ['desk'] },
    ...{ expiresAt: '2027-01-01T00:00:00.000Z', outliers: 'take', minSources: 2 },
  });
  const [clause = EMPTY_CLAUSE] = draftFromRule(rule).clauses;

  const emptied = ruleOf(
    {
      ...draftFromRule(rule),
      ...{ clauses: [{ ...clause, unit: '' }], recover: '', steps: ' ', holds: 'at once' },
      ...{ keepFor: '', label: ' ', noData: ' ', notify: undefined, expiresAt: '' },
      ...{ takesOutliers: false, needsTwoSources: false },
    },
    rule,
  );

  expect(AlertRule.parse(emptied)).toEqual(reported(bare));
});

it('a new rule is on the collection of its page, and complete once its lines are filled in', () => {
  const draft = emptyDraft(PUNKS);
  const withClause = (clause: Partial<typeof EMPTY_CLAUSE>) => ({
    ...draft,
    clauses: [{ ...EMPTY_CLAUSE, ...clause }],
  });

  expect(ruleOf(withClause({ threshold: '60' }))).toMatchObject({ on: PUNKS, threshold: '60' });
  expect(isComplete(draft)).toBe(false);
  expect(isComplete(withClause({ threshold: '60' }))).toBe(true);
  expect(isComplete(withClause({ when: 'inside', threshold: '60', low: '1' }))).toBe(false);
  expect(isComplete(withClause({ when: 'outside', low: '1', high: '2' }))).toBe(true);
});
