import { useEffect, useState } from 'preact/hooks';
import { now } from '#console/interface/connection.ts';
import { INTERVAL, useFollowed } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Pager } from '#console/shell/pager.tsx';
import { choices } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { type Action, actOn, type Report, reported } from './act-on-episodes.ts';
import { DownloadCsv } from './download-csv.tsx';
import type { Episode } from './episode.ts';
import { EpisodeCard, Snooze } from './episode-card.tsx';
import { askedBy, EpisodeFilters, filterOf, showAll } from './episode-filters.tsx';

/** What happened, episode by episode, the newest first. */
export function AlertsPage() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [report, setReport] = useState<Report>();
  // A span begins at a full minute, so that the same question is asked again.
  const [opened] = useState(() => Math.floor(now() / 60_000) * 60_000);
  const { cursor } = choices.value;
  const filter = filterOf(choices.value);
  const asked = askedBy(filter, opened);
  const query = { limit: '25', ...asked, ...(cursor === undefined ? {} : { cursor }) };
  const { answer, problem } = useFollowed(
    'GET /v1/episodes',
    { query },
    INTERVAL,
    JSON.stringify([filter, cursor]),
  );
  useEffect(() => setChosen(new Set()), [JSON.stringify(query)]);
  const episodes = answer?.episodes ?? [];
  const open = episodes.filter(({ state }) => state === 'open');
  const selected = open.filter(({ self }) => chosen.has(self));

  const act = async (on: readonly Episode[], action: Action) => {
    const result = await actOn(on, action);
    setReport(result.failed.length === 0 ? undefined : result);
    setChosen(new Set());
    announce(reported(result, action));
  };

  return (
    <>
      <div class="row spread">
        <h1>Alerts</h1>
        <DownloadCsv filter={asked} />
      </div>
      <EpisodeFilters filter={filter} />
      <ProblemNotice problem={problem} />
      {open.length > 1 && (
        <Selection
          open={open.length}
          selected={selected.length}
          onAll={(isAll) => setChosen(new Set(isAll ? open.map(({ self }) => self) : []))}
          onAct={(action) => void act(selected, action)}
        />
      )}
      <Failures report={report} onClose={() => setReport(undefined)} />
      {answer === undefined && problem === undefined && <Loading />}
      {answer !== undefined && episodes.length === 0 && (
        <Nothing isFiltered={Object.keys(asked).length > 0} isCut={answer.stoppedShort} />
      )}
      <ol class="stack" aria-label="Episodes">
        {episodes.map((episode) => (
          <EpisodeCard
            key={episode.self}
            episode={episode}
            isChosen={chosen.has(episode.self)}
            onChoose={(isChosen) => setChosen(withOrWithout(chosen, episode.self, isChosen))}
            onAct={(action) => void act([episode], action)}
          />
        ))}
      </ol>
      {answer !== undefined && answer.unreadable.length > 0 && (
        <p class="notice warning">
          {answer.unreadable.length} could not be read: another version of the stack has written it.
        </p>
      )}
      <Pager
        next={answer?.cursor}
        words={{
          first: 'Back to the newest',
          next: answer?.stoppedShort ? 'Search further back' : 'Older',
        }}
      />
    </>
  );
}

function withOrWithout(all: ReadonlySet<string>, one: string, isIn: boolean): ReadonlySet<string> {
  return new Set(isIn ? [...all, one] : [...all].filter((other) => other !== one));
}

type SelectionProps = {
  readonly open: number;
  readonly selected: number;
  readonly onAll: (isAll: boolean) => void;
  readonly onAct: (action: Action) => void;
};

/** Acts on several episodes at once. */
function Selection({ open, selected, onAll, onAct }: SelectionProps) {
  return (
    <fieldset class="row selection" aria-label="Selected episodes">
      <label class="check">
        <input
          type="checkbox"
          checked={selected === open}
          onChange={({ currentTarget }) => onAll(currentTarget.checked)}
        />
        {selected === 0 ? `Select all ${open} open` : `${selected} of ${open} selected`}
      </label>
      {selected > 0 && (
        <div class="row actions">
          <button type="button" onClick={() => onAct({ kind: 'acknowledge' })}>
            Acknowledge all
          </button>
          <Snooze onAct={onAct} />
        </div>
      )}
    </fieldset>
  );
}

type FailuresProps = { readonly report: Report | undefined; readonly onClose: () => void };

/** Which episodes an action has failed on, and why. */
function Failures({ report, onClose }: FailuresProps) {
  if (report === undefined) return null;
  return (
    <div class="notice bad stack" role="alert">
      <p>
        {report.done} done, {report.failed.length} failed:
      </p>
      <ul>
        {report.failed.map(({ title, reason }) => (
          <li key={title}>
            <strong>{title}</strong>: {reason}
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}

type NothingProps = {
  readonly isFiltered: boolean;
  /** Whether older episodes may be like that. */
  readonly isCut: boolean;
};

function Nothing({ isFiltered, isCut }: NothingProps) {
  if (!isFiltered) {
    return (
      <div class="panel empty">
        <p>
          Nothing has fired. An episode appears here as soon as a price crosses one of your lines.
        </p>
      </div>
    );
  }
  return (
    <div class="panel empty">
      <p>{isCut ? 'None of the last episodes is like that.' : 'No episode is like that.'}</p>
      <button type="button" onClick={showAll}>
        Show all
      </button>
    </div>
  );
}
