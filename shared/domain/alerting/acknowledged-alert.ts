import { actorInWords } from '#shared/domain/access/actor.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import type { Acknowledgement } from './acknowledgement.ts';
import { type Alert, alertId } from './alert.ts';
import { fact, momentFact } from './alert-words.ts';
import { inert } from './inert-text.ts';

/**
 * The alert that somebody takes care of an episode, with the values of another of its alerts.
 * Repetitions make the same alert; a changed acknowledgement makes one of its own.
 */
export function acknowledgedAlert(acknowledgement: Acknowledgement, of: Alert): Alert {
  const { generation, at, by, silences, note } = acknowledgement;
  const who = by === undefined ? [] : [inert(actorInWords(by))];
  return {
    ...of,
    ...{ kind: 'acknowledged', open: true, late: false, at: formatInstant(at) },
    id: alertId(acknowledgement, generation, `acknowledged-${at}`),
    title: `Acknowledged: ${of.title}`,
    facts: [
      ...momentFact('Acknowledged', at, (moment) => [...who, moment].join(', ')),
      ...fact('Snoozed', silences === 'worsening' ? 'until it recovers' : undefined),
      ...fact('Note', note === undefined ? undefined : inert(note)),
    ],
  };
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
