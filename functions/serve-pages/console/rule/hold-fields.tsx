import { ChoiceField, NumberField, TextField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { SPAN } from './more-fields.tsx';
import type { Draft } from './rule-draft.ts';

type HoldFieldsProps = {
  readonly draft: Draft;
  readonly problem: Problem | undefined;
  readonly onChange: (change: Partial<Draft>) => void;
};

/**
 * Fields that set for how long, or at how many values, a condition must hold before a rule fires.
 */
export function HoldFields({ draft, problem, onChange: set }: HoldFieldsProps) {
  const wrong = (member: string) => problemAt(problem, `/${member}`);
  return (
    <>
      <ChoiceField
        label="When to fire"
        value={draft.holds}
        onValue={(holds) => set({ holds: holds as Draft['holds'] })}
      >
        <option value="at once">Immediately</option>
        <option value="for a time">If the condition holds for some time</option>
        <option value="often">If several of the last values meet the condition</option>
      </ChoiceField>
      {draft.holds === 'for a time' && (
        <TextField
          label="For at least"
          placeholder={SPAN}
          value={draft.for}
          onValue={(text) => set({ for: text })}
          problem={wrong('for')}
        />
      )}
      {draft.holds === 'often' && (
        <>
          <NumberField
            label="Matching values"
            value={draft.times}
            onValue={(times) => set({ times })}
            problem={wrong('confirm/times')}
          />
          <NumberField
            label="Values considered"
            value={draft.of}
            onValue={(of) => set({ of })}
            problem={wrong('confirm/of')}
          />
        </>
      )}
    </>
  );
}
