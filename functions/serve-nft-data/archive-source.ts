import { cursorTo, placeFromCursor } from '#shared/domain/archive/place.ts';
import {
  type ArchivedToken,
  hasTraits,
  isTokenId,
  tokenText,
  traitKey,
} from '#shared/domain/archive/token.ts';
import type { Marketplace, TradeRecord } from '#shared/domain/archive/trade.ts';
import { defined } from '#shared/domain/defined.ts';
import { type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant, readInstant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { floorRecord, namedMarketplaces } from '#shared/domain/nft-data/floor-record.ts';
import { type FloorInterval, PAGE_SIZE } from '#shared/domain/nft-data/pages.ts';
import type { Page } from '#shared/domain/page.ts';
import type { FloorPrice, FloorPricePage, LowestTrade, NftPage } from './answers.ts';
import type { NftAnswer, NftQuestion, NftSource, TraitsQuestion } from './source.ts';

export type ArchivePorts = {
  readonly now: () => Instant;
  /** The existing tokens among the given ids, in the order of the ids. */
  readonly tokens: (
    contract: ContractKey,
    ids: readonly bigint[],
  ) => Promise<readonly ArchivedToken[]>;
  /** The number of tokens with each trait, in the order of the traits. */
  readonly tokenCounts: (
    contract: ContractKey,
    traits: readonly string[],
  ) => Promise<readonly number[]>;
  readonly tokensWith: (
    contract: ContractKey,
    trait: string,
    page: { readonly after: bigint | undefined; readonly limit: number },
  ) => Promise<Page<Pick<ArchivedToken, 'id' | 'traits'>, bigint>>;
  readonly lowestTrade: (
    contract: ContractKey,
    window: { readonly from: Instant; readonly to: Instant; readonly marketplace?: Marketplace },
  ) => Promise<TradeRecord | undefined>;
  readonly floors: (
    contract: ContractKey,
    series: PriceSeriesName,
    span: {
      readonly from: Instant;
      readonly to: Instant;
      readonly each: 'point' | 'day';
      readonly limit: number;
    },
  ) => Promise<readonly PricePoint[]>;
};

/** Answers queries from the archive in the stack's table. */
export function createArchiveSource(ports: ArchivePorts): NftSource {
  return async (question) => {
    switch (question.operation) {
      case 'traits':
        return await searchTokens(ports, question);
      case 'floor':
        return await floorHistory(ports, question);
      case 'lowest':
        return await lowestTrade(ports, question);
    }
  };
}

type Question<Operation> = Extract<NftQuestion, { readonly operation: Operation }>;

/**
 * The tokens with all given traits, in the order of their ids. Only the postings of the rarest
 * trait are read, because each posting contains all traits of its token.
 */
async function searchTokens(ports: ArchivePorts, question: TraitsQuestion): Promise<NftAnswer> {
  const contract = contractKey(question.contract);
  const { traits, cursor } = question;
  const keys = traits.map(traitKey);
  const asked = JSON.stringify(['traits', contract, keys.toSorted()]);
  const place = cursor === undefined ? undefined : placeFromCursor(cursor, asked);
  if (cursor !== undefined && !isTokenId(place?.after ?? '')) return { kind: 'bad_cursor' };
  // As with the upstream, the first page sets the size of all pages.
  const { after, page, limit } = place ?? { page: 1, limit: question.limit ?? PAGE_SIZE };
  const walked = await idsAfter(ports, contract, keys, after, limit);
  const found = await ports.tokens(contract, walked.ids);
  // A posting may be outdated, or its token may be gone, so the token itself is checked.
  const tokens = found.filter((token) => hasTraits(token, keys));
  const form = {
    format: question.format ?? 'decimal',
    normalizesMetadata: question.normalizeMetadata ?? false,
    showsMedia: question.media_items ?? false,
  };
  const reported = fitting(tokens.map((token) => tokenText(token, form)));
  const next = reported.length < tokens.length ? tokens[reported.length - 1]?.id : walked.next;
  const cursorToNext =
    next === undefined ? '' : cursorTo({ after: `${next}`, page: page + 1, limit }, asked);
  const head = { page: `${page}`, page_size: `${limit}`, cursor: cursorToNext };
  return pageOf(head, reported);
}

/** The ids of a page, and the id after which the next page begins, if there is one. */
async function idsAfter(
  ports: ArchivePorts,
  contract: ContractKey,
  traits: readonly string[],
  after: string | undefined,
  limit: number,
): Promise<{ readonly ids: readonly bigint[]; readonly next?: bigint }> {
  const rarest = await rarestOf(ports, contract, traits);
  if (rarest === undefined) return { ids: [] };
  const others = traits.filter((trait) => trait !== rarest);
  const atOnce = others.length === 0 ? limit + 1 : POSTINGS_AT_ONCE;
  const ids: bigint[] = [];
  let from = after === undefined ? undefined : BigInt(after);
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const page = { after: from, limit: atOnce };
    const { entries, next } = await ports.tokensWith(contract, rarest, page);
    const having = entries.filter((posting) => hasTraits(posting, others));
    ids.push(...having.map(({ id }) => id));
    const last = ids[limit - 1];
    if (ids.length > limit && last !== undefined) return { ids: ids.slice(0, limit), next: last };
    if (next === undefined) return { ids };
    from = next;
  }
  return { ids, ...defined({ next: from }) };
}

