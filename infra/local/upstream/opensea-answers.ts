import { type Trait, traitsOf } from '#shared/domain/archive/token.ts';
import {
  type Contract,
  type ContractKey,
  contractOf,
  TraitFilter,
  withTraits,
} from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, readDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { StatisticsDays } from '#shared/domain/market/price-series.ts';
import { identifierOf, slugOf } from '#shared/providers/opensea/chains.ts';
import type { Floor, MarketSource } from './market-source.ts';
import { bestOfferPercent, statisticsAt } from './market-statistics.ts';

/**
 * OpenSea's answer about a collection of the market: its floor, statistics, offers, sales, tokens
 * and floors of traits. Undefined for all other paths, and for collections that the market lacks.
 * The URL of a collection's picture is `pictures` followed by its slug.
 */
export function openSeaAnswer(
  source: MarketSource,
  now: Instant,
  path: string,
  query: URLSearchParams,
  pictures: string,
): { readonly contract: ContractKey; readonly body: unknown } | undefined {
  for (const [form, answer] of ANSWERS) {
    const [found, ...values] = form.exec(path) ?? [];
    if (found === undefined) continue;
    const of = collections(source).find((one) => isMeant(one, values));
    if (of === undefined) return undefined;
    return { contract: of.contract, body: answer({ source, now, pictures, ...of }, query) };
  }
  return undefined;
}

/** OpenSea's answer to a search: the collections whose names contain the text. */
export function searchAnswer(source: MarketSource, text: string) {
  const asked = text.toLowerCase();
  return {
    results: collections(source)
      .filter(({ name }) => name.toLowerCase().includes(asked))
      .map(({ slug, name }) => ({
        type: 'collection',
        collection: {
          ...{ is_disabled: false, is_nsfw: false, collection: slug, name },
          opensea_url: `https://opensea.io/${slug}`,
        },
      })),
  };
}

