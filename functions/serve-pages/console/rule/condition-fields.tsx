import { DecimalField } from '#console/form/decimals.tsx';
import { ChoiceField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { type Family, familyOf, groupsOf, unitOf } from './metrics.ts';
import { type ClauseDraft, isBand } from './rule-draft.ts';

const WHEN_WORDS: Readonly<Record<Family['when'][number], string>> = {
  below: 'falls to or below',
  above: 'rises to or above',
  crosses: 'crosses',
  outside: 'leaves the band',
  inside: 'enters the band',
};

type ConditionFieldsProps = {
  readonly clause: ClauseDraft;
  readonly metrics: readonly Family[];
  /** Of the chain of the contract. */
  readonly currency: string;
  /** The floor as it is now, as `12.3 ETH`, and in dollars; undefined while it is not known. */
  readonly floor: { readonly native: string; readonly usd: string | undefined } | undefined;
  /** Whether it holds together with others. */
  readonly isJoint: boolean;
  /** Where the interface finds it: `''`, or `/all/1`. */
  readonly at: string;
  readonly problem: Problem | undefined;
  readonly onChange: (clause: ClauseDraft) => void;
};

/** What is measured, and the line or band that it is held against. */
export function ConditionFields(props: ConditionFieldsProps) {
  const { clause, metrics, currency, floor, isJoint, at, problem, onChange } = props;
  const family = familyOf(metrics, clause.metric);
  const unit = clause.unit === '' ? unitOf(family, currency) : clause.unit.toUpperCase();
  const set = (change: Partial<ClauseDraft>) => onChange({ ...clause, ...change });
  const wrong = (member: keyof ClauseDraft) => problemAt(problem, `${at}/${member}`);
  return (
    <>
      <ChoiceField
        label="Measure"
        value={clause.metric}
        onValue={(metric) => {
          const whens: readonly string[] = familyOf(metrics, metric)?.when ?? [];
          const when = whens.includes(clause.when) ? clause.when : (whens[0] ?? '');
          set({ metric, when, unit: '', ignoreBelow: '' });
        }}
        problem={wrong('metric')}
      >
        {groupsOf(metrics.filter((one) => (one.joins || !isJoint) && isOffered(one, family))).map(
          ([label, families]) => (
            <optgroup key={label} label={label}>
              {families.flatMap((one) =>
                one.metrics.map(({ metric, name: words }) => (
                  <option key={metric} value={metric}>
                    {words}
                    {one.unit === 'usd' ? ' in dollars' : ''}
                  </option>
                )),
              )}
            </optgroup>
          ),
        )}
      </ChoiceField>
      <ChoiceField
        label="Condition"
        value={clause.when}
        onValue={(when) => set({ when })}
        problem={wrong('when')}
      >
        {family?.when
          .filter((when) => when !== 'crosses' || !isJoint)
          .map((when) => (
            <option key={when} value={when}>
              {WHEN_WORDS[when]}
            </option>
          ))}
      </ChoiceField>
      {isBand(clause.when) ? (
        <>
          <DecimalField
            label={`From, in ${unit}`}
            value={clause.low}
            onValue={(low) => set({ low })}
            problem={wrong('low')}
          />
          <DecimalField
            label={`To, in ${unit}`}
            value={clause.high}
            onValue={(high) => set({ high })}
            problem={wrong('high')}
          />
        </>
      ) : (
        <DecimalField
          label={`Threshold, in ${unit}`}
          hint={nowOf(clause, floor)}
          value={clause.threshold}
          onValue={(threshold) => set({ threshold })}
          problem={wrong('threshold')}
        />
      )}
    </>
  );
}

/** Metrics without prices are not offered; a rule that has such a metric shows it. */
function isOffered(one: Family, chosen: Family | undefined): boolean {
  return one.reported || one === chosen;
}

/** Where the floor is, beside a threshold for it. */
function nowOf(
  { metric, unit }: ClauseDraft,
  floor: ConditionFieldsProps['floor'],
): string | undefined {
  if (unit !== '') return undefined;
  const now =
    metric === 'floor_price'
      ? floor?.native
      : metric === 'floor_price_usd'
        ? floor?.usd
        : undefined;
  return now && `The floor is ${now} now.`;
}

/** What is rarely said of a condition: another currency, and which sales are none. */
export function FinerConditionFields(props: Omit<ConditionFieldsProps, 'floor'>) {
  const { clause, metrics, currency, at, problem, onChange } = props;
  const family = familyOf(metrics, clause.metric);
  return (
    <>
      {family?.unit === 'currency' && family.units.length > 1 && (
        <ChoiceField
          label="Currency"
          value={clause.unit}
          onValue={(unit) => onChange({ ...clause, unit })}
          problem={problemAt(problem, `${at}/unit`)}
        >
          <option value="">that of the chain ({currency.toUpperCase()})</option>
          {family.units.map((unit) => (
            <option key={unit} value={unit}>
              {unit.toUpperCase()}
            </option>
          ))}
        </ChoiceField>
      )}
      {family?.takesIgnoreBelow && (
        <DecimalField
          label="No sale below, in ETH"
          hint="Dust and gifts. Empty: a hundredth of the line."
          value={clause.ignoreBelow}
          onValue={(ignoreBelow) => onChange({ ...clause, ignoreBelow })}
          problem={problemAt(problem, `${at}/ignoreBelow`)}
        />
      )}
    </>
  );
}
