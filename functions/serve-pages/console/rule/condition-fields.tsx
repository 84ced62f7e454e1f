import { DecimalField } from '#console/form/decimals.tsx';
import { ChoiceField } from '#console/form/fields.tsx';
import { problemAt } from '#console/form/problems.tsx';
import { labelWithUnit } from '#console/words/amounts.ts';
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
  /** The native currency of the contract's chain. */
  readonly currency: string;
  /** The cost of one token. Undefined if the list has no cost. */
  readonly cost: { readonly unit: string } | undefined;
  /** The current floor, such as `12.3 ETH`, and in dollars. Undefined while it is unknown. */
  readonly floor: { readonly native: string; readonly usd: string | undefined } | undefined;
  /** The subject of the rule. Comparisons and the value of a list have their own metrics. */
  readonly subject: Family['subject'];
  /** Whether the rule has more than one condition. */
  readonly isJoint: boolean;
  /** The JSON pointer of the condition within the rule: `''`, or `/all/1`. */
  readonly at: string;
  readonly problem: Problem | undefined;
  readonly onChange: (clause: ClauseDraft) => void;
};

/** The fields of a condition: its metric, its comparison, and its threshold or band. */
export function ConditionFields(props: ConditionFieldsProps) {
  const { clause, metrics, currency, cost, floor, isJoint, at, problem, onChange } = props;
  const family = familyOf(metrics, clause.metric);
  const unit = clause.unit === '' ? unitOf(family, currency, cost) : clause.unit.toUpperCase();
  const set = (change: Partial<ClauseDraft>) => onChange({ ...clause, ...change });
  const wrong = (member: keyof ClauseDraft) => problemAt(problem, `${at}/${member}`);
  return (
    <>
      <ChoiceField
        label="Metric"
        value={clause.metric}
        onValue={(metric) => {
          const whens: readonly string[] = familyOf(metrics, metric)?.when ?? [];
          const when = whens.includes(clause.when) ? clause.when : (whens[0] ?? '');
          set({ metric, when, unit: '', ignoreBelow: '' });
        }}
        hint={family?.needsCost && cost === undefined ? NO_COST : undefined}
        problem={wrong('metric')}
      >
        {groupsOf(metrics.filter((one) => one === family || isOffered(one, props))).map(
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
            label={labelWithUnit('From', unit)}
            value={clause.low}
            onValue={(low) => set({ low })}
            problem={wrong('low')}
          />
          <DecimalField
            label={labelWithUnit('To', unit)}
            value={clause.high}
            onValue={(high) => set({ high })}
            problem={wrong('high')}
          />
        </>
      ) : (
        <DecimalField
          label={labelWithUnit('Threshold', unit)}
          hint={nowOf(clause, floor)}
          value={clause.threshold}
          onValue={(threshold) => set({ threshold })}
          problem={wrong('threshold')}
        />
      )}
    </>
  );
}

const NO_COST =
  'No cost is saved for this collection. To add one, open the list and choose “Edit” beside the collection.';

/** Whether a metric fits a condition. The form offers these metrics and the metric in use. */
function isOffered(
  { reported, joins, subject: measured }: Family,
  { isJoint, subject }: Pick<ConditionFieldsProps, 'isJoint' | 'subject'>,
): boolean {
  return reported && (joins || !isJoint) && measured === subject;
}

/** The words for the current value, by metric. Other metrics show no current value. */
const NOW_WORDS: Readonly<Record<string, string>> = {
  floor_price: 'floor',
  floor_price_usd: 'floor',
  floor_ratio: 'ratio',
  list_value: 'value',
};

/** The current value, as a hint below the threshold. */
function nowOf(
  { metric, unit }: ClauseDraft,
  floor: ConditionFieldsProps['floor'],
): string | undefined {
  const word = NOW_WORDS[metric];
  const isInDollars = metric === 'floor_price_usd' || unit === 'usd';
  const now = isInDollars ? floor?.usd : unit === '' ? floor?.native : undefined;
  return word && now && `The ${word} is ${now} now.`;
}

/** Rarely used fields of a condition: its currency, and the price below which sales are ignored. */
export function FinerConditionFields(
  props: Omit<ConditionFieldsProps, 'floor' | 'cost' | 'subject' | 'isJoint'>,
) {
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
          <option value="">Default ({currency.toUpperCase()})</option>
          {family.units.map((unit) => (
            <option key={unit} value={unit}>
              {unit.toUpperCase()}
            </option>
          ))}
        </ChoiceField>
      )}
      {family?.takesIgnoreBelow && (
        <DecimalField
          label="Ignore sales below, in ETH"
          hint="Excludes dust and gifts. The default is 1% of the threshold or, for a discount, 1% of the floor."
          value={clause.ignoreBelow}
          onValue={(ignoreBelow) => onChange({ ...clause, ignoreBelow })}
          problem={problemAt(problem, `${at}/ignoreBelow`)}
        />
      )}
    </>
  );
}
