import { useEffect, useState } from 'preact/hooks';
import { DecimalField, decimalIn } from '#console/form/decimals.tsx';
import { offline, problemAt } from '#console/form/problems.tsx';
import { Conflict } from '#console/rule/conflict.tsx';
import { inFormWords } from '#console/rule/form-words.ts';
import { type PreviewState, PreviewSummary, usePreview } from '#console/rule/rule-preview.tsx';
import { type ReadRule, saveRule } from '#console/rule/rules.ts';
import { labelWithUnit, unitInWords } from '#console/words/amounts.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ruleName } from '#console/words/rule-name.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { Line } from './lines.ts';
import type { FoundWatch } from './rule-card.tsx';
import { useEscape } from './use-escape.ts';

type LineEditorProps = {
  readonly watch: FoundWatch;
  readonly kind: Line['kind'];
  /** The state of the rule at the start of the move. */
  readonly read: ReadRule;
  readonly price: string;
  /** The collection that the chart shows. */
  readonly on: { readonly contract: string; readonly name: string };
  readonly onChange: (price: string) => void;
  /** The alerts that the moved line would have sent. */
  readonly onPreview: (
    alerts: NonNullable<PreviewState['previewed']>['alerts'] | undefined,
  ) => void;
  readonly onClose: (said?: string) => void;
};

const NAMES = {
  ...{ threshold: 'Threshold', recover: 'Recovery threshold' },
  ...{ low: 'Lower edge', high: 'Upper edge' },
} as const;

/** A form to move a line, as an alternative to dragging. Only "Save line" changes the rule. */
export function LineEditor(props: LineEditorProps) {
  const { watch, kind, read, price, on, onChange, onPreview, onClose } = props;
  const { watchlist, unit } = watch;
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<ReadRule>();
  const [isBusy, setBusy] = useState(false);
  const { rule } = read;
  const decimal = decimalIn(price);
  const change = { [kind]: decimal ?? price };
  const isMoved = decimal !== watch[kind];
  const preview = usePreview([on], { ...rule, ...change }, decimal !== undefined && isMoved);
  useEscape(() => onClose());
  useEffect(() => onPreview(preview.previewed?.alerts), [preview.previewed]);

  const save = async (over: ReadRule) => {
    setBusy(true);
    const saved = await saveRule(watchlist, over, { ...over.rule, ...change });
    setBusy(false);
    setProblem(saved.kind === 'refused' ? inFormWords(saved.problem) : undefined);
    setConflict(saved.kind === 'conflict' ? saved.now : undefined);
    if (saved.kind === 'saved') onClose('Saved.');
    if (saved.kind === 'offline') setProblem(offline('The line was not saved'));
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save(read);
  };

  return (
    <section class="panel stack line-editor" aria-label="Move a line">
      <form class="row" onSubmit={submit}>
        <DecimalField
          label={labelWithUnit(`${NAMES[kind]} of “${ruleName(watch)}”`, unitInWords(unit))}
          value={price}
          onValue={onChange}
          problem={problemAt(problem ?? inFormWords(preview.problem), `/${kind}`)}
        />
        <PreviewSummary {...preview} isMoved={isMoved} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Save line
          </button>
          <button type="button" onClick={() => onClose()}>
            Discard
          </button>
        </div>
      </form>
      {rule.on === '*' && (
        <p class="quiet small">
          This changes the line for all collections in the list “{watchlist}”.
        </p>
      )}
      <ProblemNotice problem={problem} />
      {conflict !== undefined && (
        <Conflict
          what="rule"
          before={rule}
          mine={{ ...conflict.rule, ...change }}
          now={conflict.rule}
          onOverwrite={() => void save(conflict)}
          onDiscard={() => onClose('No changes were saved.')}
        />
      )}
    </section>
  );
}
