import { parseExactJson } from '#shared/clients/exact-json.ts';
import { formatToken } from '#shared/domain/archive/token.ts';
import { type Contract, type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type {
  FloorInterval,
  FloorPoint,
  FloorQuery,
  KnownFloor,
  Outcome,
  RawQuestion,
} from '#shared/domain/market/upstream.ts';
import { floorRecord, namedMarketplaces } from '#shared/domain/nft-data/floor-record.ts';
import { FloorParameters, PAGE_SIZE } from '#shared/domain/nft-data/queries.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY, OTHER_MONEY } from '#shared/providers/prices.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import {
  type OpenSeaToken,
  readContract,
  readFloorHistory,
  readFloorNow,
  readSales,
  readTokens,
  type Sale,
} from './answers.ts';
import { callOpenSea } from './call-opensea.ts';
import { identifierOf } from './chains.ts';
import { findCollection } from './find-collection.ts';

/** Asks for a path below a contract's collection. */
type Ask = <Value>(
  path: (slug: string) => string,
  query: Readonly<Record<string, string>>,
  read: (body: string) => Outcome<Value>,
) => Promise<Outcome<Value>>;

/**
 * OpenSea's API v2. It knows collections by slug: the slug of a contract is asked for once and
 * remembered in the memory of the instance.
 */
export function createOpenSea(settings: ProviderSettings): Upstream {
  const slugs = new Map<ContractKey, string>();

  const asking =
    (contract: Contract, signal: AbortSignal): Ask =>
    async (path, query, read) => {
      const slug = await slugOf(settings, slugs, contract, signal);
      if (slug.kind !== 'ok') return slug;
      return await callOpenSea(settings, path(encodeURIComponent(slug.value)), query, read, signal);
    };

  return {
    floorHistory: async (contract, query, signal) => {
      const ask = asking(contract, signal);
      if (query.poll === undefined) {
        return mapped(await floorsOf(settings, ask, contract, query), (points) => ({ points }));
      }
      const askedAt = settings.now();
      const now = await ask(
        (slug) => `collections/${slug}/stats`,
        {},
        (body) => readFloorNow(body, askedAt),
      );
      if (now.kind !== 'ok') return now;
      const { newest } = query.poll;
      const point = newest === undefined ? now.value : unlessUnchanged(now.value, newest);
      if (newest !== undefined && askedAt - newest.time <= JOINS_WITHIN)
        return { kind: 'ok', value: { points: [point] } };
      const past = await floorsOf(settings, ask, contract, query);
      if (past.kind !== 'ok' && past.kind !== 'empty') return past;
      const before = past.kind === 'ok' ? past.value.filter(({ time }) => time < point.time) : [];
      return { kind: 'ok', value: { points: [point, ...before] } };
    },

    findCollection: (asked, signal) => findCollection(settings, asked, signal),

    lowestTrade: async (contract, days, _way, signal) =>
      await lowestSale(settings, asking(contract, signal), contract, days),

    answer: async (question, signal) => {
      const ask = asking(question.contract, signal);
      switch (question.way) {
        case 'nfts-by-traits':
          return await answerTraits(ask, question);
        case 'floor-price/historical':
          return await answerFloors(settings, ask, question);
        case 'lowestprice':
        case 'price':
          return await answerLowest(settings, ask, question);
      }
    },
  };
}

/** A floor is polled without its history if the newest known one is no older than this. */
const JOINS_WITHIN = HOUR;
/** So long an unchanged floor is the observation that is known already; then it is a new one. */
const OBSERVED_AGAIN_AFTER = 10 * MINUTE;

/**
 * The floor of now has no time of its own. If it is the known one, so is its time: a quiet poll is
 * no observation.
 */
function unlessUnchanged(now: FloorPoint, { time, price, currency }: KnownFloor): FloorPoint {
  const isUnchanged = now.price === price && now.currency === currency;
  return isUnchanged && now.time - time < OBSERVED_AGAIN_AFTER ? { ...now, time } : now;
}

