import { DecimalField } from '#console/form/decimals.tsx';
import { Check, ChoiceField, MomentField, NameField, TextField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
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

/** All that a rule may say and seldom does. */
export function MoreFields(props: MoreFieldsProps) {
  const { draft, metrics, unit, currency, problem, onChange: set } = props;
  const wrong = (member: string) => problemAt(problem, `/${member}`);
  const readsFloors = draft.clauses.some(({ metric }) =>
    familyOf(metrics, metric)?.metrics.some(
      (one) => one.metric === metric && one.parts.includes('floor'),
    ),
  );
  const setClause = (index: number, clause: ClauseDraft) =>
    set({ clauses: draft.clauses.map((one, place) => (place === index ? clause : one)) });
  return (
    <div class="stack groups">
      <fieldset class="group">
        <legend>When it fires</legend>
        <ChoiceField
          label="If it is so already"
          value={draft.arm}
          onValue={(arm) => set({ arm })}
          problem={wrong('arm')}
        >
          <option value="level">fires now</option>
          <option value="cross">waits for a fresh crossing</option>
        </ChoiceField>
        {draft.clauses.map((clause, index) => (
          <FinerConditionFields
            key={index}
            clause={clause}
            {...{ metrics, currency, problem }}
            isJoint={draft.clauses.length > 1}
            at={draft.clauses.length > 1 ? `/all/${index}` : ''}
            onChange={(next) => setClause(index, next)}
          />
        ))}
      </fieldset>
      {hasEpisodes(draft) && (
        <fieldset class="group">
          <legend>When it is over</legend>
          {hasRecovery(draft) && (
            <DecimalField
              label={`Over again past, in ${unit}`}
              hint="Empty: as soon as it is back behind the threshold."
              value={draft.recover}
              onValue={(recover) => set({ recover })}
              problem={wrong('recover')}
            />
          )}
          <TextField
            label="Over after"
            placeholder={SPAN}
            hint="How long it must have recovered."
            value={draft.keepFor}
            onValue={(keepFor) => set({ keepFor })}
            problem={wrong('keepFor')}
          />
          <Check
            label="Tell when it is over"
            checked={draft.notifyRecovery}
            onChecked={(notifyRecovery) => set({ notifyRecovery })}
          />
        </fieldset>
      )}
      {hasEpisodes(draft) && (
        <fieldset class="group">
          <legend>Meanwhile</legend>
          {hasRecovery(draft) && (
            <DecimalField
              label="Again at each further, in %"
              hint="From the value last told."
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
            <option value="every">in each episode</option>
            <option value="reminder">in each episode, with reminders</option>
            <option value="once">once, then never again</option>
          </ChoiceField>
          {draft.repeat === 'reminder' && (
            <TextField
              label="A reminder each"
              placeholder={SPAN}
              value={draft.reminder}
              onValue={(reminder) => set({ reminder })}
              problem={wrong('repeat/reminder')}
            />
          )}
        </fieldset>
      )}
      <fieldset class="group">
        <legend>Prices</legend>
        <TextField
          label="Tell when none has come for"
          placeholder={SPAN}
          hint="Empty: only where none comes for the whole first day."
          value={draft.noData}
          onValue={(noData) => set({ noData })}
          problem={wrong('noData/alert') ?? wrong('noData')}
        />
        {readsFloors && (
          <>
            <Check
              label="Take outliers at once"
              checked={draft.takesOutliers}
              onChecked={(takesOutliers) => set({ takesOutliers })}
            />
            <Check
              label="Only what two sources report"
              checked={draft.needsTwoSources}
              onChecked={(needsTwoSources) => set({ needsTwoSources })}
            />
          </>
        )}
      </fieldset>
      <fieldset class="group">
        <legend>The rule itself</legend>
        <NameField
          label="Name in messages"
          value={draft.label}
          onValue={(label) => set({ label })}
          problem={wrong('label')}
        />
        <MomentField
          label="Ends"
          hint="Empty: never."
          value={draft.expiresAt}
          onValue={(expiresAt) => set({ expiresAt })}
          problem={wrong('expiresAt')}
        />
        <Check label="On" checked={draft.enabled} onChecked={(enabled) => set({ enabled })} />
      </fieldset>
    </div>
  );
}
