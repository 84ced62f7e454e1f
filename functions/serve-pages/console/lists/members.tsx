import { useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { ask, type Outcome } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { Avatar } from '#console/words/avatar.tsx';
import { collectionName } from '#console/words/collection-name.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { isRatio } from '#shared/domain/market/derived-key.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { AddCollection } from './add-collection.tsx';
import { CompareCollections } from './compare-collections.tsx';
import type { ReadList } from './list-page.tsx';
import { holdingText, MemberForm } from './member-form.tsx';

/** The collections of a list, with controls to add, edit and remove them. */
export function Members({ list }: { readonly list: ReadList }) {
  return (
    <section class="panel stack" aria-label="Collections">
      <h2>Collections</h2>
      {list.contracts.length === 0 && (
        <p class="quiet">No collections yet. Add your first one below.</p>
      )}
      <ul class="member-list">
        {list.contracts.map((member) => (
          <MemberRow key={member.contract} list={list} member={member} />
        ))}
      </ul>
      <AddCollection watchlist={list.id} />
      <CompareCollections list={list} />
    </section>
  );
}

type MemberProps = {
  readonly list: ReadList;
  readonly member: ReadList['contracts'][number];
};

function MemberRow({ list, member }: MemberProps) {
  const { contract, by } = member;
  const name = collectionName(member, list.contracts);
  const isCompared = isRatio(contract);
  const [mode, setMode] = useState<'shown' | 'edited' | 'removed'>('shown');
  const [problem, setProblem] = useState<Problem>();
  const path = { watchlist: list.id, contract };
  const ifMatch = `"${list.revision}"`;

  const settle = (outcome: Outcome<unknown>, words: string) => {
    setProblem(problemOf(outcome, 'The list was not changed'));
    refreshAll();
    if (outcome.kind !== 'answered') return;
    setMode('shown');
    announce(words);
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
            {member.name !== undefined && (
              <span class={isCompared ? 'quiet small' : 'quiet small address'}>
                {isCompared ? collectionName({ contract }, list.contracts) : contract}
              </span>
            )}
            {holdingText(member) !== '' && <span class="small">{holdingText(member)}</span>}
          </span>
        </span>
        <span class="row actions">
          {by === 'wallet' && <span class="state">from the wallet</span>}
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
              <button type="button" aria-label={`Edit ${name}`} onClick={() => setMode('edited')}>
                Edit
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
      {mode === 'edited' && (
        <MemberForm
          {...{ list, member }}
          onSaved={(outcome) => settle(outcome, 'Saved.')}
          onCancel={() => setMode('shown')}
        />
      )}
      {mode === 'removed' && (
        <div class="notice warning row spread" role="alert">
          <p>
            The rules of this list will stop watching this collection. Open episodes of the
            collection will be closed.
          </p>
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
      {mode !== 'edited' && <ProblemNotice problem={problem} />}
    </li>
  );
}
