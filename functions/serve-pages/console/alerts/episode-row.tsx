import { useState } from 'preact/hooks';
import { clock } from '#console/interface/connection.ts';
import { amount } from '#console/words/amounts.ts';
import { moment, span, spanInWords, timeOfDay } from '#console/words/times.ts';
import type { Action } from './act-on-episodes.ts';
import { DeliveriesInShort } from './deliveries.tsx';
import { type Episode, newestOf } from './episode.ts';
import { EpisodeDetails, Snooze } from './episode-card.tsx';
import { type Mute, splitMutes, WiderMute } from './wider-mute.tsx';

type RowProps = {
  readonly episode: Episode;
  readonly isShown: boolean;
  readonly onShow: (isShown: boolean) => void;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onAct: (action: Action) => void;
};

/** An episode in one line, or in two on a phone. Its title opens the details. */
export function EpisodeRow(props: RowProps) {
  const { episode, isShown, onShow, isChosen, onChoose, onAct } = props;
  const { severity, firedAt, title, value, unit } = episode;
  const newest = newestOf(episode);
  const isOpen = episode.state === 'open';
  /** Wider mutes that still hold the episode's alerts after its snooze has ended. */
  const [wider, setWider] = useState<readonly Mute[]>([]);
  const [longest, ...shorter] = wider;
  const wake = () => {
    const mutes = splitMutes(episode.mutes);
    if (mutes.narrow.length > 0) onAct({ kind: 'wake' });
    setWider(mutes.wider);
  };
  return (
    <li class={`episode ${severity} ${isShown ? 'unfolded' : ''}`} data-row={episode.self}>
      <div class="line">
        {isOpen ? (
          <label class="pick">
            <input
              type="checkbox"
              aria-label={`Select “${title}”`}
              checked={isChosen}
              onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
            />
          </label>
        ) : (
          <span class="pick" />
        )}
        <time class="quiet small" dateTime={firedAt} title={moment(firedAt)}>
          {timeOfDay(firedAt)}
        </time>
        <SeverityMark severity={severity} />
        <h3>
          <button type="button" aria-expanded={isShown} onClick={() => onShow(!isShown)}>
            <span class="title">{title}</span>
          </button>
        </h3>
        <span class="value">{value !== null && unit !== null && amount(value, unit)}</span>
        <EpisodeState episode={episode} />
        {newest !== undefined && <DeliveriesInShort deliveries={newest.deliveries} />}
        <span class="quiet small lasted">
          <Lasted episode={episode} />
        </span>
        <div class="row actions">
          {isOpen && episode.acknowledged === null && (
            <button
              type="button"
              data-do="acknowledge"
              onClick={() => onAct({ kind: 'acknowledge' })}
            >
              Acknowledge
            </button>
          )}
          {isOpen && episode.mutes.length === 0 && (
            <span class="row" data-do="snooze">
              <Snooze onAct={onAct} />
            </span>
          )}
          {isOpen && episode.mutes.length > 0 && (
            <button type="button" onClick={wake}>
              End snooze
            </button>
          )}
        </div>
      </div>
      {isOpen && episode.mutes.length > 0 && longest !== undefined && (
        <div class="details">
          <WiderMute
            watchlist={episode.watchlist}
            mute={longest}
            onEnd={() => {
              onAct({ kind: 'unmute', mute: longest });
              setWider(shorter);
            }}
            onKeep={() => setWider([])}
          />
        </div>
      )}
      {isShown && (
        <div class="stack details">
          <EpisodeDetails episode={episode} />
        </div>
      )}
    </li>
  );
}

/** A shape for each severity, because not everybody can distinguish the colours. */
const MARKS = { critical: '▲', warning: '◆', info: '●' } as const;

function SeverityMark({ severity }: Pick<Episode, 'severity'>) {
  return (
    <span class={`severity ${severity}`} title={severity}>
      <span aria-hidden="true">{MARKS[severity]}</span>
      <span class="unseen">{severity}</span>
    </span>
  );
}

function EpisodeState({ episode: { state, acknowledged, mutes } }: Pick<RowProps, 'episode'>) {
  const isAcknowledged = acknowledged !== null;
  return (
    <span class="states">
      {state === 'over' && <span class="state ok">Ended</span>}
      {state === 'open' && (
        <span class={isAcknowledged ? 'state acknowledged' : 'state firing'}>
          {isAcknowledged ? 'Acknowledged' : 'Firing'}
        </span>
      )}
      {state === 'open' && mutes.length > 0 && <span class="state">Muted</span>}
    </span>
  );
}

/** The duration of an episode, updated while the episode is open. */
function Lasted({ episode }: Pick<RowProps, 'episode'>) {
  const { state, firedAt, duration } = episode;
  if (state === 'over') return <>{duration !== null && spanInWords(duration)}</>;
  return <>{span(clock.value - Date.parse(firedAt))}</>;
}