/** Spans of floor history, as OpenSea names them, with the number of points asked for. */
const SPANS: Readonly<Record<FloorInterval, { timeframe: string; points: number; days: number }>> =
  {
    '1d': { timeframe: 'one_day', points: 96, days: 1 },
    '7d': { timeframe: 'seven_days', points: 168, days: 7 },
    '30d': { timeframe: 'thirty_days', points: 240, days: 30 },
    '60d': { timeframe: 'one_year', points: 365, days: 60 },
    '90d': { timeframe: 'one_year', points: 365, days: 90 },
    '1y': { timeframe: 'one_year', points: 365, days: 366 },
    all: { timeframe: 'all_time', points: 365, days: 36_600 },
  };

async function floorsOf(
  { now }: ProviderSettings,
  ask: Ask,
  contract: Contract,
  { interval }: Pick<FloorQuery, 'interval'>,
): Promise<Outcome<readonly FloorPoint[]>> {
  const { timeframe, points, days } = SPANS[interval];
  const outcome = await ask(
    (slug) => `collections/${slug}/floor_prices`,
    { timeframe, resolution: `${points}` },
    (body) => readFloorHistory(body, contract, now()),
  );
  if (outcome.kind !== 'ok') return outcome;
  const within = outcome.value.filter(({ time }) => time >= now() - days * DAY);
  return within.length === 0 ? EMPTY : { kind: 'ok', value: within };
}

/** The pages of sales that are read for one answer, and the sales on each. */
const MOST_PAGES = 5;
const SALES_PER_PAGE = 200;

/** The lowest sale of some days paid in ETH, by reading all sales of these days. */
async function lowestSale(
  { now }: ProviderSettings,
  ask: Ask,
  contract: Contract,
  days: number,
): Promise<Outcome<Sale>> {
  const from = now() - days * DAY;
  let lowest: Sale | undefined;
  let hasOtherMoney = false;
  let next: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const query = {
      event_type: 'sale',
      after: `${Math.floor(from / SECOND)}`,
      limit: `${SALES_PER_PAGE}`,
      ...(next === undefined ? {} : { next }),
    };
    const outcome = await ask(
      (slug) => `events/collection/${slug}`,
      query,
      (body) => readSales(body, contract, now()),
    );
    if (outcome.kind !== 'ok') return outcome;
    const { sales, oldest } = outcome.value;
    for (const sale of sales.filter(({ time }) => time >= from)) {
      if (lowest === undefined || sale.price < lowest.price) lowest = sale;
    }
    hasOtherMoney ||= outcome.value.hasOtherMoney;
    next = outcome.value.next;
    const isWhole = next === undefined || (oldest !== undefined && oldest < from);
    if (!isWhole) continue;
    if (lowest !== undefined) return { kind: 'ok', value: lowest };
    return hasOtherMoney ? OTHER_MONEY : EMPTY;
  }
  // A sale that was not read may be lower.
  return { kind: 'unsupported', reason: 'many' };
}

async function answerLowest(
  settings: ProviderSettings,
  ask: Ask,
  { contract, parameters }: RawQuestion,
): Promise<Outcome<string>> {
  const outcome = await lowestSale(settings, ask, contract, Number(parameters.days ?? 7));
  return mapped(outcome, ({ record }) => JSON.stringify(record));
}

/** Pages of floors are parts of one answer: the cursor is the number of floors before the page. */
async function answerFloors(
  settings: ProviderSettings,
  ask: Ask,
  { contract, parameters }: RawQuestion,
): Promise<Outcome<string>> {
  const interval = FloorParameters.shape.interval.parse(parameters.interval);
  const start = positionIn(parameters.cursor);
  if (start === undefined) return BAD_CURSOR;
  return mapped(await floorsOf(settings, ask, contract, { interval }), (floors) => {
    const end = start + PAGE_SIZE;
    return JSON.stringify({
      page: start / PAGE_SIZE + 1,
      page_size: PAGE_SIZE,
      cursor: end < floors.length ? `${end}` : '',
      result: floors
        .slice(start, end)
        .map((floor) =>
          floorRecord({ ...floor, marketplaces: namedMarketplaces(floor.marketplaces) }),
        ),
    });
  });
}