/** The slug of a collection: its name in lower case. */
export function slugFor(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

const NO_ADDRESS = `0x${'0'.repeat(40)}`;

type Collection = Contract & {
  readonly contract: ContractKey;
  readonly name: string;
  readonly slug: string;
};

type Asked = Collection & {
  readonly source: MarketSource;
  readonly now: Instant;
  readonly pictures: string;
};

function collections(source: MarketSource): readonly Collection[] {
  return source.contracts().map(({ contract, name }) => ({
    ...contractOf(contract),
    contract,
    name,
    slug: slugFor(name),
  }));
}

/** Whether a path names the collection, by slug or by chain and address. */
function isMeant({ contract, slug }: Collection, [first = '', address]: readonly string[]) {
  return address === undefined ? slug === first : contract === `${slugOf(first)}:${address}`;
}

const ANSWERS: readonly (readonly [
  form: RegExp,
  answer: (asked: Asked, query: URLSearchParams) => unknown,
])[] = [
  [
    /^\/api\/v2\/chain\/([^/]+)\/contract\/([^/]+)$/,
    ({ slug, name, address, chain }) => {
      const standard = { contract_standard: 'erc721', chain: identifierOf(chain) };
      return { address, collection: slug, name, ...standard };
    },
  ],
  [
    /^\/api\/v2\/collections\/([^/]+)$/,
    ({ slug, name, address, chain, pictures }) => ({
      ...{ is_disabled: false, is_nsfw: false },
      ...{ collection: slug, name, opensea_url: `https://opensea.io/${slug}` },
      ...{ collection_offers_enabled: true, trait_offers_enabled: true },
      ...{ safelist_status: 'verified', created_date: '2021-04-22', total_supply: 10_000 },
      ...{ unique_item_count: 10_000, editors: [], fees: [] },
      image_url: `${pictures}/${encodeURIComponent(slug)}.png`,
      pricing_currencies: { listing_currency: ETHER, offer_currency: ETHER },
      contracts: [{ address, chain: identifierOf(chain) }],
    }),
  ],
  [
    /^\/api\/v2\/collections\/([^/]+)\/floor_prices$/,
    ({ source, contract, chain, now }, query) => {
      const span = TIMEFRAMES[query.get('timeframe') ?? ''] ?? DAY;
      const all = [...source.floors(contract, now - span, now)].toReversed();
      const floors = sampled(all, Number(query.get('resolution') ?? 100));
      return {
        floor_prices: floors.map(({ time, record }) => ({
          time: time / SECOND,
          token_unit: Number(record.floor_price),
          usd_price: record.floor_price_usd,
          symbol: record.currency.toUpperCase(),
          chain: identifierOf(chain),
        })),
      };
    },
  ],
  [
    /^\/api\/v2\/collections\/([^/]+)\/stats$/,
    ({ source, contract, now }) => {
      const floor = floorNow(source, contract, now);
      const { periods, total, owners } = statisticsAt(source, contract, now);
      return {
        intervals: periods.map(({ days, ...traded }) => ({
          interval: INTERVALS[days],
          ...tradedAnswer(traded),
        })),
        total: {
          ...tradedAnswer(total),
          num_owners: owners,
          floor_price: floor === undefined ? 0 : Number(floor.record.floor_price),
          floor_price_symbol: floor === undefined ? '' : floor.record.currency.toUpperCase(),
        },
      };
    },
  ],
  [
    /^\/api\/v2\/events\/collection\/([^/]+)$/,
    ({ source, contract, address, chain, slug, now }, query) => {
      const after = Number(query.get('after') ?? 0) * SECOND;
      const before = query.has('before') ? Number(query.get('before')) * SECOND - 1 : now;
      const sales = [...source.trades(contract, after, Math.min(before, now))].toReversed();
      const { page, next } = pageOf(sales, query);
      return {
        asset_events: page.map(({ time, record }) => ({
          ...{ event_type: 'sale', event_timestamp: Math.floor(time / SECOND) },
          ...{ closing_date: Math.floor(time / SECOND), chain: identifierOf(chain), quantity: 1 },
          transaction: record.transaction_hash,
          order_hash: record.transaction_hash,
          protocol_address: record.marketplace_address,
          seller: record.seller_address,
          buyer: record.buyer_address,
          payment: {
            quantity: record.price,
            token_address: NO_ADDRESS,
            decimals: 18,
            symbol: record.payment_token,
          },
          nft: nftOf(slug, address, record.token_ids[0] ?? '0', []),
        })),
        ...next,
      };
    },
  ],
  [
    /^\/api\/v2\/collection\/([^/]+)\/nfts$/,
    ({ source, contract, address, slug }, query) => {
      const tokens = source.tokens(contract).filter((token) => {
        const traits = traitsOf(token);
        return traitsIn(query).every(({ traitType, value }) =>
          traits.some(([type, has]) => type === traitType && has === value),
        );
      });
      const { page, next } = pageOf(tokens, query);
      const nfts = page.map((token) => nftOf(slug, address, token.token_id, traitsOf(token)));
      return { nfts, ...next };
    },
  ],
  [
    /^\/api\/v2\/collections\/([^/]+)\/offer_aggregates$/,
    ({ source, contract, chain, now }, query) => {
      const floor = floorNow(source, contract, now);
      const levels =
        floor === undefined
          ? []
          : offeredPercents(floor).map((percent) => {
              const price = (Number(floor.record.floor_price) * percent) / 100;
              const money = { symbol: 'WETH', chain: identifierOf(chain) };
              const levelOf = (token_unit: number) => ({
                ...{ ...money, token_unit, usd_price: `${token_unit * 3000}` },
              });
              return {
                ...{
                  offer_price: levelOf(price),
                  total_value: levelOf(price * 3),
                  total_offers: 3,
                },
                bidders: [],
              };
            });
      return { offer_aggregates: levels.slice(0, Number(query.get('limit') ?? 20)) };
    },
  ],
  [
    /^\/api\/v2\/traits\/([^/]+)\/floors$/,
    ({ source, contract, chain, now }) => {
      const traits = source.tokens(contract).flatMap(traitsOf);
      const known = new Map(traits.map((trait) => [JSON.stringify(trait), trait]));
      return {
        chain: identifierOf(chain),
        floors: [...known.values()].flatMap(([type, value]) => {
          // OpenSea has no floors of numeric traits.
          if (/^-?\d+(\.\d+)?$/.test(value)) return [];
          const floor = floorOfTraits(source, contract, { [type]: value }, now);
          if (floor === undefined) return [];
          const price = Number(floor.record.floor_price);
          const symbol = floor.record.currency.toUpperCase();
          const trait = { trait_type: type, value };
          return [{ ...trait, floor_price: price, payment_token_symbol: symbol }];
        }),
      };
    },
  ],
  [
    /^\/api\/v2\/listings\/collection\/([^/]+)\/best$/,
    ({ source, contract, address, chain, now }, query) => {
      const traits = Object.fromEntries(
        traitsIn(query).map(({ traitType, value }) => [traitType, value]),
      );
      const floor = floorOfTraits(source, contract, traits, now);
      const listing = floor && {
        ...{ chain: identifierOf(chain), remaining_quantity: 1, status: 'ACTIVE', type: 'basic' },
        protocol_data: { parameters: orderOf(address, ['1']) },
        price: {
          current: {
            currency: floor.record.currency.toUpperCase(),
            ...{ decimals: 18, value: `${readDecimal(floor.record.floor_price)}` },
          },
        },
      };
      return { listings: listing === undefined ? [] : [listing] };
    },
  ],
];

/** The price levels of offers in percent of a floor, highest first. */
function offeredPercents(floor: Floor): readonly number[] {
  const best = bestOfferPercent(floor);
  return [best, best - 2, best - 7];
}

/** The intervals of statistics that we read; OpenSea has more. */
const INTERVALS: Readonly<Record<StatisticsDays, string>> = {
  1: 'one_day',
  7: 'seven_day',
  30: 'thirty_day',
};

function tradedAnswer({ volume, sales }: { readonly volume: Decimal; readonly sales: number }) {
  return { volume: Number(formatDecimal(volume)), volume_symbol: 'ETH', sales };
}

function nftOf(slug: string, contract: string, identifier: string, traits: readonly Trait[]) {
  return {
    ...{ is_disabled: false, is_nsfw: false, collection: slug, contract, identifier },
    ...{ token_standard: 'erc721', name: `#${identifier}` },
    opensea_url: `https://opensea.io/item/ethereum/${contract}/${identifier}`,
    updated_at: '2026-11-01T00:00:00',
    traits: traits.map(([trait_type, value]) => ({ trait_type, value })),
  };
}

function traitsIn(
  query: URLSearchParams,
): readonly { readonly traitType: string; readonly value: string }[] {
  return JSON.parse(query.get('traits') ?? '[]');
}

/**
 * A page of items, and the cursor of the next page, which is the number of items before that page.
 */
function pageOf<Thing>(things: readonly Thing[], query: URLSearchParams) {
  const start = Number(query.get('next') ?? 0);
  const end = start + Number(query.get('limit') ?? 50);
  return {
    page: things.slice(start, end),
    next: end < things.length ? { next: `${end}` } : {},
  };
}

/** An order in the format of Seaport, OpenSea's protocol, with amounts of a token. */
export function orderOf(token: string, amounts: readonly string[]) {
  const nobody = NO_ADDRESS;
  const nothing = `0x${'0'.repeat(64)}`;
  return {
    ...{ offerer: nobody, zone: nobody, zoneHash: nothing, conduitKey: nothing, salt: '0' },
    ...{ startTime: '0', endTime: '0', orderType: 0, counter: 0 },
    ...{ consideration: [], totalOriginalConsiderationItems: 0 },
    offer: amounts.map((amount, index) => ({
      ...{ itemType: 2, token, identifierOrCriteria: `${index + 1}` },
      ...{ startAmount: amount, endAmount: amount },
    })),
  };
}

const ETHER = {
  ...{ symbol: 'ETH', name: 'Ether', chain: 'ethereum', image: '', decimals: 18 },
  ...{ address: NO_ADDRESS, eth_price: '1', usd_price: '3000' },
};

const TIMEFRAMES: Readonly<Record<string, number>> = {
  one_hour: HOUR,
  one_day: DAY,
  seven_days: 7 * DAY,
  thirty_days: 30 * DAY,
  one_year: 365 * DAY,
  all_time: 3650 * DAY,
};

/** An even sample of at most this many items, including the last one. */
function sampled<Thing>(things: readonly Thing[], most: number): readonly Thing[] {
  const every = Math.max(1, Math.ceil(things.length / most));
  return things.filter((_, index) => (things.length - 1 - index) % every === 0);
}

/** The current floor of the tokens with the given traits. */
function floorOfTraits(
  source: MarketSource,
  contract: ContractKey,
  traits: Readonly<Record<string, string>>,
  now: Instant,
): Floor | undefined {
  const wanted = TraitFilter.safeParse(traits).data;
  const key = wanted && withTraits(contract, wanted);
  if (key === undefined) return undefined;
  return floorNow(source, key, now);
}

/** The current floor; undefined if there was none in the last 30 days. */
function floorNow(source: MarketSource, contract: ContractKey, now: Instant): Floor | undefined {
  for (const floor of source.floors(contract, now - 30 * DAY, now)) return floor;
  return undefined;
}
