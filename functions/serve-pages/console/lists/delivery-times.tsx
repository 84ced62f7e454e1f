import { useState } from 'preact/hooks';
import { now } from '#console/interface/connection.ts';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { delay } from '#console/words/times.ts';

type Alert = Answer<'GET /v1/watchlists/{watchlist}/alerts'>['alerts'][number];

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;
/** The number of alerts that one request returns at most. */
const NEWEST = 100;

/**
 * Shows the median and the longest time from reading a price to sending its message in the last
 * week.
 */
export function DeliveryTimes({ watchlist }: { readonly watchlist: string }) {
  // Round to the minute, so that a page that is reopened within the minute repeats its request.
  const [from] = useState(() =>
    new Date(Math.floor((now() - WEEK) / MINUTE) * MINUTE).toISOString(),
  );
  const given = { path: { watchlist }, query: { from, limit: `${NEWEST}` } };
  const { answer } = useFollowed('GET /v1/watchlists/{watchlist}/alerts', given, MINUTE, watchlist);
  const times = (answer?.alerts ?? []).flatMap(timesOf).toSorted((a, b) => a.seconds - b.seconds);
  const [median, slowest] = [times[Math.floor((times.length - 1) / 2)], times.at(-1)];
  if (median === undefined || slowest === undefined) return null;
  return (
    <p class="small">
      <span class="quiet">From poll to message, last 7 days:</span> median{' '}
      <strong>{delay(median.seconds)}</strong>, slowest <strong>{delay(slowest.seconds)}</strong>{' '}
      <span class="quiet">
        ({slowest.channel}: {slowest.title})
        {answer?.cursor != null && `, newest ${NEWEST} alerts only`}
      </span>
    </p>
  );
}

/** The delay of each delivery. Test messages are excluded, because no price triggers them. */
function timesOf({ kind, title, deliveries }: Alert) {
  if (kind === 'test') return [];
  return Object.entries(deliveries).flatMap(([channel, { seconds }]) =>
    seconds === null ? [] : [{ channel, title, seconds }],
  );
}
