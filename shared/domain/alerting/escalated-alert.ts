import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Alert } from './alert.ts';
import { momentFact } from './alert-words.ts';
import { type Newest, newestFacts } from './newest.ts';

/**
 * The alert that nobody has acknowledged an episode since it was reported: with the newest value, or
 * with that of the first alert while the newest is not known.
 */
export function escalatedAlert(
  first: Alert,
  newest: Newest | undefined,
  reportedAt: Instant,
  escalatedAt: Instant,
): Alert {
  const minutes = Math.floor((escalatedAt - reportedAt) / MINUTE);
  const news = newest?.alert ?? first;
  return {
    ...news,
    ...{ kind: 'escalated', late: false, at: formatInstant(escalatedAt) },
    threshold: first.threshold,
    // Of the first alert's: the number of an episode may be used again once a table is restored.
    id: `${first.id}-escalated`,
    title: `Not acknowledged for ${durationInWords(formatDuration(minutes * MINUTE))}: ${news.title}`,
    facts: [
      ...momentFact('Reported', reportedAt),
      ...(newest === undefined ? [] : newestFacts(newest)),
      ...news.facts,
    ],
  };
}
