import { thinOut } from '#shared/domain/charts/thin-out.ts';
import { type FloorMoves, floorMovesOf } from '#shared/domain/evaluation/floor-moves.ts';
import { compareDistances, type LineDistance } from '#shared/domain/evaluation/line-distance.ts';
import { isGoing, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { type WatchStatus, worstStatus } from '#shared/domain/evaluation/watch-status.ts';
import { shownName } from '#shared/domain/market/collection.ts';
import { cutTo, formatDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, formatInstant, momentOf } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { unitShown } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { type ContractRecord, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import type { Unreadable } from '#shared/domain/unreadable.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { WatchedContract } from '#shared/http/own-contracts.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import { collectionOf } from '#shared/use-cases/collection-of.ts';
import { createWatchReader, type FoundWatch } from './all-watches.ts';
import type { Counts, OverviewRow } from './answers/overview.ts';
import { lineDistanceView } from './line-distance-view.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** Reads the overview of the given contracts. */
export async function readOverview(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  contracts: readonly WatchedContract[],
) {
  const readWatches = createWatchReader(ports, tenant);
  const unreadable: Unreadable[] = [];
  const rows = await Promise.all(
    contracts.map(async (watched) => {
      const [found, collection] = await Promise.all([
        readWatches(watched),
        collectionOf(ports.getCollection, watched.contract),
      ]);
      unreadable.push(...found.unreadable);
      const record = found.contract?.record;
      const moves = record && (await movesOf(ports, record));
      return { watched, collection, record, moves, statuses: statusesOf(found.entries), found };
    }),
  );
  return {
    counts: countsOf(rows.flatMap(({ statuses }) => statuses)),
    contracts: rows.map(
      ({ watched, collection, record, moves, statuses, found }): OverviewRow => ({
        contract: watched.contract,
        name: shownName(watched, collection) ?? null,
        image: collection?.image ?? null,
        slug: collection?.slug ?? null,
        watchlists: watched.watchlists,
        floor: floorView(moves?.floor),
        changes: changesView(moves),
        sparkline: sparklineOf(moves?.lastDay ?? []),
        nearest: nearestView(found.entries),
        freshness: freshnessView(record),
        status: worstStatus(statuses) ?? null,
      }),
    ),
    unreadable,
  };
}

/** The recent changes of a contract's floor; undefined if no rule needs the floor. */
async function movesOf(
  ports: ManageWatchlistsPorts,
  record: ContractRecord,
): Promise<FloorMoves | undefined> {
  if (record.series.floor === undefined) return undefined;
  const { contract } = record;
  const now = ports.now();
  const [aWeekAgo, lastDay] = await Promise.all([
    ports.valueAt(contract, 'floor', now - 7 * DAY),
    ports.recordedSince(contract, 'floor', now - DAY),
  ]);
  const known = new Map([...aWeekAgo, ...lastDay].map((point) => [point.time, point]));
  return floorMovesOf(record, [...known.values()], now);
}

/** The status of each rule on a contract: the worst status of its watch and its no-data watches. */
function statusesOf(found: readonly FoundWatch[]): readonly WatchStatus[] {
  const rules = Map.groupBy(found, ({ watch }) => `${watch.list}#${ruleOf(watch)}`);
  return [...rules.values()].flatMap((watches) => {
    const worst = worstStatus(watches.map(({ status }) => status));
    return worst === undefined ? [] : [worst];
  });
}

function countsOf(statuses: readonly WatchStatus[]): Counts {
  const count = (status: WatchStatus) => statuses.filter((one) => one === status).length;
  return {
    firing: count('firing'),
    error: count('error'),
    noData: count('noData'),
    disputed: count('disputed'),
    pending: count('pending'),
    acknowledged: count('acknowledged'),
    waiting: count('waiting'),
    ok: count('ok'),
    expired: count('expired'),
    off: count('off'),
  };
}

function floorView(floor: PricePoint | undefined): OverviewRow['floor'] {
  if (floor === undefined) return null;
  const { price, currency, usd, time } = floor;
  return {
    value: formatDecimal(price),
    unit: currency,
    usd: decimalOf(usd),
    at: formatInstant(time),
  };
}

function changesView(moves: FloorMoves | undefined): OverviewRow['changes'] {
  return {
    '1h': percentView(moves?.changes['1h']),
    '24h': percentView(moves?.changes['24h']),
    '7d': percentView(moves?.changes['7d']),
  };
}

/** Fraction digits of percentages. */
const DIGITS = 2;

function percentView(measured: Measure | undefined): string | null {
  return measured?.kind === 'value' ? formatDecimal(cutTo(measured.value, DIGITS)) : null;
}

/** Maximum points of a sparkline. More points do not change the drawn line. */
const SPARKLINE_POINTS = 48;

function sparklineOf(floors: readonly PricePoint[]): OverviewRow['sparkline'] {
  return thinOut(floors, SPARKLINE_POINTS).map(({ time, price }) => [
    formatInstant(time),
    formatDecimal(price),
  ]);
}

type Near = { readonly watch: Watch; readonly distance: LineDistance };

/** The line with the smallest distance from its value in percent, in either direction. */
function nearestView(found: readonly FoundWatch[]): OverviewRow['nearest'] {
  const near = found.flatMap(({ watch, distance }): Near[] =>
    distance?.percent === undefined || !isGoing(watch) ? [] : [{ watch, distance }],
  );
  const [first] = near.toSorted((one, other) => compareDistances(one.distance, other.distance));
  if (first === undefined) return null;
  const { watch, distance } = first;
  const { metric, unit } = watch.ruleCondition;
  return {
    watchlist: watch.list,
    rule: ruleOf(watch),
    metric,
    unit: unitShown(metric, unit),
    line: formatDecimal(distance.line),
    ...lineDistanceView(distance),
  };
}

/**
 * The health of the floor. If no rule needs the floor, the health of the first series that rules
 * need.
 */
function freshnessView(record: ContractRecord | undefined): OverviewRow['freshness'] {
  const series = record === undefined ? [] : seriesIn(record);
  const [name, known] = series[0] ?? ['floor' as const, undefined];
  return { ...seriesHealth(name, record), since: momentOf(known?.since) };
}
