import { useEffect, useState } from 'preact/hooks';
import { ask } from '#console/interface/ask.ts';
import type { Answer } from '#console/interface/operations.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { ListChannel } from './audience.tsx';
import { MessagePreview } from './message-preview.tsx';
import type { RuleBody } from './rules.ts';

type Previewed = Answer<'POST /v1/rules/preview'>['contracts'][number];

const DAYS = 30;
/** People type faster than the interface should be asked. */
const PAUSE = 500;
/** Messages from which on a rule is noise: more than ten a week. */
const NOISY = (10 * DAYS) / 7;

export type PreviewState = {
  readonly previewed: Previewed | undefined;
  readonly notes: readonly string[];
  readonly problem: Problem | undefined;
  readonly isBusy: boolean;
};

/** What a rule would have sent in the last thirty days, asked anew whenever it is another. */
export function usePreview(
  contract: { readonly contract: string; readonly name: string },
  rule: RuleBody,
  isComplete: boolean,
): PreviewState {
  const [state, setState] = useState<PreviewState>(NOTHING);
  const question = JSON.stringify([contract, rule, isComplete]);
  useEffect(() => {
    if (!isComplete) {
      setState(NOTHING);
      return;
    }
    let isOver = false;
    setState((before) => ({ ...before, isBusy: true }));
    const look = async () => {
      const { expiresAt: _expiresAt, ...lasting } = rule;
      const outcome = await ask('POST /v1/rules/preview', {
        body: { rule: { ...lasting, on: '*' }, contracts: [contract], days: DAYS },
      });
      if (isOver) return;
      if (outcome.kind === 'answered') {
        const { contracts, notes } = outcome.answer;
        setState({ previewed: contracts[0], notes, problem: undefined, isBusy: false });
      } else {
        const problem = outcome.kind === 'refused' ? outcome.problem : undefined;
        setState({ ...NOTHING, problem });
      }
    };
    const timer = setTimeout(() => void look(), PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [question]);
  return state;
}

const NOTHING: PreviewState = {
  ...{ previewed: undefined, notes: [], problem: undefined, isBusy: false },
};

type PreviewSummaryProps = PreviewState & {
  /** Whether there is something to look back for. */
  readonly isMoved: boolean;
};

/** The preview in one sentence. */
export function PreviewSummary(props: PreviewSummaryProps) {
  const { previewed, problem, isBusy, isMoved } = props;
  const { counts, alerts = [], notTested } = previewed ?? {};
  return (
    <p class="summary-of-preview small" aria-busy={isBusy} aria-live="polite">
      {counts != null && isMoved ? (
        <>
          In {DAYS} days: fired <strong>{times(counts.fired)}</strong>,{' '}
          <strong>{messages(alerts.length)}</strong>
          {isBusy && <span class="quiet"> · looking back…</span>}
        </>
      ) : (
        <span class="quiet">
          {isBusy
            ? 'Looking back…'
            : (notTested ??
              (problem === undefined
                ? `What it would have sent in ${DAYS} days is shown here.`
                : isOfRule(problem)
                  ? 'Not a rule yet.'
                  : problem.detail))}
        </span>
      )}
    </p>
  );
}

type RulePreviewProps = PreviewState & {
  /** The channels that would be told. */
  readonly told: readonly ListChannel[];
};

/** The preview in words: how often, what happens next, and the last message as it would arrive. */
export function RulePreview({ previewed, notes, problem, isBusy, told }: RulePreviewProps) {
  const { counts, alerts = [], notTested, forecast } = previewed ?? {};
  const sent = alerts.length;
  const last = alerts.at(-1);
  return (
    <section class="panel stack" aria-label="Preview" aria-busy={isBusy}>
      <h2>The last {DAYS} days with this rule</h2>
      {isOfRule(problem) ? (
        <p class="quiet">Not a rule yet: what is wrong stands beside its field.</p>
      ) : (
        <ProblemNotice problem={problem} />
      )}
      {previewed === undefined && problem === undefined && (
        <p class="quiet">
          {isBusy ? 'Looking back…' : 'Fill in the sentence to see what it would have sent.'}
        </p>
      )}
      {counts && (
        <p>
          It would have fired <strong>{times(counts.fired)}</strong> and sent{' '}
          <strong>{messages(sent)}</strong>.
        </p>
      )}
      {sent > NOISY && (
        <p class="notice warning">
          That is more than ten a week. A line further away, a recovery line or “for at least” make
          it quieter.
        </p>
      )}
      {notTested && <p class="notice warning">{notTested}</p>}
      {forecast && (
        <p>
          <span class="quiet">If you save it now:</span> {forecast.text}
        </p>
      )}
      {last && <MessagePreview at={last.at} messages={previewed?.messages ?? []} told={told} />}
      {notes.map((note) => (
        <p key={note} class="quiet small">
          {note}
        </p>
      ))}
    </section>
  );
}

/** Whether only members of the rule are wrong. */
function isOfRule(problem: Problem | undefined): boolean {
  const errors = problem?.errors ?? [];
  return errors.length > 0 && errors.every(({ pointer }) => pointer.startsWith('/rule/'));
}

function messages(count: number): string {
  if (count === 0) return 'nothing';
  return count === 1 ? 'one message' : `${count} messages`;
}

function times(count: number): string {
  if (count === 0) return 'never';
  return count === 1 ? 'once' : `${count} times`;
}
