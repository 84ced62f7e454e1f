import { useState } from 'preact/hooks';
import { NameField } from '#console/form/fields.tsx';
import { problemOf } from '#console/form/problems.tsx';
import { ask, type Outcome } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { Avatar } from '#console/words/avatar.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { AddCollection } from './add-collection.tsx';
import type { ReadList } from './list-page.tsx';

/** The collections of a list: added, named and removed one by one. */
export function Members({ list }: { readonly list: ReadList }) {
  return (
    <section class="panel stack" aria-label="Collections">
      <h2>Collections</h2>
      {list.contracts.length === 0 && <p class="quiet">No collection yet: add the first.</p>}
      <ul class="member-list">
        {list.contracts.map((member) => (
          <MemberRow key={member.contract} list={list} member={member} />
        ))}
      </ul>
      <AddCollection watchlist={list.id} />
    </section>
  );
}

type MemberProps = {
  readonly list: ReadList;
  readonly member: ReadList['contracts'][number];
};

function MemberRow({ list, member }: MemberProps) {
  const { contract, by } = member;
  const name = member.name ?? contract;
  const [mode, setMode] = useState<'shown' | 'renamed' | 'removed'>('shown');
  const [text, setText] = useState(member.name ?? '');
  const [problem, setProblem] = useState<Problem>();
  const path = { watchlist: list.id, contract };
  const ifMatch = `"${list.revision}"`;

  const settle = (outcome: Outcome<unknown>, words: string) => {
    setProblem(problemOf(outcome, 'Nothing was changed'));
    refreshAll();
    if (outcome.kind !== 'answered') return;
    setMode('shown');
    announce(words);
  };
  const rename = async (event: SubmitEvent) => {
    event.preventDefault();
    const called = text.trim();
    settle(
      await ask('PUT /v1/watchlists/{watchlist}/contracts/{contract}', {
        ...{ path, ifMatch },
        body: called === '' ? {} : { name: called },
      }),
      called === '' ? 'The name is gone.' : `It is called “${called}” now.`,
    );
  };
  const remove = async () => {
    settle(
      await ask('DELETE /v1/watchlists/{watchlist}/contracts/{contract}', { path, ifMatch }),
      `${name} was removed.`,
    );
  };

  return (
    <li class="stack">
      <div class="row spread">
        <span class="who">
          <Avatar of={name} id={contract} />
          <span class="name">
            <a href={linkTo('collections', contract)}>{name}</a>
            {member.name !== undefined && <span class="quiet small address">{contract}</span>}
          </span>
        </span>
        <span class="row actions">
          {by === 'wallet' && <span class="state">of the wallet</span>}
          {mode === 'shown' && (
            <a
              class="button"
              href={linkTo('collections', contract, 'rules', list.id, 'new')}
              aria-label={`New rule on ${name}`}
            >
              New rule
            </a>
          )}
          {by !== 'wallet' && mode === 'shown' && (
            <>
              <button
                type="button"
                aria-label={`Rename ${name}`}
                onClick={() => setMode('renamed')}
              >
                Rename
              </button>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => setMode('removed')}
              >
                Remove
              </button>
            </>
          )}
        </span>
      </div>
      {mode === 'renamed' && (
        <form class="row" onSubmit={(event) => void rename(event)}>
          <NameField
            label="Name in messages; empty for that of the marketplace"
            value={text}
            onValue={setText}
          />
          <button type="submit" class="at-end">
            Save name
          </button>
          <button type="button" class="at-end plain" onClick={() => setMode('shown')}>
            Cancel
          </button>
        </form>
      )}
      {mode === 'removed' && (
        <div class="notice warning row spread" role="alert">
          <p>Rules of this list watch it no more, and its open episodes are closed.</p>
          <span class="row">
            <button type="button" onClick={() => void remove()}>
              Remove it
            </button>
            <button type="button" class="plain" onClick={() => setMode('shown')}>
              Keep it
            </button>
          </span>
        </div>
      )}
      <ProblemNotice problem={problem} />
    </li>
  );
}
