import { contractOf } from '#shared/domain/market/contract.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { FloorQuery } from '#shared/domain/market/upstream.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { callInSlot } from '#shared/domain/polling/governed-call.ts';
import { floorPrices, intervalsFor, longer, type PricePage } from './floor-pages.ts';
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
  let page: PricePage = first;
  for (let pages = 1; ; pages += 1) {
    // Of one time what was told first counts: hours come before days.
    for (const point of page.points) if (!found.has(point.time)) found.set(point.time, point);
    const query = following(page, past.wanted);
    if (query === undefined || [...found.keys()].some((time) => time <= start)) break;
    if (pages === MOST_PAGES || ports.remainingTime() < TIME_TO_STOP) return false;
    const answer = await ask(ports, contract, query, signal);
    if (answer === undefined) return false;
    page = answer;
  }
  await ports.recordHistory(contract, 'floor', [...found.values()]);
  return true;
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
