import { useState } from 'preact/hooks';
import { NameField } from '#console/form/fields.tsx';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { goTo, linkTo } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { collectionName } from '#console/words/collection-name.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { isRatio } from '#shared/domain/market/derived-key.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { Changes } from './changes.tsx';
import { counted } from './counted.ts';
import { ImportList } from './import-list.tsx';

/** The page of all lists, with their change history. */
export function ListsPage() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { answer, problem } = useFollowed('GET /v1/watchlists', {
    query: { limit: '50', ...(cursor === undefined ? {} : { cursor }) },
  });
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  const lists = answer.watchlists;
  return (
    <>
      <Title of="Lists" />
      <h1>Lists and changes</h1>
      <div class="columns">
        <div class="stack">
          {lists.length === 0 && cursors.length === 0 && (
            <p class="panel">
              A list contains the collections that you watch, their rules, and the channels that get
              the alerts. Create your first list, or import one from a file.
            </p>
          )}
          {lists.map((list) => (
            <ListCard key={list.id} list={list} />
          ))}
          {answer.unreadable.map(({ id }) => (
            <p key={id} class="notice warning">
              The list “{id}” cannot be read, because another version of floorwatch saved it. Ask
              your operator to deploy that version.
            </p>
          ))}
          <div class="row">
            {cursors.length > 0 && (
              <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
                Previous lists
              </button>
            )}
            {answer.cursor !== null && (
              <button type="button" onClick={() => setCursors([...cursors, answer.cursor ?? ''])}>
                More lists
              </button>
            )}
          </div>
          <NewList />
          <ImportList lists={lists.map(({ id }) => id)} />
        </div>
        <Changes watchlist={undefined} names={namesIn(lists)} />
      </div>
    </>
  );
}

type List = Answer<'GET /v1/watchlists'>['watchlists'][number];

/** The names of the lists' members by contract. */
export function namesIn(lists: readonly Pick<List, 'contracts'>[]): ReadonlyMap<string, string> {
  return new Map(
    lists.flatMap(({ contracts }) =>
      contracts
        .filter(({ contract, name }) => name !== undefined || isRatio(contract))
        .map((member) => [member.contract, collectionName(member, contracts)]),
    ),
  );
}

/** The maximum number of collections on a card. */
const SHOWN = 8;

function ListCard({
  list: { id, name, contracts, rules, channels, wallet },
}: {
  readonly list: List;
}) {
  return (
    <section class="panel stack" aria-label={name}>
      <div class="row spread">
        <h2>
          <a href={linkTo('lists', id)}>{name}</a>
        </h2>
        <p class="quiet small">
          {counted(contracts.length, 'collection')} · {counted(rules.length, 'rule')} ·{' '}
          {counted(channels.length, 'channel')}
        </p>
      </div>
      {wallet !== undefined && <p class="quiet small">Follows the wallet {wallet}</p>}
      {contracts.length === 0 && <p class="quiet">No collections yet.</p>}
      <ul class="row members">
        {contracts.slice(0, SHOWN).map(({ contract, name: collection }) => (
          <li key={contract} class="member">
            <a href={linkTo('collections', contract)}>
              {collectionName({ contract, name: collection }, contracts)}
            </a>
          </li>
        ))}
        {contracts.length > SHOWN && <li class="member">and {contracts.length - SHOWN} more</li>}
      </ul>
      <div class="row actions">
        <a class="button" href={linkTo('lists', id)} aria-label={`Edit ${name}`}>
          Edit
        </a>
      </div>
    </section>
  );
}

function NewList() {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const outcome = await ask('POST /v1/watchlists', { body: { name: name.trim() } });
    setProblem(problemOf(outcome, 'The list was not created'));
    if (outcome.kind !== 'answered') return;
    announce(`The list “${outcome.answer.name}” was created.`);
    refreshAll();
    goTo('lists', outcome.answer.id);
  };
  return (
    <form class="panel stack" onSubmit={(event) => void submit(event)}>
      <h2>New list</h2>
      <div class="row">
        <NameField label="Name" value={name} onValue={setName} isRequired />
        <button type="submit" class="at-end">
          Create list
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </form>
  );
}
