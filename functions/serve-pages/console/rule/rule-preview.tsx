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
/**
 * Milliseconds from the last edit to the request for a preview, so that typing causes few requests.
 */
const PAUSE = 500;
/** The number of messages above which a rule is noisy: ten messages a week. */
const NOISY = (10 * DAYS) / 7;

export type PreviewState = {
  readonly previewed: Previewed | undefined;
  readonly notes: readonly string[];
  readonly problem: Problem | undefined;
  readonly isBusy: boolean;
};

/**
 * A contract for which a rule is previewed, and the amount and cost of its tokens that the list
 * holds.
 */
export type TriedContract = Readonly<Record<'contract' | 'name', string>> & {
  readonly amount?: number;
  readonly cost?: Readonly<Record<'price' | 'unit', string>>;
};

/** Previews the alerts of a rule in the last thirty days, again after each edit. */
export function usePreview(
  contracts: readonly TriedContract[],
  rule: RuleBody,
  isComplete: boolean,
): PreviewState {
  const [state, setState] = useState<PreviewState>(NOTHING);
  const question = JSON.stringify([contracts, rule, isComplete]);
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
        body: { rule: { ...lasting, on: '*' }, contracts, days: DAYS },
      });
      if (isOver) return;
      if (outcome.kind === 'answered') {
        const { notes } = outcome.answer;
        setState({
          previewed: outcome.answer.contracts[0],
          notes,
          problem: undefined,
          isBusy: false,
        });
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
  /** Whether the line has been moved. Until then, no preview is shown. */
  readonly isMoved: boolean;
};

/**
 * The preview as one line: how often the rule would have fired, and how many messages it would have
 * sent.
 */
export function PreviewSummary(props: PreviewSummaryProps) {
  const { previewed, problem, isBusy, isMoved } = props;
  const { counts, alerts = [], notTested } = previewed ?? {};
  return (
    <p class="summary-of-preview small" aria-busy={isBusy} aria-live="polite">
      {counts != null && isMoved ? (
        <>
          Last {DAYS} days: fired <strong>{times(counts.fired)}</strong>,{' '}
          <strong>{messages(alerts.length)}</strong>
          {isBusy && <span class="quiet"> · updating…</span>}
        </>
      ) : (
        <span class="quiet">
          {isBusy
            ? 'Loading the preview…'
            : (notTested ??
              (problem === undefined
                ? `A preview of the last ${DAYS} days appears here.`
                : isOfRule(problem)
                  ? 'Correct the marked fields to see a preview.'
                  : problem.detail))}
        </span>
      )}
    </p>
  );
}

type RulePreviewProps = PreviewState & {
  /** The channels that would get the alerts. */
  readonly notified: readonly ListChannel[];
};

/** The preview of a rule: the number of alerts, the forecast, and the last message. */
export function RulePreview({ previewed, notes, problem, isBusy, notified }: RulePreviewProps) {
  const { counts, alerts = [], notTested, forecast } = previewed ?? {};
  const sent = alerts.length;
  const last = alerts.at(-1);
  return (
    <section class="panel stack" aria-label="Preview" aria-busy={isBusy}>
      <h2>The last {DAYS} days with this rule</h2>
      {isOfRule(problem) ? (
        <p class="quiet">Correct the marked fields to see a preview.</p>
      ) : (
        <ProblemNotice problem={problem} />
      )}
      {previewed === undefined && problem === undefined && (
        <p class="quiet">
          {isBusy
            ? 'Loading the preview…'
            : 'Complete the rule to see the alerts that it would have sent.'}
        </p>
      )}
      {counts && (
        <p>
          The rule would have fired <strong>{times(counts.fired)}</strong> and sent{' '}
          <strong>{messages(sent)}</strong>.
        </p>
      )}
      {sent > NOISY && (
        <p class="notice warning">
          That is more than ten messages a week. To get fewer, move the threshold farther from the
          price, add a recovery threshold, or let the rule fire only if the condition holds for some
          time.
        </p>
      )}
      {notTested && <p class="notice warning">{notTested}</p>}
      {forecast && (
        <p>
          <span class="quiet">If you save now:</span> {forecast.text}
        </p>
      )}
      {last && (
        <MessagePreview at={last.at} messages={previewed?.messages ?? []} notified={notified} />
      )}
      {notes.map((note) => (
        <p key={note} class="quiet small">
          {note}
        </p>
      ))}
    </section>
  );
}

/** Whether all errors are about members of the rule. */
function isOfRule(problem: Problem | undefined): boolean {
  const errors = problem?.errors ?? [];
  return errors.length > 0 && errors.every(({ pointer }) => pointer.startsWith('/rule/'));
}

function messages(count: number): string {
  if (count === 0) return 'no messages';
  return count === 1 ? 'one message' : `${count} messages`;
}

function times(count: number): string {
  if (count === 0) return '0 times';
  return count === 1 ? 'once' : `${count} times`;
}
