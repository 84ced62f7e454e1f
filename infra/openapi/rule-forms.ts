import type { JsonSchema } from '#shared/http/described.ts';

/** The forms that a condition may have: beyond a line, or in relation to a band. */
export const CONDITION_FORMS: readonly JsonSchema[] = [
  form({ when: ['below', 'above'], needs: ['threshold'], without: ['low', 'high'] }),
  form({ when: ['outside', 'inside'], needs: ['low', 'high'], without: ['threshold'] }),
];

const OF_LIMITS = ['recover', 'steps'];

/** The forms that a rule may have: one condition, or several that hold together. */
export const RULE_FORMS: readonly JsonSchema[] = [
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

/** How long it must hold is reported in time, or in observations. */
function notBoth({ not }: JsonSchema): JsonSchema {
  const others = typeof not === 'object' ? (not.anyOf ?? []) : [];
  return { not: { anyOf: [...others, { required: ['for', 'confirm'] }] } };
}
