import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Report } from '#console/interface/act-on-each.ts';
import { clock, now } from '#console/interface/connection.ts';
import { INTERVAL, useFollowed } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Pager } from '#console/shell/pager.tsx';
import { choices } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';
import { count } from '#console/words/amounts.ts';
import { FailedActions } from '#console/words/failed-actions.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { calendarDay, dayInWords } from '#console/words/times.ts';
import { type Action, actOn, reported } from './act-on-episodes.ts';
import { DownloadCsv } from './download-csv.tsx';
import type { Episode } from './episode.ts';
import { Snooze } from './episode-card.tsx';
import { askedBy, EpisodeFilters, filterOf, showAll } from './episode-filters.tsx';
import { EpisodeRow } from './episode-row.tsx';
import { useRowShortcuts } from './use-row-shortcuts.ts';
import { ViewChips } from './view-chips.tsx';

/** The page of episodes, newest first. */
export function AlertsPage() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [report, setReport] = useState<Report>();
  // Round to the minute, so that a page that is reopened within the minute repeats its requests.
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

  const page = useRef<HTMLDivElement>(null);
  const keepFocus = useRowShortcuts(page);
  const byDay = Map.groupBy(episodes, ({ firedAt }) => calendarDay(firedAt));
  const firing = open.filter(({ acknowledged }) => acknowledged === null);

  const act = async (on: readonly Episode[], action: Action) => {
    keepFocus();
    const result = await actOn(on, action);
    setReport(result.failed.length === 0 ? undefined : result);
    setChosen(new Set());
    announce(reported(result, action));
  };

  return (
    <>
      <Title of="Alerts" firing={firing.length} />
      <div class="row spread">
        <h1>Alerts</h1>
        <DownloadCsv filter={asked} />
      </div>
      <ViewChips filter={filter} />
      <EpisodeFilters filter={filter} />
      <ProblemNotice problem={problem} />
      <div class="alerts" ref={page}>
        {open.length > 1 && (
          <Selection
            open={open.length}
            selected={selected.length}
            onAll={(isAll) => setChosen(new Set(isAll ? open.map(({ self }) => self) : []))}
            onAct={(action) => void act(selected, action)}
          />
        )}
        {report !== undefined && (
          <FailedActions report={report}>
            <div class="row">
              <button type="button" onClick={() => setReport(undefined)}>
                Close
              </button>
            </div>
          </FailedActions>
        )}
        {answer === undefined && problem === undefined && <Loading />}
        {answer !== undefined && episodes.length === 0 && (
          <Nothing isFiltered={Object.keys(asked).length > 0} isCut={answer.stoppedShort} />
        )}
        {[...byDay].map(([day, ofDay]) => (
          <Day key={day} day={day}>
            {ofDay.map((episode) => (
              <EpisodeRow
                key={episode.self}
                episode={episode}
                isShown={shown.has(episode.self)}
                onShow={(isShown) => setShown(withOrWithout(shown, episode.self, isShown))}
                isChosen={chosen.has(episode.self)}
                onChoose={(isChosen) => setChosen(withOrWithout(chosen, episode.self, isChosen))}
                onAct={(action) => void act([episode], action)}
              />
            ))}
          </Day>
        ))}
      </div>
      {answer !== undefined && answer.unreadable.length > 0 && (
        <p class="notice warning">
          {count(answer.unreadable.length, 'alert')} saved by another version of floorwatch cannot
          be read. Ask your operator to deploy that version.
        </p>
      )}
      <Pager
        next={answer?.cursor}
        words={{
          first: 'Back to the newest alerts',
          next: answer?.stoppedShort ? 'Search older alerts' : 'Older',
        }}
      />
    </>
  );
}

type DayProps = { readonly day: string; readonly children: ComponentChildren };

/** The episodes of one day below a heading. At midnight, "Today" becomes "Yesterday". */
function Day({ day, children }: DayProps) {
  const name = dayInWords(day, clock.value);
  return (
    <section class="day">
      <div class="line head">
        <h2>{name}</h2>
        <span aria-hidden="true">Value</span>
        <span aria-hidden="true">State</span>
        <span aria-hidden="true">Sent</span>
        <span aria-hidden="true">Duration</span>
      </div>
      <ol class="panel episodes" aria-label={`Episodes, ${name}`}>
        {children}
      </ol>
    </section>
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

function Selection({ open, selected, onAll, onAct }: SelectionProps) {
  return (
    <fieldset class="row selection" aria-label="Selected episodes">
      <label class="check">
        <input
          type="checkbox"
          checked={selected === open}
          onChange={({ currentTarget }) => onAll(currentTarget.checked)}
        />
        {selected === 0 ? `Select all ${open} open alerts` : `${selected} of ${open} selected`}
      </label>
      {selected > 0 && (
        <div class="row actions">
          <button
            type="button"
            data-do="acknowledge"
            onClick={() => onAct({ kind: 'acknowledge' })}
          >
            Acknowledge selected
          </button>
          <span class="row" data-do="snooze">
            <Snooze onAct={onAct} />
          </span>
        </div>
      )}
    </fieldset>
  );
}

type NothingProps = {
  readonly isFiltered: boolean;
  /** Whether older episodes have not been searched yet. */
  readonly isCut: boolean;
};

function Nothing({ isFiltered, isCut }: NothingProps) {
  if (!isFiltered) {
    return (
      <div class="panel empty">
        <p>No alerts yet. An alert appears here as soon as one of your rules fires.</p>
      </div>
    );
  }
  return (
    <div class="panel empty">
      <p>
        {isCut
          ? 'No matching alerts so far. Older alerts have not been searched yet.'
          : 'No matching alerts.'}
      </p>
      <button type="button" onClick={showAll}>
        Show all
      </button>
    </div>
  );
}
