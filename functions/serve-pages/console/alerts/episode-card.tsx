import { useState } from 'preact/hooks';
import { linkTo } from '#console/shell/place.ts';
import { moment, spanOf } from '#console/words/times.ts';
import { type Action, SNOOZES } from './act-on-episodes.ts';
import { DeliveryTicks } from './deliveries.tsx';
import { type Episode, newestOf } from './episode.ts';
import { Timeline } from './timeline.tsx';

type CardProps = {
  readonly episode: Episode;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onAct: (action: Action) => void;
};

/** An episode: its newest message, its timeline, who got it, and what a person can do. */
export function EpisodeCard({ episode, isChosen, onChoose, onAct }: CardProps) {
  const { state, watchlist, rule, contract, severity, firedAt, endedAt } = episode;
  const newest = newestOf(episode);
  const isOpen = state === 'open';
  return (
    <li class={`panel stack episode ${severity}`}>
      <div class="row spread top-line">
        <div class="title">
          {isOpen && (
            <input
              type="checkbox"
              aria-label={`Select “${episode.title}”`}
              checked={isChosen}
              onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
            />
          )}
          <h2>{episode.title}</h2>
        </div>
        <EpisodeState episode={episode} />
      </div>
      <p class="quiet small facts">
        <span class={`severity ${severity}`}>{severity}</span>
        <span>
          list <a href={linkTo('lists', watchlist)}>{watchlist}</a>
        </span>
        {contract !== null && (
          <a href={linkTo('collections', contract)}>{episode.name ?? contract}</a>
        )}
        {contract !== null && rule !== null && (
          <span>
            rule{' '}
            <a href={linkTo('collections', contract, 'rules', watchlist, rule)}>
              {episode.label ?? rule}
            </a>
          </span>
        )}
        <span>
          {isOpen && 'since '}
          {moment(firedAt)}
          {endedAt !== null && ` to ${moment(endedAt)}`}
          {endedAt !== null && episode.duration !== null && ` (${spanOf(episode.duration)})`}
        </span>
      </p>
      <Timeline episode={episode} />
      {newest !== undefined && <DeliveryTicks deliveries={newest.deliveries} />}
      {isOpen && (
        <div class="row actions">
          {episode.acknowledged === null && (
            <button type="button" onClick={() => onAct({ kind: 'acknowledge' })}>
              Acknowledge
            </button>
          )}
          {episode.mutes.length === 0 ? (
            <Snooze onAct={onAct} />
          ) : (
            <button type="button" onClick={() => onAct({ kind: 'wake' })}>
              End snooze
            </button>
          )}
        </div>
      )}
    </li>
  );
}

/** A choice of spans, shown on a press. */
export function Snooze({ onAct }: Pick<CardProps, 'onAct'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Snooze
      </button>
      {isOpen &&
        SNOOZES.map(({ span, words }) => (
          <button
            key={span}
            type="button"
            onClick={() => {
              setOpen(false);
              onAct({ kind: 'snooze', span });
            }}
          >
            for {words}
          </button>
        ))}
    </>
  );
}

function EpisodeState({ episode: { state, acknowledged, mutes } }: Pick<CardProps, 'episode'>) {
  if (state === 'over') return <span class="state ok">Over</span>;
  return (
    <span class="row">
      {mutes.length > 0 && <span class="state">Muted</span>}
      <span class={acknowledged === null ? 'state firing' : 'state acknowledged'}>
        {acknowledged === null ? 'Firing' : 'Acknowledged'}
      </span>
    </span>
  );
}
