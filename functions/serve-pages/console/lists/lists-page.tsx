import { useState } from 'preact/hooks';
import { ask, type Problem } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { moment } from '#console/words/times.ts';

/** The lists, their collections, and who changed what. */
export function ListsPage() {
  const { answer, problem } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  const { answer: log } = useFollowed('GET /v1/changes', { query: { limit: '25' } });
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  return (
    <>
      <h1>Lists and changes</h1>
      <div class="columns">
        <div class="stack">
          {answer.watchlists.map((list) => (
            <ListCard key={list.id} list={list} />
          ))}
          <NewList />
        </div>
        <section class="stack" aria-label="Changes">
          <h2>Who changed what</h2>
          {log?.changes.length === 0 && <p class="quiet">Nothing was changed yet.</p>}
          <ol class="panel changes">
            {log?.changes.map((change) => (
              <ChangeEntry key={change.id} change={change} />
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

type List = Answer<'GET /v1/watchlists'>['watchlists'][number];

function ListCard({ list }: { readonly list: List }) {
  const { id, name, contracts, rules, channels } = list;
  return (
    <section class="panel stack" aria-label={name}>
      <div class="row spread">
        <h2>{name}</h2>
        <p class="quiet small">
          {count(rules.length, 'rule')} · {count(channels.length, 'channel')}
        </p>
      </div>
      <ul class="row members">
        {contracts.map(({ contract, name: collection }) => (
          <li key={contract} class="member">
            <a href={linkTo('collections', contract)}>{collection ?? contract}</a>
          </li>
        ))}
      </ul>
      {contracts.length === 0 && <p class="quiet">No collection yet: add the first.</p>}
      <AddCollection watchlist={id} />
    </section>
  );
}

/** Adds a collection by what people call it; the interface finds its contract. */
function AddCollection({ watchlist }: { readonly watchlist: string }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const outcome = await ask('POST /v1/watchlists/{watchlist}/contracts', {
      path: { watchlist },
      body: text.trim(),
    });
    setBusy(false);
    setProblem(outcome.kind === 'refused' ? outcome.problem : undefined);
    if (outcome.kind !== 'answered') return;
    setText('');
    announce(`${outcome.answer.contract.name ?? outcome.answer.contract.contract} was added.`);
    refreshAll();
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <div class="row">
        <label class="field grow">
          <span>Add a collection: a name, a slug, a link, or eth:0x…</span>
          <input
            value={text}
            required
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isBusy} class="at-end">
          Add
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </form>
  );
}

function NewList() {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const outcome = await ask('POST /v1/watchlists', { body: { name: name.trim() } });
    setProblem(outcome.kind === 'refused' ? outcome.problem : undefined);
    if (outcome.kind !== 'answered') return;
    setName('');
    announce(`The list “${outcome.answer.name}” was made.`);
    refreshAll();
  };
  return (
    <form class="panel stack" onSubmit={(event) => void submit(event)}>
      <h2>New list</h2>
      <div class="row">
        <label class="field grow">
          <span>Name</span>
          <input
            value={name}
            required
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <button type="submit" class="at-end">
          Make list
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </form>
  );
}

type Change = Answer<'GET /v1/changes'>['changes'][number];

function ChangeEntry({
  change: { at, by, watchlist, kind, revision, edit, subject },
}: {
  readonly change: Change;
}) {
  return (
    <li>
      <p>
        <strong>{kind.replaceAll('_', ' ')}</strong> in {watchlist}
        {subject !== null && <span class="quiet"> {subject}</span>}
      </p>
      {edit !== null && <p class="small">{partsOf(edit).join('; ')}</p>}
      <p class="quiet small">
        {by.name}, {moment(at)}
        {revision !== null && `, revision ${revision}`}
      </p>
    </li>
  );
}

function partsOf({ name, contracts, rules, channels }: NonNullable<Change['edit']>) {
  const parts = { contracts, rules, channels };
  return [
    ...(name === null ? [] : [`name “${name}”`]),
    ...Object.entries(parts).flatMap(([what, { added, changed, removed }]) =>
      [
        ['added', added] as const,
        ['changed', changed] as const,
        ['removed', removed] as const,
      ].flatMap(([how, names]) => (names.length === 0 ? [] : [`${what} ${how}: ${some(names)}`])),
    ),
  ];
}

/** A name may be a long address. */
function some(names: readonly string[]): string {
  const shown = names
    .slice(0, 4)
    .map((name) => (name.length > 24 ? `${name.slice(0, 12)}…` : name));
  return names.length > 4 ? `${shown.join(', ')} and ${names.length - 4} more` : shown.join(', ');
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
