import { useState } from 'preact/hooks';
import { NumberField } from '#console/form/fields.tsx';
import { offline } from '#console/form/problems.tsx';
import { Conflict } from '#console/rule/conflict.tsx';
import { type ReadRule, saveRule } from '#console/rule/rules.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { Line } from './chart-canvas.ts';

type LineEditorProps = {
  readonly watchlist: string;
  readonly kind: Line['kind'];
  readonly unit: string;
  /** The rule as it was when its line was picked up. */
  readonly read: ReadRule;
  readonly price: string;
  readonly onChange: (price: string) => void;
  readonly onClose: (said?: string) => void;
};

const NAMES = { threshold: 'Threshold', recover: 'Recovery line' } as const;

/** A line that is being moved: by dragging it, or with the field. Nothing is kept until it is saved. */
export function LineEditor(props: LineEditorProps) {
  const { watchlist, kind, unit, read, price, onChange, onClose } = props;
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<ReadRule>();
  const [isBusy, setBusy] = useState(false);
  const { rule } = read;
  const change = { [kind]: price };

  const save = async (over: ReadRule) => {
    setBusy(true);
    const saved = await saveRule(watchlist, over, { ...over.rule, ...change });
    setBusy(false);
    setProblem(saved.kind === 'refused' ? saved.problem : undefined);
    setConflict(saved.kind === 'conflict' ? saved.now : undefined);
    if (saved.kind === 'saved') onClose('Saved.');
    if (saved.kind === 'offline') setProblem(offline('The line is not saved'));
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save(read);
  };

  return (
    <section class="panel stack line-editor" aria-label="Move a line">
      <form class="row" onSubmit={submit}>
        <NumberField
          label={`${NAMES[kind]} of “${rule.label ?? rule.id}”, in ${unit.toUpperCase()}`}
          value={price}
          onValue={onChange}
        />
        <button type="submit" class="primary" disabled={isBusy}>
          Save line
        </button>
        <button type="button" onClick={() => onClose()}>
          Discard
        </button>
      </form>
      {rule.on === '*' && (
        <p class="quiet small">This rule is on every collection of the list “{watchlist}”.</p>
      )}
      <ProblemNotice problem={problem} />
      {conflict !== undefined && (
        <Conflict
          what="rule"
          before={rule}
          mine={{ ...conflict.rule, ...change }}
          now={conflict.rule}
          onOverwrite={() => void save(conflict)}
          onDiscard={() => onClose('Kept as it is now.')}
        />
      )}
    </section>
  );
}
