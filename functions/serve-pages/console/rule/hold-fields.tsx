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

/** How long, or how often, a condition must hold before the rule fires. */
export function HoldFields({ draft, problem, onChange: set }: HoldFieldsProps) {
  const wrong = (member: string) => problemAt(problem, `/${member}`);
  return (
    <>
      <ChoiceField
        label="It must hold"
        value={draft.holds}
        onValue={(holds) => set({ holds: holds as Draft['holds'] })}
      >
        <option value="at once">once is enough</option>
        <option value="for a time">for a time</option>
        <option value="often">in some of the last observations</option>
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
            label="So many times"
            value={draft.times}
            onValue={(times) => set({ times })}
            problem={wrong('confirm/times')}
          />
          <NumberField
            label="of the last"
            value={draft.of}
            onValue={(of) => set({ of })}
            problem={wrong('confirm/of')}
          />
        </>
      )}
    </>
  );
}
