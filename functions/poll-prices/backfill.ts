import { contractOf } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { OPERATIONS } from '#shared/domain/market/operations.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { FloorQuery } from '#shared/domain/market/upstream.ts';
import {
  type BackfillTask,
  backfillTask,
  type Filling,
} from '#shared/domain/polling/backfill-state.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import {
  floorPrices,
  intervalsFor,
  longer,
  type PricePage,
} from '#shared/domain/polling/floor-pages.ts';
import { callOnce } from '#shared/use-cases/rate-limited-call.ts';
import { reportSkipped } from './ask-series.ts';
import type { PollPricesPorts } from './ports.ts';
import { hasTimeFor } from './time-to-stop.ts';

/**
 * Maximum number of pages in one poll. A month of hourly floors takes eight pages, and the older
 * daily floors take one.
 */
const MOST_PAGES = 12;

/**
 * Records the floors of a contract as far back as its windows need. It starts with the page that
 * was just received, or where an earlier poll stopped. Returns its progress; undefined if there is
 * nothing to do. These prices are never evaluated.
 */
export async function backfill(
  ports: PollPricesPorts,
  record: ContractRecord,
  first: PricePage,
  signal: AbortSignal,
): Promise<Filling | undefined> {
  const { contract, past } = record;
  const task = backfillTask(past, newestOf(record, 'floor'), first);
  if (task === undefined) return undefined;
  const { window, next } = task;
  const found = new Map<Instant, PricePoint>();
  let pages = 0;
  let page = next === undefined ? first : await ask(ports, contract, next, signal);
  let query = next;
  while (page !== 'later' && page !== 'lost') {
    // If two points have the same time, keep the first: hourly pages are read before daily ones.
    for (const point of page.points) if (!found.has(point.time)) found.set(point.time, point);
    pages += 1;
    const isReached = [...found.keys()].some((time) => time <= task.start);
    query = isReached ? undefined : following(page, task, first);
    if (query === undefined) break;
    const isTimeLeft = pages < MOST_PAGES && hasTimeFor(ports.now(), ports);
    page = isTimeLeft ? await ask(ports, contract, query, signal) : 'later';
  }
  await ports.fillHistory(contract, [...found.values()]);
  const oldest = Math.min(...found.keys());
  const isDone = query === undefined;
  const isAllThereIs = isDone && oldest > task.start;
  return {
    window,
    isDone,
    since: isAllThereIs ? undefined : oldest,
    newest: next === undefined ? Math.max(...found.keys()) : (past?.since ?? oldest),
    ...(query === undefined || page === 'lost' ? {} : { next: query }),
  };
}

/**
 * The query for the next page of the interval, or for the first page of the next longer interval.
 */
function following(
  { next }: PricePage,
  { start }: BackfillTask,
  first: PricePage,
): FloorQuery | undefined {
  if (next === undefined) return undefined;
  const { interval, cursor } = next;
  if (cursor !== undefined) return { interval, cursor };
  const span = (first.next?.askedAt ?? next.askedAt) - start;
  const further = intervalsFor(span).find((other) => longer(interval, other) !== interval);
  return further === undefined ? undefined : { interval: further };
}

/**
 * A page of past floors. `later`: it cannot be requested now. `lost`: the provider no longer
 * accepts the cursor, so the back-fill starts again. An empty page ends its interval.
 */
async function ask(
  ports: PollPricesPorts,
  contract: ContractRecord['contract'],
  query: FloorQuery,
  signal: AbortSignal,
): Promise<PricePage | 'later' | 'lost'> {
  const made = await callOnce(
    ports,
    OPERATIONS.floor.calls,
    () => ports.upstream.floorHistory(contractOf(contract), query, signal),
    signal,
    (callAt) => hasTimeFor(callAt, ports),
  );
  if (made.call === undefined) return 'later';
  const { askedAt, outcome, skipped } = made;
  reportSkipped(ports.report, { contract, series: 'floor', provider: ports.provider, skipped });
  if (outcome.kind === 'ok') return floorPrices(outcome.value, query.interval, askedAt);
  const { interval } = query;
  if (outcome.kind === 'empty') return { points: [], next: { askedAt, interval } };
  return outcome.kind === 'failed' && outcome.reason === 'bad_request' ? 'lost' : 'later';
}
