import { useState } from 'preact/hooks';
import { linkTo } from '#console/shell/place.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { moment, spanInWords } from '#console/words/times.ts';
import { SNOOZE_CHOICES, snoozeInWords } from '#shared/domain/alerting/snooze-choice.ts';
import type { Action } from './act-on-episodes.ts';
import { DeliveryTicks } from './deliveries.tsx';
import { type Episode, newestOf } from './episode.ts';
import { Timeline } from './timeline.tsx';

/** The details of an episode: its facts, its timeline, and the deliveries of its newest alert. */
export function EpisodeDetails({ episode }: { readonly episode: Episode }) {
  const { state, watchlist, rule, contract, severity, firedAt, endedAt } = episode;
  const newest = newestOf(episode);
  return (
    <>
      <p class="quiet small facts">
        <span class={`severity ${severity}`}>{severity}</span>
        <span>
          list <a href={linkTo('lists', watchlist)}>{watchlist}</a>
        </span>
        {contract !== null && (
          <a href={linkTo('collections', contract)}>
            {collectionName({ contract, name: episode.name })}
          </a>
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
          {state === 'open' && 'since '}
          {moment(firedAt)}
          {endedAt !== null && ` to ${moment(endedAt)}`}
          {endedAt !== null && episode.duration !== null && ` (${spanInWords(episode.duration)})`}
        </span>
      </p>
      <Timeline episode={episode} />
      {newest !== undefined && <DeliveryTicks deliveries={newest.deliveries} />}
    </>
  );
}

type SnoozeProps = { readonly onAct: (action: Action) => void };

/** A button that opens the choice of snooze durations. */
export function Snooze({ onAct }: SnoozeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Snooze
      </button>
      {isOpen &&
        SNOOZE_CHOICES.map((choice) => (
          <button
            key={choice}
            type="button"
            onClick={() => {
              setOpen(false);
              onAct({ kind: 'snooze', choice });
            }}
          >
            {snoozeInWords(choice)}
          </button>
        ))}
    </>
  );
}
