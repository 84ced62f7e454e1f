import { useState } from 'preact/hooks';
import { useFollowed } from '#console/interface/follow.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { EpisodeCard } from './episode-card.tsx';

const STATES = [
  { words: 'Open and over', state: undefined },
  { words: 'Only open', state: 'open' },
  { words: 'Only over', state: 'over' },
] as const;
const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** What happened, episode by episode, the newest first. */
export function AlertsPage() {
  const [state, setState] = useState<(typeof STATES)[number]['state']>();
  const [severity, setSeverity] = useState<(typeof SEVERITIES)[number]>();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { answer, problem } = useFollowed('GET /v1/episodes', {
    query: {
      limit: '25',
      ...(state === undefined ? {} : { state }),
      ...(severity === undefined ? {} : { severity }),
      ...(cursor === undefined ? {} : { cursor }),
    },
  });
  return (
    <>
      <h1>Alerts</h1>
      <div class="row tools">
        <label class="field">
          <span class="unseen">State</span>
          <select
            value={state ?? ''}
            onChange={({ currentTarget }) => {
              setCursors([]);
              setState(STATES.find((one) => one.state === currentTarget.value)?.state);
            }}
          >
            {STATES.map((one) => (
              <option key={one.words} value={one.state ?? ''}>
                {one.words}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="unseen">Severity</span>
          <select
            value={severity ?? ''}
            onChange={({ currentTarget }) => {
              setCursors([]);
              setSeverity(SEVERITIES.find((one) => one === currentTarget.value));
            }}
          >
            <option value="">Every severity</option>
            {SEVERITIES.map((one) => (
              <option key={one} value={one}>
                Only {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ProblemNotice problem={problem} />
      {answer === undefined && problem === undefined && <Loading />}
      {answer?.episodes.length === 0 && (
        <div class="panel empty">
          <p>
            Nothing has fired. An episode appears here as soon as a price crosses one of your lines.
          </p>
        </div>
      )}
      <ol class="stack" aria-label="Episodes">
        {answer?.episodes.map((episode) => (
          <EpisodeCard key={episode.self} episode={episode} />
        ))}
      </ol>
      <div class="row">
        {cursors.length > 0 && (
          <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {answer?.cursor != null && (
          <button type="button" onClick={() => setCursors([...cursors, answer.cursor ?? ''])}>
            Older
          </button>
        )}
      </div>
    </>
  );
}
