import { useState } from 'preact/hooks';
import { ChoiceField } from '#console/form/fields.tsx';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { mayWrite } from '#console/interface/own-key.ts';
import { AddCollection } from '#console/lists/add-collection.tsx';
import { choices, choose, goTo, linkTo, oneOf } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { OverviewRow } from './overview-page.tsx';

/** The buttons of the overview that add a collection or create a rule. */
export function QuickActions({ rows }: { readonly rows: readonly OverviewRow[] }) {
  const open = oneOf(['collection', 'rule'], choices.value.open);
  if (!mayWrite()) return null;
  const toggle = (panel: 'collection' | 'rule') =>
    choose({ open: open === panel ? undefined : panel }, 'on');
  return (
    <>
      <div class="row actions">
        <button
          type="button"
          aria-expanded={open === 'collection'}
          onClick={() => toggle('collection')}
        >
          Add collection
        </button>
        <button
          type="button"
          class="primary"
          aria-expanded={open === 'rule'}
          onClick={() => toggle('rule')}
        >
          New rule
        </button>
      </div>
      {open === 'collection' && (
        <section class="panel stack quick" aria-label="Add collection">
          <AddToList />
        </section>
      )}
      {open === 'rule' && (
        <section class="panel stack quick" aria-label="New rule">
          <NewRule rows={rows} />
        </section>
      )}
    </>
  );
}

/**
 * Shown instead of the rows while no collection is watched. Offers to add the first list or
 * collection.
 */
export function NothingWatched() {
  return (
    <div class="panel empty">
      <h2>No collections yet</h2>
      {mayWrite() ? (
        <AddToList />
      ) : (
        <p>Your key cannot add collections. Sign in with a key that has the scope “write”.</p>
      )}
    </div>
  );
}

type Added = { readonly watchlist: string; readonly contract: string; readonly name: string };

/** Adds a collection to a list of the tenant, then links to the form of its first rule. */
function AddToList() {
  const { answer, problem } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  const [chosen, setChosen] = useState<string>();
  const [added, setAdded] = useState<Added>();
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  const lists = answer.watchlists;
  const list = lists.find(({ id }) => id === chosen) ?? lists[0];
  if (list === undefined) {
    return (
      <>
        <p>
          A list contains the collections that you watch, their rules, and the channels that get the
          alerts.
        </p>
        <a class="button primary" href={linkTo('lists')}>
          Create a list
        </a>
      </>
    );
  }
  return (
    <>
      {lists.length === 1 ? (
        <p>New collections are added to your list “{list.name}”.</p>
      ) : (
        <ListChoice lists={lists} value={list.id} onValue={setChosen} />
      )}
      <AddCollection
        key={list.id}
        watchlist={list.id}
        onAdded={({ contract, name }) =>
          setAdded({ watchlist: list.id, contract, name: name ?? contract })
        }
      />
      {added !== undefined && (
        <div class="notice good row spread">
          <p>{added.name} was added. To get alerts, create a rule.</p>
          <a
            class="button"
            href={linkTo('collections', added.contract, 'rules', added.watchlist, 'new')}
          >
            New rule on {added.name}
          </a>
        </div>
      )}
    </>
  );
}

type ListChoiceProps = {
  readonly lists: Answer<'GET /v1/watchlists'>['watchlists'];
  readonly value: string;
  readonly onValue: (id: string) => void;
};

function ListChoice({ lists, value, onValue }: ListChoiceProps) {
  return (
    <ChoiceField label="List" value={value} onValue={onValue}>
      {lists.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </ChoiceField>
  );
}

/** Selects a collection and one of its lists, then opens the form of a rule. */
function NewRule({ rows }: { readonly rows: readonly OverviewRow[] }) {
  const places = rows
    .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))
    .flatMap((row) =>
      row.watchlists.map((watchlist) => ({
        ...{ contract: row.contract, watchlist },
        words: row.watchlists.length === 1 ? nameOf(row) : `${nameOf(row)}, list ${watchlist}`,
      })),
    );
  const [chosen, setChosen] = useState(0);
  const place = places[chosen];
  if (place === undefined) return <p>Add a collection first. Then you can create a rule on it.</p>;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    goTo('collections', place.contract, 'rules', place.watchlist, 'new');
  };
  return (
    <form class="row" onSubmit={submit}>
      <ChoiceField
        label="On which collection?"
        value={String(chosen)}
        onValue={(index) => setChosen(Number(index))}
      >
        {places.map(({ words }, index) => (
          <option key={words} value={index}>
            {words}
          </option>
        ))}
      </ChoiceField>
      <button type="submit" class="primary at-end">
        Continue
      </button>
    </form>
  );
}

function nameOf({ name, contract }: OverviewRow): string {
  return name ?? contract;
}
