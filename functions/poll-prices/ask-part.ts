import { defined } from '#shared/domain/defined.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type Part, type StatisticsPart, seriesOf } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import {
  type BestOffer,
  type FloorInterval,
  type LowestTrade,
  mapOutcome,
  type Outcome,
  type Statistics,
} from '#shared/domain/market/upstream.ts';
import type { PartAnswer } from '#shared/domain/polling/absorb-answers.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import {
  floorPrices,
  intervalSince,
  intervalsFor,
  longer,
  type PricePage,
} from '#shared/domain/polling/floor-pages.ts';
import type { MadeCall } from '#shared/use-cases/governed-call.ts';
import type { PollPricesEvents, PollPricesPorts, PriceSource } from './ports.ts';

/** What came of asking for a part; without an answer it was not asked for. */
export type Asked = {
  readonly part: Part;
  readonly answer?: PartAnswer;
  /** The prices of an `ok` answer, and where the next page begins. */
  readonly page?: PricePage;
  /** Statistics in the floor answer of the planned provider, or the reason for their absence. */
  readonly statistics?: { readonly askedAt: Instant; readonly outcome: Outcome<Statistics> };
  /** Providers other than the first that lack the contract. */
  readonly lackedBy?: readonly Provider[];
};

export function askedOf(part: Part, made: MadeCall<PricePage> | undefined): Asked {
  if (made === undefined) return { part };
  const { askedAt, outcome, skipped } = made;
  return {
    part,
    answer: { part, askedAt, outcome: mapOutcome(outcome, ({ points }) => points), skipped },
    statistics: { askedAt, outcome: mapOutcome(outcome, ({ statistics = {} }) => statistics) },
    ...(outcome.kind === 'ok' && !outcome.value.isCut ? { page: outcome.value } : {}),
  };
}

/** The answer about a series that the floor answer carries; undefined without a floor request. */
export function carriedAnswer(part: StatisticsPart, { statistics }: Asked): PartAnswer | undefined {
  if (statistics === undefined) return undefined;
  const { askedAt, outcome } = statistics;
  return { part, askedAt, outcome: outcomeOf(part, outcome, askedAt) };
}

function outcomeOf(
  part: StatisticsPart,
  outcome: Outcome<Statistics>,
  time: Instant,
): Outcome<readonly PricePoint[]> {
  // Without a listing OpenSea reports no floor, and its statistics are not read.
  if (outcome.kind === 'empty') return { kind: 'not_ready' };
  if (outcome.kind !== 'ok') return outcome;
  const found = outcome.value[part];
  if (found === undefined) return NOT_OFFERED;
  const point = { kind: 'price', time, price: found.value, currency: found.unit } as const;
  return { kind: 'ok', value: [point] };
}

/** Asks a provider for a part. */
export async function fetchPart(
  { upstream }: Pick<PriceSource, 'upstream'>,
  hint: ContractRecord,
  part: Part,
  call: UpstreamCall,
  now: Instant,
  signal: AbortSignal,
): Promise<Outcome<PricePage>> {
  const contract = contractOf(hint.contract);
  const series = seriesOf(part);
  switch (series.operation) {
    case 'floor': {
      if (upstream.floorHistory === undefined) return NOT_OFFERED;
      const interval = intervalFor(hint, now);
      const poll = { newest: newestFloor(hint), reachesBack: hint.past?.wanted !== undefined };
      const query = { interval, poll };
      return mapOutcome(await upstream.floorHistory(contract, query, signal), (page) =>
        floorPrices(page, interval, now),
      );
    }
    case 'lowest': {
      if (upstream.lowestTrade === undefined) return NOT_OFFERED;
      const way = call === 'price' ? 'price' : 'lowestprice';
      const { lookBackDays } = series;
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

/** Reports the records that an answer left out, if there are any. */
export function reportSkipped(
  report: PollPricesPorts['report'],
  event: PollPricesEvents['records_skipped'],
): void {
  if (Object.keys(event.skipped).length > 0) report('records_skipped', event);
}

const NOT_OFFERED = { kind: 'unsupported', reason: 'retired' } as const;

/** The newest observed floor; an outlier too: the same answer once more does not confirm it. */
function newestFloor(record: ContractRecord): PricePoint | undefined {
  const point = newestOf(record, 'floor');
  return point?.kind === 'price' ? point : undefined;
}

/** The interval whose first page holds all new floors, and from which windows are filled. */
function intervalFor(record: ContractRecord, now: Instant): FloorInterval {
  const { past } = record;
  const since = intervalSince(newestOf(record, 'floor')?.time, now);
  return past?.wanted === undefined ? since : longer(since, intervalsFor(past.wanted)[0]);
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