const POSTINGS_AT_ONCE = 250;
/**
 * Maximum number of reads of postings in a request. After this number, the page is returned
 * incomplete, with a cursor.
 */
const MOST_READINGS = 40;

async function rarestOf(
  ports: ArchivePorts,
  contract: ContractKey,
  traits: readonly string[],
): Promise<string | undefined> {
  if (traits.length === 1) return traits[0];
  const counts = await ports.tokenCounts(contract, traits);
  return traits[counts.indexOf(Math.min(...counts))];
}

const INTERVAL_DAYS: Readonly<Record<FloorInterval, number>> = {
  '1d': 1,
  '7d': 7,
  '30d': 30,
  '60d': 60,
  '90d': 90,
  '1y': 365,
  all: 100 * 365,
};
/**
 * For intervals of more than this many days, the archive returns only the last floor of each day.
 */
const DAYS_IN_FULL = 30;

async function floorHistory(ports: ArchivePorts, question: Question<'floor'>): Promise<NftAnswer> {
  const contract = contractKey(question.contract);
  const { interval, cursor } = question;
  const asked = JSON.stringify(['floor', contract, interval]);
  const place = cursor === undefined ? undefined : placeFromCursor(cursor, asked);
  const before = place === undefined ? undefined : readInstant(place.after);
  if (cursor !== undefined && before === undefined) return { kind: 'bad_cursor' };
  const now = ports.now();
  const days = INTERVAL_DAYS[interval];
  const points = await ports.floors(contract, 'floor', {
    from: Math.max(now - days * DAY, 0),
    to: before === undefined ? now : Math.min(before - 1, now),
    each: days > DAYS_IN_FULL ? 'day' : 'point',
    limit: PAGE_SIZE + 1,
  });
  const reported = points.slice(0, PAGE_SIZE);
  const last = reported.at(-1);
  const { page } = place ?? { page: 1 };
  const next =
    last === undefined || reported.length === points.length
      ? ''
      : cursorTo({ after: formatInstant(last.time), page: page + 1, limit: PAGE_SIZE }, asked);
  const head = { page, page_size: PAGE_SIZE, cursor: next };
  const records = reported.map((point) => JSON.stringify(recordOf(point)));
  return pageOf(head, records);
}

function recordOf({ source = '', marketplaces, ...point }: PricePoint): FloorPrice {
  const names = source.split(', ').filter((name) => name !== '');
  return floorRecord({ ...point, marketplaces: marketplaces ?? namedMarketplaces(names) });
}

async function lowestTrade(ports: ArchivePorts, question: Question<'lowest'>): Promise<NftAnswer> {
  const to = ports.now();
  const { contract, days, marketplace } = question;
  const window = { from: to - days * DAY, to };
  const lowest: LowestTrade | undefined = await ports.lowestTrade(
    contractKey(contract),
    marketplace === undefined ? window : { ...window, marketplace },
  );
  if (lowest === undefined) return { kind: 'empty' };
  return { kind: 'ok', from: 'archive', body: JSON.stringify(lowest) };
}

/** Lambda's limit for a response, in bytes, minus room for headers and escaping. */
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;

/**
 * As many records as fit into an answer, at least one. A character takes at most three bytes in
 * JSON, or two if it is escaped.
 */
function fitting(records: readonly string[]): readonly string[] {
  const characters = records.reduce((sum, record) => sum + record.length, 0);
  if (3 * characters <= MAX_ANSWER_BYTES) return records;
  let bytes = 0;
  const tooMany = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(JSON.stringify(record));
    return index > 0 && bytes > MAX_ANSWER_BYTES;
  });
  return tooMany === -1 ? records : records.slice(0, tooMany);
}

function pageOf(
  head: Pick<NftPage | FloorPricePage, 'page' | 'page_size' | 'cursor'>,
  records: readonly string[],
): NftAnswer {
  const body = `${JSON.stringify(head).slice(0, -1)},"result":[${records.join(',')}]}`;
  return { kind: 'ok', from: 'archive', entries: records.length, body };
}
