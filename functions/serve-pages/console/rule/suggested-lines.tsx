import { useEffect, useState } from 'preact/hooks';
import { ask } from '#console/interface/ask.ts';
import type { Answer } from '#console/interface/operations.ts';
import { amount, count } from '#console/words/amounts.ts';
import type { TriedContract } from './rule-preview.tsx';
import type { RuleBody } from './rules.ts';

type Suggested = Answer<'POST /v1/rules/suggestions'>['contracts'][number];

const DAYS = 90;

type SuggestedLinesProps = {
  readonly contracts: readonly TriedContract[];
  readonly rule: RuleBody;
  /** The unit of the threshold, spelled as in alerts: `eth`. */
  readonly unit: string;
  readonly onTake: (threshold: string) => void;
};

/**
 * Suggests thresholds with which the rule would have sent one to three messages. A click on a
 * threshold sets it in the form, and saves nothing.
 */
export function SuggestedLines({ contracts, rule, unit, onTake }: SuggestedLinesProps) {
  const [suggested, setSuggested] = useState<Suggested>();
  const [trouble, setTrouble] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    setSuggested(undefined);
    setTrouble(undefined);
  }, [rule.metric, rule.when, unit]);

  const suggest = async () => {
    setBusy(true);
    const { expiresAt: _expiresAt, threshold = '1', ...lasting } = rule;
    const outcome = await ask('POST /v1/rules/suggestions', {
      body: { rule: { ...lasting, threshold, on: '*' }, contracts, days: DAYS },
    });
    setBusy(false);
    setSuggested(outcome.kind === 'answered' ? outcome.answer.contracts[0] : undefined);
    setTrouble(
      outcome.kind === 'answered'
        ? undefined
        : outcome.kind === 'refused'
          ? outcome.problem.detail
          : 'There is no connection. Try again.',
    );
  };

  const { lines = [], notTested } = suggested ?? {};
  return (
    <div class="stack suggested-lines">
      <div class="row">
        <button type="button" aria-busy={isBusy} onClick={() => void suggest()}>
          {isBusy ? 'Loading…' : 'Suggest a threshold'}
        </button>
        {lines.map(({ threshold, alerts }) => (
          <button key={threshold} type="button" onClick={() => onTake(threshold)}>
            {amount(threshold, unit)}
            <span class="quiet"> {count(alerts.length, 'message')}</span>
          </button>
        ))}
      </div>
      <p class="quiet small" role="status">
        {trouble ??
          notTested ??
          (suggested !== undefined &&
            (lines.length === 0
              ? `No threshold was found with which the rule would have sent one to three messages in the last ${DAYS} days.`
              : `Each button shows a threshold, and how many messages the rule would have sent with it in the last ${DAYS} days. Choose a threshold to see its preview.`))}
      </p>
    </div>
  );
}
