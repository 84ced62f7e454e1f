import { DecimalField } from '#console/form/decimals.tsx';
import { Check, ChoiceField, MomentField, NameField, TextField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import { labelWithUnit } from '#console/words/amounts.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { FinerConditionFields } from './condition-fields.tsx';
import { type Family, familyOf } from './metrics.ts';
import { type ClauseDraft, type Draft, hasEpisodes, hasRecovery } from './rule-draft.ts';

type MoreFieldsProps = {
  readonly draft: Draft;
  readonly metrics: readonly Family[];
  readonly unit: string;
  readonly currency: string;
  readonly problem: Problem | undefined;
  readonly onChange: (change: Partial<Draft>) => void;
};

export const SPAN = '10m, 6h, 2d';

/** The rarely used fields of a rule. */
export function MoreFields(props: MoreFieldsProps) {
  const { draft, metrics, unit, currency, problem, onChange: set } = props;
  const wrong = (member: string) => problemAt(problem, `/${member}`);
  // Ratios and list values are computed from floors, so missing data is reported by rules on these
  // floors.
  const isDerived = draft.clauses.some(({ metric }) => {
    const subject = familyOf(metrics, metric)?.subject;
    return subject !== undefined && subject !== 'contract';
  });
  const readsFloors = draft.clauses.some(({ metric }) =>
    familyOf(metrics, metric)?.metrics.some(
      (one) => one.metric === metric && one.series.includes('floor'),
    ),
  );
  const setClause = (index: number, clause: ClauseDraft) =>
    set({ clauses: draft.clauses.map((one, place) => (place === index ? clause : one)) });
  return (
    <div class="stack groups">
      <fieldset class="group">
        <legend>Firing</legend>
        <ChoiceField
          label="If the condition already holds"
          value={draft.arm}
          onValue={(arm) => set({ arm })}
          problem={wrong('arm')}
        >
          <option value="level">Fire immediately</option>
          <option value="cross">Wait for the next crossing</option>
        </ChoiceField>
        {draft.clauses.map((clause, index) => (
          <FinerConditionFields
            key={index}
            clause={clause}
            {...{ metrics, currency, problem }}
            at={draft.clauses.length > 1 ? `/all/${index}` : ''}
            onChange={(next) => setClause(index, next)}
          />
        ))}
      </fieldset>
      {hasEpisodes(draft) && (
        <fieldset class="group">
          <legend>Recovery</legend>
          {hasRecovery(draft) && (
            <DecimalField
              label={labelWithUnit('Recovery threshold', unit)}
              hint="The alert ends when the value reaches this threshold. Leave empty to end it at the first value that does not meet the condition."
              value={draft.recover}
              onValue={(recover) => set({ recover })}
              problem={wrong('recover')}
            />
          )}
          <TextField
            label="Recovered for"
            placeholder={SPAN}
            hint="The alert ends after the value has stayed recovered for this long. Leave empty for the default: 1h for metrics in percent, otherwise immediately."
            value={draft.keepFor}
            onValue={(keepFor) => set({ keepFor })}
            problem={wrong('keepFor')}
          />
          <Check
            label="Notify on recovery"
            checked={draft.notifyRecovery}
            onChecked={(notifyRecovery) => set({ notifyRecovery })}
          />
        </fieldset>
      )}
      {hasEpisodes(draft) && (
        <fieldset class="group">
          <legend>Repeated alerts</legend>
          {hasRecovery(draft) && (
            <DecimalField
              label="Alert again after each further move, in %"
              hint="Measured from the value of the last alert."
              value={draft.steps}
              onValue={(steps) => set({ steps })}
              problem={wrong('steps')}
            />
          )}
          <ChoiceField
            label="How often"
            value={draft.repeat}
            onValue={(repeat) => set({ repeat: repeat as Draft['repeat'] })}
            problem={wrong('repeat')}
          >
            <option value="every">Each time the rule fires</option>
            <option value="reminder">Each time the rule fires, with reminders</option>
            <option value="once">Only the first time</option>
          </ChoiceField>
          {draft.repeat === 'reminder' && (
            <TextField
              label="Reminder every"
              placeholder={SPAN}
              value={draft.reminder}
              onValue={(reminder) => set({ reminder })}
              problem={wrong('repeat/reminder')}
            />
          )}
        </fieldset>
      )}
      {!isDerived && (
        <fieldset class="group">
          <legend>Price data</legend>
          <TextField
            label="Report missing prices after"
            placeholder={SPAN}
            hint="Leave empty to get a report only if no price arrives in the first day of the rule."
            value={draft.noData}
            onValue={(noData) => set({ noData })}
            problem={wrong('noData/alert') ?? wrong('noData')}
          />
          {readsFloors && (
            <>
              <Check
                label="Accept outliers immediately"
                checked={draft.takesOutliers}
                onChecked={(takesOutliers) => set({ takesOutliers })}
              />
              <Check
                label="Require prices from two sources"
                checked={draft.needsTwoSources}
                onChecked={(needsTwoSources) => set({ needsTwoSources })}
              />
            </>
          )}
        </fieldset>
      )}
      <fieldset class="group">
        <legend>Rule</legend>
        <NameField
          label="Name in messages"
          value={draft.label}
          onValue={(label) => set({ label })}
          problem={wrong('label')}
        />
        <MomentField
          label="Expires"
          hint="Leave empty for a rule that never expires."
          value={draft.expiresAt}
          onValue={(expiresAt) => set({ expiresAt })}
          problem={wrong('expiresAt')}
        />
        <Check
          label="Rule is on"
          checked={draft.enabled}
          onChecked={(enabled) => set({ enabled })}
        />
      </fieldset>
    </div>
  );
}
