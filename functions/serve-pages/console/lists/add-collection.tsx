import { useState } from 'preact/hooks';
import { TextField } from '#console/form/fields.tsx';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';

type Candidate = Answer<'GET /v1/collections'>['candidates'][number];

type Added = Answer<'POST /v1/watchlists/{watchlist}/contracts'>['contract'];

type AddCollectionProps = {
  readonly watchlist: string;
  readonly onAdded?: (added: Added) => void;
};

/**
 * Adds a collection by name, slug, link or address. If several collections match, offers a choice.
 */
export function AddCollection({ watchlist, onAdded }: AddCollectionProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [candidates, setCandidates] = useState<readonly Candidate[]>([]);
  const [isBusy, setBusy] = useState(false);

  const add = async (collection: string) => {
    setBusy(true);
    const outcome = await ask('POST /v1/watchlists/{watchlist}/contracts', {
      path: { watchlist },
      body: collection,
    });
    const meant = outcome.kind === 'refused' ? await candidatesFor(collection) : [];
    setBusy(false);
    setCandidates(meant);
    setProblem(
      meant.length === 0
        ? ofOnlyField(problemOf(outcome, 'The collection was not added'))
        : undefined,
    );
    if (outcome.kind !== 'answered') return;
    const { name, contract } = outcome.answer.contract;
    setText('');
    announce(`${name ?? contract} was added.`);
    onAdded?.(outcome.answer.contract);
    refreshAll();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void add(text.trim());
  };

  return (
    <form class="stack" onSubmit={submit}>
      <div class="row">
        <TextField
          label="Add a collection by name, slug, link or address (eth:0x…)"
          value={text}
          onValue={(typed) => {
            setText(typed);
            setCandidates([]);
          }}
          isRequired
        />
        <button type="submit" disabled={isBusy} class="at-end">
          {isBusy ? 'Adding…' : 'Add'}
        </button>
      </div>
      {candidates.length > 0 && (
        <div class="notice stack" role="status">
          <p>Several collections match. Choose one:</p>
          <ul class="row">
            {candidates.map(({ slug, name }) => (
              <li key={slug}>
                <button type="button" disabled={isBusy} onClick={() => void add(slug)}>
                  {name} <span class="quiet small">{slug}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <ProblemNotice problem={problem} />
    </form>
  );
}

/**
 * If the API reports a single error, shows it as the detail, because the form has only one field.
 */
function ofOnlyField(problem: Problem | undefined): Problem | undefined {
  const [first, ...others] = problem?.errors ?? [];
  return problem === undefined || first === undefined || others.length > 0
    ? problem
    : { ...problem, detail: `${first.detail.replace(/^./, (letter) => letter.toUpperCase())}.` };
}

/** The collections that match a name. Empty for an address, or if the provider cannot search. */
async function candidatesFor(text: string): Promise<readonly Candidate[]> {
  if (/0x[0-9a-f]{6}/i.test(text)) return [];
  const outcome = await ask('GET /v1/collections', { query: { query: text } });
  return outcome.kind === 'answered' ? outcome.answer.candidates : [];
}
