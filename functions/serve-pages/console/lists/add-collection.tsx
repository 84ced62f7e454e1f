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

/** Adds a collection by what people call it; where several may be meant, a person chooses. */
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
      meant.length === 0 ? ofOnlyField(problemOf(outcome, 'Nothing was added')) : undefined,
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
          label="Add a collection: a name, a slug, a link, or eth:0x…"
          value={text}
          onValue={(typed) => {
            setText(typed);
            setCandidates([]);
          }}
          isRequired
        />
        <button type="submit" disabled={isBusy} class="at-end">
          {isBusy ? 'Looking…' : 'Add'}
        </button>
      </div>
      {candidates.length > 0 && (
        <div class="notice stack" role="status">
          <p>Several collections may be meant. Which one?</p>
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

/** The problem without the pointer of its member, since the form has one field. */
function ofOnlyField(problem: Problem | undefined): Problem | undefined {
  const [first, ...others] = problem?.errors ?? [];
  return problem === undefined || first === undefined || others.length > 0
    ? problem
    : { ...problem, detail: `${first.detail.replace(/^./, (letter) => letter.toUpperCase())}.` };
}

/** What a name may stand for; nothing where it is an address, or the provider cannot search. */
async function candidatesFor(text: string): Promise<readonly Candidate[]> {
  if (/0x[0-9a-f]{6}/i.test(text)) return [];
  const outcome = await ask('GET /v1/collections', { query: { query: text } });
  return outcome.kind === 'answered' ? outcome.answer.candidates : [];
}
