import { UsageError } from '#infra/command-line/usage-error.ts';
import type { Market } from '#infra/local/market.ts';
import type { WatchlistDocument } from '#infra/local/watchlists.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import type { CollectionSearch, FoundCollection } from '#shared/domain/market/collection-search.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { UNITS } from '#shared/domain/market/currency.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import type { FloorPoint, LowestTrade, Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import {
  CADENCE_MINUTES,
  FREE_READS_PER_HOUR,
  readsToSpend,
} from '#shared/domain/polling/provider-limits.ts';
import { shortened } from '#shared/domain/words.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import { findCollection } from '#shared/providers/opensea/find-collection.ts';
import { makeInstantKey } from '#shared/providers/opensea/instant-key.ts';
import { createOpenSea } from '#shared/providers/opensea/opensea.ts';
import { LEAST_OF_KEY } from './key-renewal.ts';
import type { LiveCollection } from './live-collection.ts';
import type { LiveChoice, RequestedWatch } from './requested-watch.ts';

/** The share of calls for polls, in percent; the other calls are for the API. */
const POLLING_PERCENT = 80;
/** Maximum length of a name, which must fit into a rule's label. */
const MOST_OF_NAME = 50;

/**
 * A market with OpenSea's prices in real time. Finds the collections, reads their prices, and
 * watches the given thresholds. A collection without thresholds is watched for moves of 5% in both
 * directions.
 */
export async function openLiveMarket(
  choice: LiveChoice,
  kept: InstantKey | undefined,
): Promise<Market> {
  const { requests, url, key } = choice;
  // Each call has its own deadline.
  const { signal } = new AbortController();
  const now = Date.now;
  const http = createHttpClient({
    ...{ deadlineMs: 10_000, maxBodyBytes: 4 * 1024 * 1024, maxConnections: 8 },
  });
  const instantKey =
    key === undefined ? await keyFor({ http, baseUrl: url, now }, kept, signal) : undefined;
  const apiKey = key ?? instantKey?.key ?? '';
  const settings = { http, baseUrl: url, apiKey: async () => apiKey, now };
  const searches = await Promise.all(
    requests.map(async (request) => ({
      request,
      found: await findCollection(settings, request.asked, signal),
    })),
  );
  const isRefused = searches.some(({ found }) => found.kind === 'denied');
  // OpenSea may revoke a key before it expires.
  if (isRefused && kept !== undefined && instantKey === kept) {
    return await openLiveMarket(choice, undefined);
  }
  const watched = collectionsOf(searches);
  const seen = await Promise.all(
    watched.map(async (collection) => await look(settings, collection, signal)),
  );
  const readsPerHour = instantKey?.readsPerHour ?? FREE_READS_PER_HOUR;
  const { budgetPerHour, budgetPerDay, budgetPerMonth } = readsToSpend(readsPerHour);
  return {
    label: labelOf(watched.length, readsPerHour, instantKey),
    start: now(),
    end: Number.POSITIVE_INFINITY,
    cadenceMinutes: CADENCE_MINUTES.opensea,
    upstreamKey: apiKey,
    stage: {
      upstreamProvider: 'opensea',
      upstreamBudgetPerHour: budgetPerHour,
      upstreamBudgetPerDay: budgetPerDay,
      upstreamBudgetPerMonth: budgetPerMonth,
    },
    demo: [watchlistOf(watched, seen)],
    serve: async () => ({
      ...{ url, others: choice.others },
      ...{ nextChangeAfter: () => undefined, close: async () => {} },
    }),
    collections: seen.map(({ collection }) => collection),
    instantKey,
    makeKey: () => makeInstantKey({ http, baseUrl: url, now }, signal),
  };
}

/** The stored key, or one that OpenSea creates now. */
async function keyFor(
  settings: Pick<ProviderSettings, 'http' | 'baseUrl' | 'now'>,
  kept: InstantKey | undefined,
  signal: AbortSignal,
): Promise<InstantKey> {
  if (kept !== undefined && kept.endsAt - settings.now() >= LEAST_OF_KEY) return kept;
  const made = await makeInstantKey(settings, signal);
  if (made.kind === 'ok') return made.value;
  if (made.kind === 'throttled') {
    throw new UsageError(
      'OpenSea creates only a few keys an hour for each IP address: try again in an hour, or set OPENSEA_API_KEY to your own key',
    );
  }
  throw unreachable(made);
}

function labelOf(
  collections: number,
  readsPerHour: number,
  instantKey: InstantKey | undefined,
): string {
  const polls = (readsToSpend(readsPerHour).budgetPerHour * POLLING_PERCENT) / 100;
  const minutes = Math.ceil((collections * 60) / polls);
  const cadence =
    minutes <= CADENCE_MINUTES.opensea
      ? 'every minute'
      : `every ${minutes} minutes, and more often after a price change`;
  const ends = instantKey && new Date(instantKey.endsAt).toISOString().slice(0, 10);
  const key =
    ends === undefined
      ? 'your key'
      : `a free key that expires on ${ends} (set OPENSEA_API_KEY to use your own)`;
  return `OpenSea in real time, polled ${cadence}, ${readsPerHour} calls an hour with ${key}`;
}

/** A collection with all its requested thresholds. */
type Watched = {
  readonly found: FoundCollection;
  readonly rules: readonly NonNullable<RequestedWatch['rule']>[];
};

