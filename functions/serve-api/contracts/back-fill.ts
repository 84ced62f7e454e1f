import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { OPERATIONS } from '#shared/domain/market/operations.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { FloorInterval, FloorPage, FloorQuery } from '#shared/domain/market/upstream.ts';
import { floorPrices } from '#shared/domain/polling/floor-pages.ts';
import { refusalInWords } from '#shared/domain/polling/series-health.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import { NO_CALL_FREE, SHARE_USED_UP } from '#shared/http/refusal-problem.ts';
import { callOnce } from '#shared/use-cases/rate-limited-call.ts';
import type { ReadContractsPorts } from './ports.ts';

/** Past floors that are requested from the upstream because they are not recorded. */
export type BackFill = {
  /** Oldest first. */
  readonly points: readonly PricePoint[];
  readonly pages: number;
  /** The reason why older floors are missing; undefined if they are complete. */
  readonly trouble: string | undefined;
};

/**
 * Milliseconds that are reserved for the replay. With less time left, no further page is requested.
 */
const TIME_TO_STOP = 12 * SECOND;

/**
 * The intervals, shortest first. The upstream reports hourly floors for the last 30 days, and daily
 * floors for the time before.
 */
const REACHES: readonly (readonly [FloorInterval, days: number])[] = [
  ['1d', 1],
  ['7d', 7],
  ['30d', 30],
  ['60d', 60],
  ['90d', 90],
  ['1y', 365],
];

/**
 * Requests from the upstream the floors of a contract since a given time, page by page, newest
 * first. The floors are not recorded, because evaluations use only prices that a poll recorded.
 */
export async function backFill(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  contract: ContractKey,
  from: Instant,
  mostPages: number,
  signal: AbortSignal,
): Promise<BackFill> {
  const span = ports.now() - from;
  const interval = REACHES.find(([, days]) => days * DAY >= span)?.[0] ?? 'all';
  const found = new Map<Instant, PricePoint>();
  let query: FloorQuery | undefined = { interval };
  let pages = 0;
  let trouble: string | undefined;
  while (query !== undefined && trouble === undefined) {
    if (pages === mostPages) {
      trouble =
        'the provider has more pages of past floors than one preview can read; choose a shorter span or fewer contracts';
      break;
    }
    if (ports.remainingTime() < TIME_TO_STOP) {
      trouble =
        'the provider did not return all past floors in time; choose a shorter span or fewer contracts';
      break;
    }
    pages += 1;
    const page = await ask(ports, tenant, contract, query, signal);
    if ('trouble' in page) {
      trouble = page.trouble;
      break;
    }
    const { points } = floorPrices(page, interval, ports.now());
    for (const point of points) found.set(point.time, point);
    const isReached = points.some(({ time }) => time <= from);
    query = isReached || page.cursor === undefined ? undefined : { interval, cursor: page.cursor };
  }
  return { points: [...found.values()].toSorted((a, b) => a.time - b.time), pages, trouble };
}

async function ask(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  contract: ContractKey,
  query: FloorQuery,
  signal: AbortSignal,
): Promise<FloorPage | { readonly trouble: string }> {
  if ((await ports.takeCall(tenant, 'floor')) !== undefined) return { trouble: SHARE_USED_UP };
  const made = await callOnce(
    ports,
    OPERATIONS.floor.calls,
    () => ports.floorHistory(contractOf(contract), query, signal),
    signal,
  );
  if (made.call === undefined) return { trouble: NO_CALL_FREE };
  const { outcome } = made;
  if (outcome.kind === 'ok') return outcome.value;
  const reason = 'reason' in outcome ? outcome.reason : undefined;
  return { trouble: refusalInWords(outcome.kind, reason).reason };
}
