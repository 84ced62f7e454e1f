import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Alert } from './alert.ts';
import { momentFact } from './alert-words.ts';

/**
 * The alert that nobody has acknowledged an episode since it was reported, with the values of the
 * alert that did. Repetitions make the same alert.
 */
export function escalatedAlert(first: Alert, reportedAt: Instant, escalatedAt: Instant): Alert {
  const minutes = Math.floor((escalatedAt - reportedAt) / MINUTE);
  return {
    ...first,
    ...{ kind: 'escalated', late: false, at: formatInstant(escalatedAt) },
    // Of the first alert's: the number of an episode may be used again once a table is restored.
    id: `${first.id}-escalated`,
    title: `Not acknowledged for ${durationInWords(formatDuration(minutes * MINUTE))}: ${first.title}`,
    facts: [...momentFact('Reported', reportedAt), ...first.facts],
  };
}
