import { actorInWords } from '#shared/domain/access/actor.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Acknowledgement, EpisodeId } from './acknowledgement.ts';
import { type Alert, alertId } from './alert.ts';
import { fact, momentFact } from './alert-words.ts';
import { defang } from './defang.ts';

/**
 * Creates the alert about an acknowledgement, with the values of another alert of the episode. For
 * the same acknowledgement it always returns the same alert.
 */
export function acknowledgedAlert(acknowledgement: Acknowledgement, of: Alert): Alert {
  const { at, by, silences, note } = acknowledgement;
  const who = by === undefined ? [] : [defang(actorInWords(by))];
  return {
    ...of,
    ...{ kind: 'acknowledged', open: true, late: false },
    ...acknowledgedKey(acknowledgement, at),
    title: `Acknowledged: ${of.title}`,
    facts: [
      ...momentFact('Acknowledged', at, (moment) => [...who, moment].join(', ')),
      ...fact('Snoozed', silences === 'worsening' ? 'until the rule recovers' : undefined),
      ...fact('Note', note === undefined ? undefined : defang(note)),
    ],
  };
}

/** The key of the alert about an acknowledgement. */
function acknowledgedKey(
  episode: EpisodeId,
  at: Instant,
): Pick<Alert, 'tenant' | 'watchlist' | 'at' | 'id'> {
  const id = alertId(episode, episode.generation, `acknowledged-${at}`);
  return { tenant: episode.tenant, watchlist: episode.list, at: formatInstant(at), id };
}

/** An alert of an episode with the facts of its acknowledgement. */
export function withAcknowledgement(news: Alert, acknowledged: Alert): Alert {
  return { ...news, facts: [...acknowledged.facts, ...news.facts] };
}

/**
 * The message of an episode after an acknowledgement: the newest alert with the facts of the
 * acknowledgement.
 */
export function acknowledgedNews(acknowledged: Alert, newest: Alert): Alert {
  const { id, kind, at, open } = acknowledged;
  return { ...withAcknowledgement(newest, acknowledged), id, kind, at, open };
}