const BAD_CURSOR = { kind: 'failed', reason: 'bad_request' } as const;

function positionIn(cursor = '0'): number | undefined {
  const position = /^\d{1,6}$/.test(cursor) ? Number(cursor) : Number.NaN;
  return position % PAGE_SIZE === 0 ? position : undefined;
}

/** Tokens with all traits. The cursor is the number of the page, a full stop, and OpenSea's cursor. */
async function answerTraits(
  ask: Ask,
  { contract, parameters, body = '' }: RawQuestion,
): Promise<Outcome<string>> {
  const { cursor, limit = `${PAGE_SIZE}`, format = 'decimal' } = parameters;
  const [, page = '1', next] = /^(\d{1,6})\.(.+)$/.exec(cursor ?? '1.-') ?? [];
  if (next === undefined) return BAD_CURSOR;
  const query = {
    traits: JSON.stringify(traitsIn(body)),
    limit,
    ...(cursor === undefined ? {} : { next }),
  };
  const outcome = await ask(
    (slug) => `collection/${slug}/nfts`,
    query,
    (text) => readTokens(text, contract),
  );
  const form = {
    format: format === 'hex' ? ('hex' as const) : ('decimal' as const),
    normalizesMetadata: parameters.normalizeMetadata === 'true',
    showsMedia: parameters.media_items === 'true',
  };
  return mapped(outcome, ({ tokens, next: following }) =>
    JSON.stringify({
      page: Number(page),
      page_size: Number(limit),
      cursor: following === undefined ? '' : `${Number(page) + 1}.${following}`,
      result: tokens.map((token) => formatToken(tokenOf(token, contract), form)),
    }),
  );
}

/** The traits of a checked body, as OpenSea takes them. */
function traitsIn(body: string): readonly { traitType: string; value: string }[] {
  const parsed = parseExactJson(body);
  const traits =
    typeof parsed === 'object' && parsed !== null && 'traits' in parsed ? parsed.traits : {};
  return Object.entries(traits ?? {}).map(([traitType, value]) => ({
    traitType,
    value: `${value}`,
  }));
}

function tokenOf(token: OpenSeaToken, contract: Contract) {
  const { name = null, description = null, image_url: image = null, traits } = token;
  const attributes = traits.map(({ trait_type, value }) => ({ trait_type, value }));
  const metadata = JSON.stringify({ name, description, image, attributes });
  return {
    contract: contractKey(contract),
    id: BigInt(token.identifier),
    record: {
      token_address: contract.address,
      contract_type: token.token_standard.toUpperCase(),
      token_uri: token.metadata_url ?? null,
      last_metadata_sync: token.updated_at ?? null,
      metadata,
    },
  };
}

function mapped<Given, Mapped>(
  outcome: Outcome<Given>,
  map: (value: Given) => Mapped,
): Outcome<Mapped> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}

/** So many slugs are remembered; a stack polls some 10,000 contracts at most. */
const MOST_SLUGS = 10_000;

/** The slug of the collection of a contract, which never changes. */
async function slugOf(
  settings: ProviderSettings,
  known: Map<ContractKey, string>,
  contract: Contract,
  signal: AbortSignal,
): Promise<Outcome<string>> {
  const key = contractKey(contract);
  const remembered = known.get(key);
  if (remembered !== undefined) return { kind: 'ok', value: remembered };
  const chain = identifierOf(contract.chain);
  if (chain === undefined) return { kind: 'unsupported', reason: 'chain' };
  const path = `chain/${chain}/contract/${contract.address}`;
  const found = await callOpenSea(settings, path, {}, readContract, signal);
  if (found.kind !== 'ok') return found;
  const { slug } = found.value;
  if (slug === '') return { kind: 'unsupported', reason: 'shared' };
  if (known.size >= MOST_SLUGS) known.clear();
  known.set(key, slug);
  return { kind: 'ok', value: slug };
}
