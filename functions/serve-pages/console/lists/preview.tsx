import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { refreshAll } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Loading } from '#console/words/loading.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { counted } from './counted.ts';
import { DifferencesInWords } from './differences.tsx';
import { PlacedProblem } from './placed-problem.tsx';
import { type DryRun, dryRun, putList } from './put-list.ts';

type PreviewProps = {
  readonly watchlist: string;
  /** The document that replaces the list. */
  readonly text: string;
  readonly names: ReadonlyMap<string, string>;
  /** The label of the button that applies the document. */
  readonly deed: string;
  /** The announcement after the document was applied. */
  readonly done: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
};

/** Shows the changes that a document would make to a list, and applies it when confirmed. */
export function Preview({ watchlist, text, names, deed, done, onDone, onCancel }: PreviewProps) {
  const [would, setWould] = useState<DryRun>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const look = async () => {
    const outcome = await dryRun(watchlist, text);
    setWould(outcome.kind === 'answered' ? outcome.answer : undefined);
    setProblem(problemOf(outcome, 'The preview is not available'));
  };
  useEffect(() => void look(), [watchlist, text]);

  const put = async (revision: number | null) => {
    setBusy(true);
    const outcome = await putList(watchlist, text, revision);
    setBusy(false);
    if (outcome.kind === 'refused' && outcome.problem.status === 412) {
      // The list has changed since the preview. Show a new preview for the person to confirm.
      await look();
      announce('Somebody else changed the list. Check the new preview before you continue.');
      return;
    }
    setProblem(problemOf(outcome, 'The list was not changed'));
    if (outcome.kind !== 'answered') return;
    announce(done);
    refreshAll();
    onDone();
  };

  const isNothing =
    would !== undefined && would.revision !== null && would.differences.length === 0;
  return (
    <section class="preview stack" aria-label="Preview">
      {would === undefined && problem === undefined && <Loading />}
      <PlacedProblem problem={problem} text={text} />
      {would !== undefined && (
        <>
          <p>
            {isNothing
              ? 'The list already has this content. There is nothing to change.'
              : wordsOf(would)}
          </p>
          {!isNothing && <DifferencesInWords differences={would.differences} names={names} />}
          {would.forecast.warnings.map(({ text: warning }) => (
            <p key={warning} class="notice warning">
              {warning}
            </p>
          ))}
        </>
      )}
      <div class="row">
        {would !== undefined && !isNothing && (
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={() => void put(would.revision)}
          >
            {deed}
          </button>
        )}
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </section>
  );
}

function wordsOf({ revision, watches: { begun, ended }, restarted }: DryRun): string {
  const what = revision === null ? 'This would create the list' : 'This would change the list';
  const began = `${counted(begun, 'watch').replace(/hs$/, 'hes')} would start`;
  const over = ended === 0 ? '' : `, ${ended} would end`;
  const anew =
    restarted.length === 0
      ? ''
      : ` Open episodes of these rules would be closed: ${restarted.join(', ')}.`;
  return `${what}. ${began}${over}.${anew}`;
}
