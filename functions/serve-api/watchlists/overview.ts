import { thinOut } from '#shared/domain/charts/thin-out.ts';
import { type FloorMoves, floorMovesOf } from '#shared/domain/evaluation/floor-moves.ts';
import { compareDistances, type LineDistance } from '#shared/domain/evaluation/line-distance.ts';
import { isGoing, ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { type WatchStanding, worstOf } from '#shared/domain/evaluation/watch-standing.ts';
import { shownName } from '#shared/domain/market/collection.ts';
import { wholeOf } from '#shared/domain/market/contract.ts';
import { cutTo, formatDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, formatInstant, momentOf } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { unitShown } from '#shared/domain/metrics/metric.ts';
import type { Measure } from '#shared/domain/metrics/prices.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { partHealth } from '#shared/domain/polling/part-health.ts';
import type { Unreadable } from '#shared/domain/unreadable.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { WatchedContract } from '#shared/http/own-contracts.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import { createWatchReader, type FoundWatch } from './all-watches.ts';
import type { Counts, OverviewRow } from './answers/overview.ts';
import { lineDistanceView } from './line-distance-view.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** Some contracts as people look at them first. */
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
        ports.getCollection(wholeOf(watched.contract)),
      ]);
      unreadable.push(...found.unreadable);
      const record = found.contract?.record;
      const moves = record && (await movesOf(ports, record));
      return { watched, collection, record, moves, standings: standingsOf(found.entries), found };
    }),
  );
  return {
    counts: countsOf(rows.flatMap(({ standings }) => standings)),
    contracts: rows.map(
      ({ watched, collection, record, moves, standings, found }): OverviewRow => ({
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
        standing: worstOf(standings) ?? null,
      }),
    ),
    unreadable,
  };
}

/** How the floor of a contract has moved; undefined where no rule needs it. */
async function movesOf(
  ports: ManageWatchlistsPorts,
  record: ContractRecord,
): Promise<FloorMoves | undefined> {
  if (record.parts.floor === undefined) return undefined;
  const { contract } = record;
  const now = ports.now();
  const [aWeekAgo, lastDay] = await Promise.all([
    ports.heldAt(contract, 'floor', now - 7 * DAY),
    ports.recordedSince(contract, 'floor', now - DAY),
  ]);
  const known = new Map([...aWeekAgo, ...lastDay].map((point) => [point.time, point]));
  return floorMovesOf(record, [...known.values()], now);
}

/** How each rule on a contract stands: with its no-data watches, as the worst of them. */
function standingsOf(found: readonly FoundWatch[]): readonly WatchStanding[] {
  const rules = Map.groupBy(found, ({ watch }) => `${watch.list}#${ruleOf(watch)}`);
  return [...rules.values()].flatMap((watches) => {
    const worst = worstOf(watches.map(({ standing }) => standing));
    return worst === undefined ? [] : [worst];
  });
}

function countsOf(standings: readonly WatchStanding[]): Counts {
  const count = (standing: WatchStanding) => standings.filter((one) => one === standing).length;
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

/** Digits of a percentage that people read. */
const DIGITS = 2;

function percentView(measured: Measure | undefined): string | null {
  return measured?.kind === 'value' ? formatDecimal(cutTo(measured.value, DIGITS)) : null;
}

/** More points than these look like one line in a row. */
const SPARKLINE_POINTS = 48;

function sparklineOf(floors: readonly PricePoint[]): OverviewRow['sparkline'] {
  return thinOut(floors, SPARKLINE_POINTS).map(({ time, price }) => [
    formatInstant(time),
    formatDecimal(price),
  ]);
}

type Near = { readonly watch: Watch; readonly distance: LineDistance };

/** The line of a contract that is nearest to its value, in percent of it and on either side. */
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

/** The health of the floor, or else of what rules need in its place. */
function freshnessView(record: ContractRecord | undefined): OverviewRow['freshness'] {
  const parts = record === undefined ? [] : partsOf(record);
  const [part, known] = parts[0] ?? ['floor' as const, undefined];
  return { ...partHealth(part, record), since: momentOf(known?.since) };
}