/** Merges requests for the same collection under different names. */
function collectionsOf(
  searches: readonly { readonly request: RequestedWatch; readonly found: CollectionSearch }[],
): readonly Watched[] {
  const watched = new Map<string, Watched>();
  for (const { request, found } of searches) {
    if (found.kind !== 'found') throw notFound(request.asked, found);
    const before = watched.get(found.contract)?.rules ?? [];
    const rules = request.rule === undefined ? before : [...before, request.rule];
    watched.set(found.contract, { found, rules });
  }
  return [...watched.values()];
}

function notFound(asked: string, found: Exclude<CollectionSearch, FoundCollection>): UsageError {
  const mistake = (expected: string) => new UsageError(`--live "${asked}": ${expected}`);
  switch (found.kind) {
    case 'unclear': {
      const candidates = found.candidates.map(({ name, slug }) => `${name} (${slug})`).join(', ');
      return mistake(
        candidates === ''
          ? 'OpenSea found no such collection: give its exact name, slug or link'
          : `OpenSea found several collections: give the slug of one of ${candidates}`,
      );
    }
    case 'not_found':
    case 'empty':
      return mistake('OpenSea has no such collection: give its exact name, slug, link or address');
    case 'unsupported':
      return mistake(
        found.reason === 'shared'
          ? 'several collections share this contract, or the collection has several contracts, so there is no floor price for this contract alone'
          : 'the collection is on no chain that both OpenSea and floorwatch support',
      );
    case 'denied':
      return new UsageError(
        'OpenSea rejected the API key (OPENSEA_API_KEY if it is set, otherwise a key that OpenSea created): set OPENSEA_API_KEY to a valid key',
      );
    case 'not_ready':
    case 'throttled':
    case 'failed':
      return unreachable(found);
  }
}

function unreachable(refusal: Refusal): UsageError {
  const reason = refusal.kind === 'failed' ? refusal.reason.replace('_', ' ') : refusal.kind;
  return new UsageError(
    `OpenSea is not available (${reason}). To run the simulated market, which needs no network, use npm start without --live.`,
  );
}

type Seen = { readonly collection: LiveCollection; readonly rules: readonly object[] };

async function look(
  settings: ProviderSettings,
  { found: { contract, collection: called }, rules }: Watched,
  signal: AbortSignal,
): Promise<Seen> {
  const name = shortened(called.name, MOST_OF_NAME);
  const upstream = createOpenSea(settings);
  const of = contractOf(contract);
  const [floors, sale] = await Promise.all([
    upstream.floorHistory(
      of,
      { interval: '1d', poll: { askedAt: settings.now(), newest: undefined, reachesBack: true } },
      signal,
    ),
    upstream.lowestTrade(of, 7, 'lowestprice', signal),
  ]);
  if (floors.kind !== 'ok' && floors.kind !== 'empty') throw unreachable(floors);
  const points = floors.kind === 'ok' ? floors.value.points : [];
  const [now] = points;
  const unit = now?.currency ?? of.chain.currency;
  if (!UNITS.includes(unit)) {
    throw new UsageError(`${name} is listed in ${unit.toUpperCase()}, which rules do not support`);
  }
  const lines = rules.length === 0 ? movesOf(now) : rules;
  return {
    collection: {
      ...{ name, contract, unit },
      floor: now === undefined ? null : formatDecimal(now.price),
      day: now === undefined ? null : dayOf(points, now),
      lowestSale: saleOf(sale),
      lines: lines.map(({ when, threshold }) => `${when} ${threshold}`),
    },
    rules: lines.map(({ when, threshold }, index) => ({
      id: `${contract.replace(/^.*:0x/, '').slice(0, 8)}-${of.chain.slug}-${index + 1}`,
      ...{ on: contract, metric: 'floor_price', when, threshold, unit },
      label: `${name}: floor ${when} ${threshold} ${unit.toUpperCase()}`,
    })),
  };
}

/** Moves of 5% in both directions. */
function movesOf(now: FloorPoint | undefined): readonly NonNullable<RequestedWatch['rule']>[] {
  if (now === undefined) return [];
  return [
    { when: 'below', threshold: formatDecimal(rounded((now.price * 95n) / 100n)) },
    { when: 'above', threshold: formatDecimal(rounded((now.price * 105n) / 100n)) },
  ];
}

function dayOf(points: readonly FloorPoint[], now: FloorPoint): LiveCollection['day'] {
  const prices = points.flatMap(({ currency, price }) => (currency === now.currency ? price : []));
  const first = prices.at(-1);
  if (first === undefined || prices.length < 2) return null;
  const tenths = ((now.price - first) * 1000n) / first;
  const [low, high] = [least(prices), -least(prices.map((price) => -price))];
  return {
    low: formatDecimal(low),
    high: formatDecimal(high),
    changePercent: `${tenths < 0n ? '' : '+'}${formatDecimal(tenths * 10n ** 17n)}`,
  };
}

function saleOf(sale: Outcome<LowestTrade>): LiveCollection['lowestSale'] {
  return sale.kind === 'ok'
    ? { price: formatDecimal(sale.value.price), time: sale.value.time }
    : null;
}

const least = (prices: readonly Decimal[]) => prices.reduce((a, b) => (b < a ? b : a));

/** Rounds to four significant digits, which also works for the smallest prices. */
function rounded(value: Decimal): Decimal {
  const unit = 10n ** BigInt(Math.max(1, value.toString().length - 4));
  return ((value + unit / 2n) / unit) * unit;
}

function watchlistOf(watched: readonly Watched[], seen: readonly Seen[]): WatchlistDocument {
  return {
    id: 'live',
    name: 'Live',
    contracts: watched.map(({ found }, index) => ({
      contract: found.contract,
      name: seen[index]?.collection.name ?? '',
    })),
    rules: seen.flatMap(({ rules }) => rules),
  };
}
