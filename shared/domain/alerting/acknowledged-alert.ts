import { actorInWords } from '#shared/domain/access/actor.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Acknowledgement, EpisodeId } from './acknowledgement.ts';
import { type Alert, alertId } from './alert.ts';
import { fact, momentFact } from './alert-words.ts';
import { inert } from './inert-text.ts';

/**
 * The alert that somebody takes care of an episode, with the values of another of its alerts.
 * Repetitions make the same alert; a changed acknowledgement makes one of its own.
 */
export function acknowledgedAlert(acknowledgement: Acknowledgement, of: Alert): Alert {
  const { at, by, silences, note } = acknowledgement;
  const who = by === undefined ? [] : [inert(actorInWords(by))];
  return {
    ...of,
    ...{ kind: 'acknowledged', open: true, late: false },
    ...acknowledgedKey(acknowledgement, at),
    title: `Acknowledged: ${of.title}`,
    facts: [
      ...momentFact('Acknowledged', at, (moment) => [...who, moment].join(', ')),
      ...fact('Snoozed', silences === 'worsening' ? 'until it recovers' : undefined),
      ...fact('Note', note === undefined ? undefined : inert(note)),
    ],
  };
}

/** The key of the alert of an acknowledgement. */
function acknowledgedKey(
  episode: EpisodeId,
  at: Instant,
): Pick<Alert, 'tenant' | 'watchlist' | 'at' | 'id'> {
  const id = alertId(episode, episode.generation, `acknowledged-${at}`);
  return { tenant: episode.tenant, watchlist: episode.list, at: formatInstant(at), id };
}

/** News of an episode that say who takes care of it. */
export function withAcknowledgement(news: Alert, acknowledged: Alert): Alert {
  return { ...news, facts: [...acknowledged.facts, ...news.facts] };
}

/** An acknowledgement as the message of its episode shows it: beside the newest news. */
export function acknowledgedNews(acknowledged: Alert, newest: Alert): Alert {
  const { id, kind, at, open } = acknowledged;
  return { ...withAcknowledgement(newest, acknowledged), id, kind, at, open };
}
