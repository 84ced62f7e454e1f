import { contractOf } from '#shared/domain/market/contract.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { FloorQuery } from '#shared/domain/market/upstream.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import {
  floorPrices,
  intervalsFor,
  longer,
  type PricePage,
} from '#shared/domain/polling/floor-pages.ts';
import { callInSlot } from '#shared/domain/polling/governed-call.ts';
import type { RunContractsPorts } from './ports.ts';

/** A month of hours is eight pages, and one of days behind it. */
const MOST_PAGES = 12;
/** With less time left the past is fetched by the next poll. */
const TIME_TO_STOP = 14 * SECOND;

/**
 * Records the floors of a contract as far back as its windows look, beginning with a page that was
 * just told. Tells whether all of it is there; what is recorded here is never judged.
 */
export async function fillPast(
  ports: RunContractsPorts,
  { contract, past }: ContractRecord,
  first: PricePage,
  signal: AbortSignal,
): Promise<boolean> {
  if (past?.wanted === undefined || first.next === undefined) return false;
  const start = first.next.askedAt - past.wanted;
  const found = new Map<Instant, PricePoint>();
  let pages = 0;
  let page: PricePage | undefined = first;
  let query: FloorQuery | undefined;
  while (page !== undefined) {
    // Of one time what was told first counts: hours come before days.
    for (const point of page.points) if (!found.has(point.time)) found.set(point.time, point);
    pages += 1;
    const reaches = [...found.keys()].some((time) => time <= start);
    query = reaches ? undefined : following(page, past.wanted);
    const isTimeLeft = pages < MOST_PAGES && ports.remainingTime() > TIME_TO_STOP;
    page = query && isTimeLeft ? await ask(ports, contract, query, signal) : undefined;
  }
  await ports.recordHistory(contract, 'floor', [...found.values()]);
  // A page that did not come is asked for again, with those before it, by the next poll.
  return query === undefined;
}

/** The page behind a page: of its interval, or the first of the next longer one. */
function following({ next }: PricePage, window: number): FloorQuery | undefined {
  if (next === undefined) return undefined;
  const { interval, cursor } = next;
  if (cursor !== undefined) return { interval, cursor };
  const further = intervalsFor(window).find((other) => longer(interval, other) !== interval);
  return further === undefined ? undefined : { interval: further };
}

async function ask(
  ports: RunContractsPorts,
  contract: ContractRecord['contract'],
  query: FloorQuery,
  signal: AbortSignal,
): Promise<PricePage | undefined> {
  const lease = await ports.leaseCalls([['floor']]);
  const [leased] = lease.granted ? lease.calls : [];
  if (!lease.granted || leased === undefined) return undefined;
  const answered = await callInSlot(
    ports,
    { ...leased, probe: lease.probe },
    () => ports.upstream.floorHistory(contractOf(contract), query, signal),
    signal,
  );
  return answered?.outcome.kind === 'ok'
    ? floorPrices(answered.outcome.value, query.interval, answered.askedAt)
    : undefined;
}
