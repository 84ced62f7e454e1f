import { useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { List } from './audience.tsx';
import type { ReadRule } from './rules.ts';

type DeleteRuleProps = {
  readonly list: List;
  readonly read: ReadRule;
  readonly onDeleted: () => void;
};

/** Deletes a rule after a confirmation that shows the consequences. */
export function DeleteRule({ list, read: { rule, tag }, onDeleted }: DeleteRuleProps) {
  const [isAsked, setAsked] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const remove = async () => {
    const outcome = await ask('DELETE /v1/watchlists/{watchlist}/rules/{rule}', {
      path: { watchlist: list.id, rule: rule.id },
      ifMatch: tag,
    });
    setProblem(problemOf(outcome, 'The rule was not deleted'));
    if (outcome.kind !== 'answered') return;
    announce(`The rule “${rule.label ?? rule.id}” was deleted.`);
    refreshAll();
    onDeleted();
  };
  if (!isAsked) {
    return (
      <div class="row">
        <button type="button" class="danger" onClick={() => setAsked(true)}>
          Delete this rule…
        </button>
      </div>
    );
  }
  return (
    <div class="notice warning stack" role="alert">
      <p>
        This deletes the rule for all of its collections and closes its open alerts.{' '}
        {rule.notifyRecovery
          ? 'The channels are notified.'
          : 'The channels are not notified, because “Notify on recovery” is off.'}{' '}
        To get the rule back, restore an earlier version of the list “{list.name}”.
      </p>
      <ProblemNotice problem={problem} />
      <div class="row">
        <button type="button" class="danger" onClick={() => void remove()}>
          Delete it
        </button>
        <button type="button" onClick={() => setAsked(false)}>
          Keep it
        </button>
      </div>
    </div>
  );
}
