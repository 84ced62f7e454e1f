import { defined } from '#shared/domain/defined.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import {
  type PriceSeriesName,
  priceSeries,
  type StatisticsSeries,
} from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import {
  type BestOffer,
  type FloorInterval,
  type LowestTrade,
  mapOutcome,
  type Outcome,
  type Statistics,
} from '#shared/domain/market/upstream.ts';
import type { SeriesAnswer } from '#shared/domain/polling/absorb-answers.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import {
  floorPrices,
  intervalSince,
  intervalsFor,
  longer,
  type PricePage,
} from '#shared/domain/polling/floor-pages.ts';
import type { MadeCall } from '#shared/use-cases/rate-limited-call.ts';
import type { PollPricesEvents, PollPricesPorts, PriceSource } from './ports.ts';

/** The result of requesting a price series. Without `answer` no request was made. */
export type Asked = {
  readonly series: PriceSeriesName;
  readonly answer?: SeriesAnswer;
  /** The prices of an `ok` answer, and the position of the next page. */
  readonly page?: PricePage;
  /** Statistics in the floor answer of the planned provider, or the reason for their absence. */
  readonly statistics?: { readonly askedAt: Instant; readonly outcome: Outcome<Statistics> };
  /** Other providers that do not have the contract. */
  readonly unsupportedBy?: readonly Provider[];
};

export function requestResult(
  series: PriceSeriesName,
  made: MadeCall<PricePage> | undefined,
): Asked {
  if (made === undefined) return { series };
  const { askedAt, outcome, skipped } = made;
  return {
    series,
    answer: { series, askedAt, outcome: mapOutcome(outcome, ({ points }) => points), skipped },
    statistics: { askedAt, outcome: mapOutcome(outcome, ({ statistics = {} }) => statistics) },
    ...(outcome.kind === 'ok' && !outcome.value.isCut ? { page: outcome.value } : {}),
  };
}

/** The answer about a series that comes with the floor; undefined if no floor was requested. */
export function carriedAnswer(
  series: StatisticsSeries,
  { statistics }: Asked,
): SeriesAnswer | undefined {
  if (statistics === undefined) return undefined;
  const { askedAt, outcome } = statistics;
  return { series, askedAt, outcome: outcomeOf(series, outcome, askedAt) };
}

function outcomeOf(
  series: StatisticsSeries,
  outcome: Outcome<Statistics>,
  time: Instant,
): Outcome<readonly PricePoint[]> {
  // If nothing is listed, OpenSea reports no floor, and its statistics are not read either.
  if (outcome.kind === 'empty') return { kind: 'not_ready' };
  if (outcome.kind !== 'ok') return outcome;
  const found = outcome.value[series];
  if (found === undefined) return NOT_OFFERED;
  const point = { kind: 'price', time, price: found.value, currency: found.unit } as const;
  return { kind: 'ok', value: [point] };
}

/** Asks a provider for a price series. */
export async function fetchSeries(
  { upstream }: Pick<PriceSource, 'upstream'>,
  cached: ContractRecord,
  series: PriceSeriesName,
  call: UpstreamCall,
  now: Instant,
  signal: AbortSignal,
): Promise<Outcome<PricePage>> {
  const contract = contractOf(cached.contract);
  const described = priceSeries(series);
  switch (described.operation) {
    case 'floor': {
      if (upstream.floorHistory === undefined) return NOT_OFFERED;
      const interval = intervalFor(cached, now);
      const poll = {
        askedAt: now,
        newest: newestFloor(cached),
        reachesBack: cached.past?.requested !== undefined,
      };
      const query = { interval, poll };
      return mapOutcome(await upstream.floorHistory(contract, query, signal), (page) =>
        floorPrices(page, interval, now),
      );
    }
    case 'lowest': {
      if (upstream.lowestTrade === undefined) return NOT_OFFERED;
      const way = call === 'price' ? 'price' : 'lowestprice';
      const { lookBackDays } = described;
      return mapOutcome(
        await upstream.lowestTrade(contract, lookBackDays, way, signal),
        (trade) => ({ points: [tradePrice(trade)] }),
      );
    }
    case 'offers': {
      if (upstream.bestOffer === undefined) return NOT_OFFERED;
      return mapOutcome(await upstream.bestOffer(contract, signal), (offer) => ({
        points: [offerPrice(offer, now)],
      }));
    }
  }
}

/** Reports the records that were left out of an answer, if there are any. */
export function reportSkipped(
  report: PollPricesPorts['report'],
  event: PollPricesEvents['records_skipped'],
): void {
  if (Object.keys(event.skipped).length > 0) report('records_skipped', event);
}

const NOT_OFFERED = { kind: 'unsupported', reason: 'retired' } as const;

/**
 * The newest observed floor, including an outlier, because a repeated answer does not confirm an
 * outlier.
 */
function newestFloor(record: ContractRecord): PricePoint | undefined {
  const point = newestOf(record, 'floor');
  return point?.kind === 'price' ? point : undefined;
}

/**
 * The interval whose first page contains all new floors. The back-fill also starts with this page.
 */
function intervalFor(record: ContractRecord, now: Instant): FloorInterval {
  const { past } = record;
  const since = intervalSince(newestOf(record, 'floor')?.time, now);
  return past?.requested === undefined ? since : longer(since, intervalsFor(past.requested)[0]);
}

/** Providers report no time for an offer, so it gets the time of the request. */
function offerPrice({ price, currency, usd }: BestOffer, time: Instant): PricePoint {
  return { kind: 'price', time, price, currency, ...defined({ usd }) };
}

/** The provider reports trades in ETH only, on every chain. */
function tradePrice({ time, price, usd, transactionHash }: LowestTrade): PricePoint {
  return {
    kind: 'price',
    time,
    price,
    currency: 'eth',
    ...defined({ usd, source: transactionHash }),
    tradedAt: time,
  };
}
