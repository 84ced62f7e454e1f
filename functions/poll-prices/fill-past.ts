import { contractOf } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { OPERATIONS } from '#shared/domain/market/operations.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { FloorQuery } from '#shared/domain/market/upstream.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import {
  floorPrices,
  intervalsFor,
  longer,
  type PricePage,
} from '#shared/domain/polling/floor-pages.ts';
import { type Filling, type PastTask, pastTask } from '#shared/domain/polling/past.ts';
import { callOnce } from '#shared/use-cases/governed-call.ts';
import { reportSkipped } from './ask-part.ts';
import type { PollPricesPorts } from './ports.ts';
import { hasTimeFor } from './time-to-stop.ts';

/** Pages of one poll. A month of hourly floors is eight pages, and the days before it are one. */
const MOST_PAGES = 12;

/**
 * Records the floors of a contract as far back as its windows look. It starts with the page just
 * received, or where an earlier poll stopped. Returns its progress; undefined if there is nothing
 * to do. Prices recorded here are never evaluated.
 */
export async function fillPast(
  ports: PollPricesPorts,
  record: ContractRecord,
  first: PricePage,
  signal: AbortSignal,
): Promise<Filling | undefined> {
  const { contract, past } = record;
  const task = pastTask(past, newestOf(record, 'floor'), first);
  if (task === undefined) return undefined;
  const { window, next } = task;
  const found = new Map<Instant, PricePoint>();
  let pages = 0;
  let page = next === undefined ? first : await ask(ports, contract, next, signal);
  let query = next;
  while (page !== 'later' && page !== 'lost') {
    // At equal times the first point counts: hourly pages come before daily ones.
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

/** The query for the next page: of the same interval, or the first of the next longer one. */
function following(
  { next }: PricePage,
  { start }: PastTask,
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
 * A page of the past; `later` if it cannot be asked for now. An empty page ends its interval.
 * `lost` means that the provider no longer accepts the cursor, and the past is fetched again from
 * the start.
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
    (slot) => hasTimeFor(slot, ports),
  );
  if (made.call === undefined) return 'later';
  const { askedAt, outcome, skipped } = made;
  reportSkipped(ports.report, { contract, part: 'floor', provider: ports.provider, skipped });
  if (outcome.kind === 'ok') return floorPrices(outcome.value, query.interval, askedAt);
  const { interval } = query;
  if (outcome.kind === 'empty') return { points: [], next: { askedAt, interval } };
  return outcome.kind === 'failed' && outcome.reason === 'bad_request' ? 'lost' : 'later';
}
