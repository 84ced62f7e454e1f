import { useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { goTo } from '#console/shell/place.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { counted } from './counted.ts';
import type { ReadList } from './list-page.tsx';

/** Deletes a list after a confirmation that states what will be lost. */
export function DeleteList({ list }: { readonly list: ReadList }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <section class="panel stack" aria-label="Delete">
      <h2>Delete</h2>
      {isAsked ? (
        <Confirmation list={list} onCancel={() => setAsked(false)} />
      ) : (
        <div class="row">
          <button type="button" class="danger" onClick={() => setAsked(true)}>
            Delete this list…
          </button>
        </div>
      )}
    </section>
  );
}

type ConfirmationProps = { readonly list: ReadList; readonly onCancel: () => void };

function Confirmation({ list, onCancel }: ConfirmationProps) {
  const { id, name, revision, contracts, rules, channels } = list;
  const [problem, setProblem] = useState<Problem>();
  const { answer } = useFollowed('GET /v1/episodes', {
    query: { watchlist: id, state: 'open', limit: '50' },
  });
  const open = answer?.episodes.length ?? 0;
  const more = answer?.cursor == null ? '' : ' or more';
  const remove = async () => {
    const outcome = await ask('DELETE /v1/watchlists/{watchlist}', {
      path: { watchlist: id },
      ifMatch: `"${revision}"`,
    });
    setProblem(problemOf(outcome, 'The list was not deleted'));
    refreshAll();
    if (outcome.kind !== 'answered') return;
    announce(`The list “${name}” was deleted.`);
    goTo('lists');
  };
  return (
    <div class="notice warning stack" role="alert">
      <p>
        This deletes <strong>“{name}”</strong> with {counted(contracts.length, 'collection')},{' '}
        {counted(rules.length, 'rule')} and {counted(channels.length, 'channel')}.
      </p>
      <ul class="losses">
        {open > 0 && (
          <li>
            {counted(open, 'open episode')}
            {more} will be closed. Channels are notified only for rules with “Notify on recovery”.
          </li>
        )}
        <li>The console will no longer show the alerts of this list.</li>
        <li>
          For 400 days, you can restore the list from its change history. Secrets of channels that
          belong to this list are lost, so you will have to enter them again.
        </li>
      </ul>
      <ProblemNotice problem={problem} />
      <div class="row">
        <button type="button" class="danger" onClick={() => void remove()}>
          Delete “{name}”
        </button>
        <button type="button" onClick={onCancel}>
          Keep it
        </button>
      </div>
    </div>
  );
}
