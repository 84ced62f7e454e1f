import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import type { Report } from '#console/interface/act-on-each.ts';
import { now } from '#console/interface/connection.ts';
import { announce } from '#console/shell/announcements.tsx';
import { FailedActions } from '#console/words/failed-actions.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { timeOfDay } from '#console/words/times.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { actOnAll, reportedOnAll } from './act-on-all.ts';
import type { ActionOnAll } from './entries.ts';

const HOUR = 3_600_000;

const WORDS: Readonly<
  Record<
    ActionOnAll,
    { readonly question: string; readonly effect: () => string; readonly yes: string }
  >
> = {
  mute: {
    question: 'Mute everything for 1 h?',
    effect: () => {
      const until = timeOfDay(new Date(now() + HOUR).toISOString());
      return `Nobody gets alerts from your lists until ${until}, not even critical ones. Prices are still watched.`;
    },
    yes: 'Mute everything',
  },
  unmute: {
    question: 'Unmute everything?',
    effect: () =>
      'Mutes of whole lists end now. Snoozed alerts, rules and collections stay snoozed.',
    yes: 'Unmute everything',
  },
  acknowledge: {
    question: 'Acknowledge all firing alerts?',
    effect: () => 'Their reminders and escalations stop.',
    yes: 'Acknowledge all',
  },
};

type ConfirmationProps = { readonly action: ActionOnAll; readonly onClose: () => void };

/** Asks for confirmation before an action on all lists or episodes, and reports its failures. */
export function Confirmation({ action, onClose }: ConfirmationProps) {
  const { question, effect, yes } = WORDS[action];
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [report, setReport] = useState<Report>();
  const cancel = useRef<HTMLButtonElement>(null);
  // Focus Cancel, so that a person who holds Enter down does not confirm the action.
  useEffect(() => cancel.current?.focus(), []);

  const confirm = async () => {
    setBusy(true);
    const result = await actOnAll(action);
    setBusy(false);
    if ('unread' in result) {
      setProblem(problemOf(result.unread, 'Nothing was changed'));
      return;
    }
    setProblem(undefined);
    if (result.failed.length > 0) {
      setReport(result);
      return;
    }
    onClose();
    announce(reportedOnAll(result, action));
  };
  return (
    <section class="stack confirmation" aria-label={question}>
      <h2>{question}</h2>
      <p>{effect()}</p>
      <ProblemNotice problem={problem} />
      {report !== undefined && <FailedActions report={report} />}
      <div class="row">
        <button type="button" ref={cancel} onClick={onClose}>
          {report === undefined ? 'Cancel' : 'Close'}
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void confirm()}>
          {report === undefined ? yes : 'Try again'}
        </button>
      </div>
    </section>
  );
}
