import { ask } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { amount } from '#console/words/amounts.ts';
import { moment } from '#console/words/times.ts';

export type Episode = Answer<'GET /v1/episodes'>['episodes'][number];
type Entry = Episode['timeline'][number];

/** An episode: its newest message, its timeline, who got it, and what a person can do. */
export function EpisodeCard({ episode }: { readonly episode: Episode }) {
  const { state, timeline, watchlist, rule, contract, acknowledged, severity, unit } = episode;
  const newestFirst = timeline.toReversed();
  const newest = newestFirst.find(({ kind }) => kind !== 'acknowledged');
  const isOpen = state === 'open';
  return (
    <li class="panel stack episode">
      <div class="row spread">
        <h2>{episode.title}</h2>
        {isOpen ? (
          <span class={acknowledged === null ? 'state firing' : 'state acknowledged'}>
            {acknowledged === null ? 'Firing' : 'Acknowledged'}
          </span>
        ) : (
          <span class="state ok">Over</span>
        )}
      </div>
      <p class="quiet small">
        {severity} · list {watchlist}
        {contract !== null && (
          <>
            {' · '}
            <a href={linkTo('collections', contract)}>{episode.name ?? contract}</a>
          </>
        )}
      </p>
      {acknowledged !== null && (
        <p class="small">
          Acknowledged {moment(acknowledged.at)}
          {acknowledged.note !== null && `: ${acknowledged.note}`}
        </p>
      )}
      <Timeline entries={newestFirst.slice(0, SHOWN)} unit={unit} />
      {newestFirst.length > SHOWN && (
        <details>
          <summary>{newestFirst.length - SHOWN} earlier</summary>
          <Timeline entries={newestFirst.slice(SHOWN)} unit={unit} />
        </details>
      )}
      {newest !== undefined && <Deliveries entry={newest} />}
      {isOpen && newest !== undefined && (
        <div class="row actions">
          {acknowledged === null && (
            <button type="button" onClick={() => void acknowledge(watchlist, newest)}>
              Acknowledge
            </button>
          )}
          {rule !== null && (
            <button type="button" onClick={() => void snooze(watchlist, rule)}>
              Snooze 1 h
            </button>
          )}
        </div>
      )}
    </li>
  );
}

/** An episode with reminders may have many messages. */
const SHOWN = 4;

type TimelineProps = { readonly entries: readonly Entry[]; readonly unit: Episode['unit'] };

function Timeline({ entries, unit }: TimelineProps) {
  return (
    <ol class="timeline">
      {entries.map(({ alert, kind, at, value }) => (
        <li key={alert}>
          <span class="quiet small">{moment(at)}</span> {KINDS[kind]}
          {value !== null && unit !== null && <span class="quiet"> at {amount(value, unit)}</span>}
        </li>
      ))}
    </ol>
  );
}

const KINDS: Readonly<Record<Entry['kind'], string>> = {
  fired: 'Fired',
  worsened: 'Worsened',
  reminder: 'Reminder',
  recovered: 'Resolved',
  closed: 'Closed',
  expired: 'Expired',
  stale: 'No data',
  fresh: 'Data again',
  acknowledged: 'Acknowledged',
  escalated: 'Escalated',
  summary: 'Summary of what was held back',
  channel_off: 'A channel is off',
  test: 'Test',
  members: 'The collections of the list changed',
  report: 'Report of the list',
};

const DELIVERY_STATES = {
  pending: { look: '', mark: '…', word: 'waits' },
  accepted: { look: 'ok', mark: '✓', word: 'handed over' },
  sent: { look: 'ok', mark: '✓', word: 'delivered' },
  skipped: { look: '', mark: '–', word: 'skipped' },
  failed: { look: 'failed', mark: '✕', word: 'failed' },
} as const;

/** Who got the newest message; why somebody did not. */
function Deliveries({ entry }: { readonly entry: Entry }) {
  const deliveries = Object.entries(entry.deliveries);
  if (deliveries.length === 0) return <p class="quiet small">The list has no channels.</p>;
  return (
    <ul class="row deliveries" aria-label="Deliveries">
      {deliveries.map(([channel, { state, reason }]) => {
        const { look, mark, word } = DELIVERY_STATES[state];
        return (
          <li key={channel} class={`delivery ${look}`}>
            <span aria-hidden="true">{mark}</span> {channel} <span class="unseen">{word}</span>
            {reason !== null && <span class="small">: {reason}</span>}
          </li>
        );
      })}
    </ul>
  );
}

async function acknowledge(watchlist: string, { alert: path }: Entry): Promise<void> {
  const outcome = await ask('POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge', {
    path: { watchlist, alert: decodeURIComponent(path.split('/').at(-1) ?? '') },
    body: {},
  });
  if (outcome.kind === 'answered') announce('Acknowledged: no more reminders of this episode.');
  if (outcome.kind === 'refused') announce(outcome.problem.detail);
  refreshAll();
}

async function snooze(watchlist: string, rule: string): Promise<void> {
  const outcome = await ask('POST /v1/watchlists/{watchlist}/mutes', {
    path: { watchlist },
    body: { rule, for: '1h' },
  });
  if (outcome.kind === 'answered') announce(`Snoozed until ${moment(outcome.answer.until)}.`);
  if (outcome.kind === 'refused') announce(outcome.problem.detail);
  refreshAll();
}
