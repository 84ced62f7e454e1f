import type { Forms } from '#shared/domain/forms.ts';
import { AlertRule } from './alert-rule.ts';

type JsonSchema = Forms[number][1];

/** The forms of a condition: a threshold or a band. */
const CONDITION_FORMS: readonly JsonSchema[] = [
  form({ when: ['below', 'above'], needs: ['threshold'], without: ['low', 'high'] }),
  form({ when: ['outside', 'inside'], needs: ['low', 'high'], without: ['threshold'] }),
];

const OF_LIMITS = ['recover', 'steps'];

/** The forms of a rule: one condition, or several that hold together. */
const RULE_FORMS: readonly JsonSchema[] = [
  form({ when: ['below', 'above'], needs: ['threshold'], without: ['low', 'high', 'all'] }),
  form({
    when: ['crosses'],
    needs: ['threshold'],
    without: ['low', 'high', 'all', ...OF_LIMITS, 'for', 'keepFor', 'confirm'],
  }),
  form({
    when: ['outside', 'inside'],
    needs: ['low', 'high'],
    without: ['threshold', 'all', ...OF_LIMITS],
  }),
  {
    required: ['all'],
    ...none(['metric', 'when', 'threshold', 'low', 'high', 'unit', 'ignoreBelow', ...OF_LIMITS]),
  },
].map((rule): JsonSchema => ({ ...rule, ...notBoth(rule) }));

function form({
  when,
  needs,
  without,
}: Readonly<Record<'when' | 'needs' | 'without', readonly string[]>>): JsonSchema {
  return {
    properties: { when: { enum: [...when] } },
    required: ['metric', 'when', ...needs],
    ...none(without),
  };
}

function none(members: readonly string[]): JsonSchema {
  return { not: { anyOf: members.map((member) => ({ required: [member] })) } };
}

/** At most one of `for` and `confirm` is allowed. */
function notBoth({ not }: JsonSchema): JsonSchema {
  const others = typeof not === 'object' ? (not.anyOf ?? []) : [];
  return { not: { anyOf: [...others, { required: ['for', 'confirm'] }] } };
}

/** The forms of a rule. `contradictionsOf` checks the same constraints. */
export function ruleForms(): Forms {
  const rule = AlertRule._zod.innerType;
  const { all, steps } = rule.shape;
  return [
    [rule, { oneOf: [...RULE_FORMS] }],
    [all.unwrap().element, { oneOf: [...CONDITION_FORMS] }],
    [steps.unwrap(), { pattern: '^(?!0+(\\.0+)?$)\\d{1,2}(\\.\\d{1,17})?$', examples: ['10'] }],
  ];
}
