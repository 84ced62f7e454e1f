import { messageOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { floorIn } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { MainProvider } from '#shared/domain/market/provider.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import { demoWatchlist } from './demo-watchlists.ts';
import { openLiveMarket } from './live/live-market.ts';
import type { Market } from './market.ts';
import type { MarketChoice, Options } from './options.ts';
import { MUTED, tourWatchlists } from './tour-watchlists.ts';
import { startMarketServer } from './upstream/market-server.ts';
import type { MarketSource } from './upstream/market-source.ts';
import { loadReplayedMarket, type ReplayedMarket } from './upstream/replayed-market.ts';
import { FLOOR_EVERY } from './upstream/simulated-collection.ts';
import { createSimulatedMarket } from './upstream/simulated-market.ts';
import { earliest } from './watched-table.ts';
import { contractsOf, type WatchlistDocument } from './watchlists.ts';

/** Limits of a market on this machine, where calls are free. */
const unlimited = {
  callsPerSecond: 1000,
  budgetPerHour: 1_000_000_000,
  budgetPerDay: 1_000_000_000,
  budgetPerMonth: 30_000_000_000,
};
const unbounded = {
  upstreamCallsPerSecond: unlimited.callsPerSecond,
  upstreamBudgetPerDay: unlimited.budgetPerDay,
  upstreamBudgetPerMonth: unlimited.budgetPerMonth,
};
const MINUTE = 60_000;

/** Opens the market that the options select; `watched` are the watchlists of the command line. */
export async function openMarket(
  options: Options,
  watched: readonly WatchlistDocument[] | undefined,
  keptKey: InstantKey | undefined,
): Promise<Market> {
  const { market } = options;
  switch (market.kind) {
    case 'live':
      return await openLiveMarket(market, keptKey);
    case 'real':
      return realMarket(market);
    case 'simulated':
      return simulatedMarket(market, options);
    case 'replayed':
      return await replayedMarket(market, options, watched);
  }
}

function realMarket({ url, key, others }: MarketChoice & { readonly kind: 'real' }): Market {
  return {
    label: `the service at ${url}`,
    start: Date.now(),
    end: Number.POSITIVE_INFINITY,
    cadenceMinutes: 30,
    upstreamKey: key,
    stage: {},
    demo: [
      {
        id: 'demo',
        name: 'CryptoPunks',
        contracts: [
          { contract: 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', name: 'CryptoPunks' },
        ],
        rules: [{ id: 'floor', metric: 'floor_price', when: 'below', threshold: '30' }],
      },
    ],
    serve: async () => ({ url, others, nextChangeAfter: () => undefined, close: async () => {} }),
  };
}

/**
 * A start time just after each collection got a new floor. The first alert is then about a price,
 * not about missing data.
 */
function afterFloors(now: number): number {
  const reported = 2.5 * MINUTE;
  return Math.floor((now - reported) / FLOOR_EVERY) * FLOOR_EVERY + reported;
}

function simulatedMarket(
  { seed }: MarketChoice & { readonly kind: 'simulated' },
  {
    from: start = afterFloors(Date.now()),
    to: end = Number.POSITIVE_INFINITY,
    speed,
    tour,
  }: Options,
): Market {
  const source = createSimulatedMarket(seed, start);
  const cadenceMinutes = 5;
  return {
    // Only OpenSea reports the values for every kind of rule.
    ...servedFrom(source, tour ? 'opensea' : 'nft-data'),
    label: `simulated market (seed ${seed}): made-up prices, played ${inWords(speed)}`,
    start,
    end,
    cadenceMinutes,
    stage: {
      ...unbounded,
      pollCadenceMinutes: cadenceMinutes,
      ...(tour && { upstreamProvider: 'opensea' }),
    },
    ...(tour
      ? { demo: tourWatchlists(source, start), muted: { list: 'tour', rule: MUTED } }
      : { demo: [demoWatchlist(source, start)] }),
    pastFloors: () =>
      source.contracts().flatMap(({ contract }) =>
        Array.from(source.floors(contract, 0, start), ({ record }) => ({
          contract,
          point: floorIn(record),
        })),
      ),
  };
}

async function replayedMarket(
  { folder }: MarketChoice & { readonly kind: 'replayed' },
  { from, to, speed }: Options,
  watched: readonly WatchlistDocument[] | undefined,
): Promise<Market> {
  const source = await loadReplayedMarket(folder).catch((error: unknown) => {
    throw new UsageError(`--data ${folder} cannot be replayed: ${messageOf(error)}`, {
      cause: error,
    });
  });
  if (source.contracts().length === 0) {
    const [first] = source.badLines.first;
    const why = first && `: ${placeOf(first)}`;
    throw new UsageError(`--data ${folder} contains no floors, trades or tokens${why ?? ''}`);
  }
  const named = watched && contractsOf(watched);
  const contracts = source
    .contracts()
    .map(({ contract }) => contract)
    .filter((contract) => named?.has(contract) ?? true);
  const cadenceMinutes = 30;
  const { first, last } = spanOf(source, contracts);
  const start = from ?? first;
  if (start === undefined)
    throw new UsageError(`--data ${folder} contains no data for the watched contracts`);
  return {
    ...servedFrom(source, 'nft-data'),
    label: `recorded data from ${folder}, replayed ${inWords(speed)}${skippedInWords(source.badLines)}`,
    start,
    end: to ?? (last ?? start) + cadenceMinutes * MINUTE,
    cadenceMinutes,
    stage: { ...unbounded, pollCadenceMinutes: cadenceMinutes },
    demo: [watchlistOf(source)],
  };
}

function skippedInWords({ count, first: [first] }: ReplayedMarket['badLines']): string {
  if (first === undefined) return '';
  return `; ${count} unusable ${count === 1 ? 'line' : 'lines'} skipped, the first at ${placeOf(first)}`;
}

const placeOf = ({ file, line, reason }: ReplayedMarket['badLines']['first'][number]) =>
  `${file} line ${line}: ${reason}`;

/** A watchlist that reports moves of 10% within a day, for the first collections. */
function watchlistOf(source: MarketSource): WatchlistDocument {
  const withFloors = source
    .contracts()
    .filter(({ contract }) => source.nextFloor(contract, 0) !== undefined);
  return {
    id: 'demo',
    name: 'Replayed collections',
    contracts: withFloors.slice(0, 20),
    rules: [
      { id: 'falls', metric: 'floor_change_pct.24h', when: 'below', threshold: '-10' },
      { id: 'rises', metric: 'floor_change_pct.24h', when: 'above', threshold: '10' },
    ],
  };
}

/**
 * The time from the first floor to the last, or from the first trade to the last if there are no
 * floors.
 */
function spanOf(source: MarketSource, contracts: readonly ContractKey[]) {
  const firsts = contracts.map((contract) => source.nextFloor(contract, 0));
  const lasts = contracts.map((contract) => {
    const [newest] = source.floors(contract, 0, Number.MAX_SAFE_INTEGER);
    return newest?.time;
  });
  if (firsts.some((first) => first !== undefined)) {
    return { first: earliest(firsts), last: latest(lasts) };
  }
  const trades = contracts.flatMap((contract) =>
    Array.from(source.trades(contract, 0, Number.MAX_SAFE_INTEGER), ({ time }) => time),
  );
  return { first: trades.at(0), last: latest(trades) };
}

/**
 * Serves a market as the main provider `main`, and also in the format of the other kind of
 * provider.
 */
function servedFrom(
  source: MarketSource,
  main: MainProvider,
): Pick<Market, 'upstreamKey' | 'serve'> {
  const apiKey = 'the-key-of-the-local-upstream';
  return {
    upstreamKey: apiKey,
    serve: async (now) => {
      const server = await startMarketServer({ source, now, apiKey });
      const { url } = server;
      const provider = main === 'opensea' ? 'nft-data' : 'opensea';
      return { ...server, others: [{ provider, url, key: apiKey, limits: unlimited }] };
    },
  };
}

function latest(instants: readonly (number | undefined)[]): number | undefined {
  return instants.reduce(
    (newest, instant) => (newest === undefined || (instant ?? 0) > newest ? instant : newest),
    undefined,
  );
}

function inWords(speed: number): string {
  return Number.isFinite(speed) ? `at ${speed} times real time` : 'as fast as possible';
}
