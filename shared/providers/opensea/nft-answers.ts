import { parseExactJson } from '#shared/clients/exact-json.ts';
import { formatToken } from '#shared/domain/archive/token.ts';
import { type Contract, contractKey } from '#shared/domain/market/contract.ts';
import { mapOutcome, type Outcome, type RawQuestion } from '#shared/domain/market/upstream.ts';
import { floorRecord, namedMarketplaces } from '#shared/domain/nft-data/floor-record.ts';
import { FloorInterval, PAGE_SIZE } from '#shared/domain/nft-data/pages.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { type OpenSeaToken, readTokens } from './answers.ts';
import type { Ask } from './ask.ts';
import { recordedFloors } from './floors.ts';
import { lowestSale } from './sales.ts';

/** Answers a v2.2 query with OpenSea's data. */
export async function answerQuestion(
  settings: ProviderSettings,
  ask: Ask,
  question: RawQuestion,
): Promise<Outcome<string>> {
  switch (question.way) {
    case 'nfts-by-traits':
      return await answerTraits(ask, question);
    case 'floor-price/historical':
      return await answerFloors(settings, ask, question);
    case 'lowestprice':
    case 'price':
      return await answerLowest(settings, ask, question);
  }
}

async function answerLowest(
  settings: ProviderSettings,
  ask: Ask,
  { contract, parameters }: RawQuestion,
): Promise<Outcome<string>> {
  const outcome = await lowestSale(settings, ask, contract, Number(parameters.days ?? 7));
  return mapOutcome(outcome, ({ record }) => JSON.stringify(record));
}

/**
 * OpenSea returns all floors at once, so they are paginated here: the cursor is the number of
 * floors before the page.
 */
async function answerFloors(
  settings: ProviderSettings,
  ask: Ask,
  { contract, parameters }: RawQuestion,
): Promise<Outcome<string>> {
  const interval = FloorInterval.parse(parameters.interval);
  const start = positionIn(parameters.cursor);
  if (start === undefined) return BAD_CURSOR;
  return mapOutcome(await recordedFloors(settings, ask, contract, interval), (floors) => {
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

/**
 * Tokens with all given traits. The cursor is the page number, a full stop, and OpenSea's cursor.
 */
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
  return mapOutcome(outcome, ({ tokens, next: following }) =>
    JSON.stringify({
      page: Number(page),
      page_size: Number(limit),
      cursor: following === undefined ? '' : `${Number(page) + 1}.${following}`,
      result: tokens.map((token) => formatToken(tokenOf(token, contract), form)),
    }),
  );
}

/** The traits of a validated body, in OpenSea's format. */
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
