import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Alert } from './alert.ts';
import { momentFact } from './alert-words.ts';
import { type Newest, newestFacts } from './newest.ts';

/**
 * The alert about an episode that nobody acknowledged in time. It has the newest value, or the
 * value of the first alert if the newest is unknown.
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
    // The id is the first alert's id with a suffix, because an episode's number may be used again
    // after a restore.
    id: `${first.id}-escalated`,
    title: `Not acknowledged for ${durationInWords(formatDuration(minutes * MINUTE))}: ${news.title}`,
    facts: [
      ...momentFact('Reported', reportedAt),
      ...(newest === undefined ? [] : newestFacts(newest)),
      ...news.facts,
    ],
  };
}
