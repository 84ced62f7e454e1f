import { useState } from 'preact/hooks';
import { OwnChannels } from '#console/channels/own-channels.tsx';
import { problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { saveFile } from '#console/interface/save-file.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { Changes } from './changes.tsx';
import { counted } from './counted.ts';
import { DeleteList } from './delete-list.tsx';
import { DeliveryTimes } from './delivery-times.tsx';
import { ListSettings } from './list-settings.tsx';
import { ListValue } from './list-value.tsx';
import { namesIn } from './lists-page.tsx';
import { Members } from './members.tsx';

export type ReadList = Answer<'GET /v1/watchlists/{watchlist}'>;

/** The page of a list: its collections, channels, settings and change history. */
export function ListPage({ id }: { readonly id: string }) {
  const { answer: list, problem } = useFollowed('GET /v1/watchlists/{watchlist}', {
    path: { watchlist: id },
  });
  const isGone = problem?.status === 404;
  if (list === undefined && !isGone) {
    return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  }
  if (list === undefined || isGone) {
    return (
      <>
        <Title of={id} />
        <h1>{id}</h1>
        <p class="notice">
          {list === undefined ? `There is no list “${id}”.` : 'This list no longer exists.'} To get
          a deleted list back, restore an earlier version below, and then enter the secrets of its
          channels again.
        </p>
        <Changes watchlist={id} names={new Map()} />
      </>
    );
  }
  const { contracts, rules, channels } = list;
  return (
    <>
      <Title of={list.name} />
      <div class="row spread">
        <div>
          <p class="small">
            <a href={linkTo('lists')}>All lists</a>
          </p>
          <h1>{list.name}</h1>
          <p class="quiet small">
            {counted(contracts.length, 'collection')} · {counted(rules.length, 'rule')} ·{' '}
            {counted(channels.length, 'channel')} · revision {list.revision}
            {list.pendingChanges > 0 &&
              ` · applying changes: ${counted(list.pendingChanges, 'collection')} left`}
          </p>
        </div>
        <ExportList id={id} />
      </div>
      {list.undeliverable && (
        <p class="notice warning">
          None of this list’s channels works, so nobody gets its alerts.{' '}
          <a href={linkTo('channels')}>Check the channels</a>
        </p>
      )}
      <DeliveryTimes watchlist={id} />
      <div class="columns">
        <div class="stack">
          <ListValue list={list} />
          <Members list={list} />
          <ListSettings list={list} />
          <OwnChannels list={list} title="Channels for this list only" warns={false} />
          <DeleteList list={list} />
        </div>
        <Changes watchlist={id} names={namesIn([list])} />
      </div>
    </>
  );
}

/** Saves the list as a file that this or another stack can import. */
function ExportList({ id }: { readonly id: string }) {
  const [problem, setProblem] = useState<Problem>();
  const save = async () => {
    const outcome = await ask('GET /v1/watchlists/{watchlist}/export', { path: { watchlist: id } });
    setProblem(problemOf(outcome, 'The list was not exported'));
    if (outcome.kind !== 'answered') return;
    const text = `${JSON.stringify(outcome.answer, undefined, 2)}\n`;
    saveFile(`${id}.json`, 'application/json', text);
    announce(`The list was exported to ${id}.json, without the secrets of its channels.`);
  };
  return (
    <div class="stack">
      <button type="button" onClick={() => void save()}>
        Export
      </button>
      <ProblemNotice problem={problem} />
    </div>
  );
}
