import { text } from 'node:stream/consumers';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { type Floor, type MarketSource, priceOf } from '#infra/local/upstream/market-source.ts';
import { openSeaAnswer, searchAnswer, slugFor } from '#infra/local/upstream/opensea-answers.ts';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import { traitsOf } from '#shared/domain/archive/token.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, formatInstant, HOUR, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { identifierOf } from '#shared/providers/opensea/chains.ts';
import { withoutUserAgent } from '#test/support/user-agent.ts';
import { answerIssues, documentedPath, requestIssues } from './document.ts';

export type OpenSeaDouble = AsyncDisposable & {
  readonly url: string;
  /** Requests by method and path, without the host. */
  readonly requests: readonly string[];
  /** The violations of OpenSea's document in requests and answers. */
  readonly issues: readonly string[];
};

type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type OpenSeaDoubleOptions = {
  readonly source: MarketSource;
  readonly now: () => Instant;
  /** The contracts that a wallet holds; none by default. */
  readonly holdings?: (wallet: string) => readonly ContractKey[];
  /** A path that is never answered. */
  readonly silentAt?: string;
  /** Replaces an answer of the market, for tests of failures. */
  readonly instead?: (path: string, query: URLSearchParams) => Answer | undefined;
};

/** The key that the fake creates without an account. */
export const INSTANT_KEY = 'key-without-an-account';

/**
 * A fake of OpenSea with a market; validates each request and answer against OpenSea's document.
 */
export async function startOpenSea(options: OpenSeaDoubleOptions): Promise<OpenSeaDouble> {
  const requests: string[] = [];
  const issues: string[] = [];
  const server = createLoopbackServer(async (request, response) => {
    const url = new URL(`http://localhost${request.url}`);
    const method = request.method ?? '';
    await text(request);
    requests.push(`${method} ${url.pathname}${url.search}`);
    if (url.pathname === options.silentAt) return;
    const blocked = withoutUserAgent(request.headers);
    if (blocked !== undefined) {
      response.writeHead(blocked.status).end(blocked.body);
      return;
    }
    const documented = documentedPath(method, url.pathname);
    if (documented === undefined) {
      issues.push(`${method} ${url.pathname} is not documented`);
      response.writeHead(404).end();
      return;
    }
    issues.push(...requestIssues(method, documented, url.searchParams));
    const isAllowed =
      documented.path === '/api/v2/auth/keys' || request.headers['x-api-key'] === INSTANT_KEY;
    const {
      status,
      body,
      headers = {},
    } = isAllowed
      ? (options.instead?.(url.pathname, url.searchParams) ??
        marketAnswer(options, url) ??
        answerOf(options, documented.path, documented.values, url.searchParams))
      : { status: 401, body: { errors: ['Invalid or missing API key'] } };
    const written = typeof body === 'string' ? parseExactJson(body) : body;
    if (written !== undefined) issues.push(...answerIssues(method, documented, status, written));
    const json = { 'content-type': 'application/json' };
    const rate = status < 400 ? rateHeaders(options.now()) : {};
    response.writeHead(status, { ...json, ...rate, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const url = await listen(server);
  return { url, requests, issues, [Symbol.asyncDispose]: () => closeServer(server) };
}

/**
 * The rate limit of a free key; the window ends with the hour. Tests add these headers to
 * rejections themselves.
 */
function rateHeaders(now: Instant): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': '600',
    'x-ratelimit-remaining': '599',
    'x-ratelimit-reset': `${(Math.floor(now / HOUR) + 1) * (HOUR / SECOND)}`,
  };
}

const NOT_FOUND: Answer = { status: 404, body: { errors: ['not found'] } };

const PICTURES = 'https://pictures.example';

/** The answer that the simulated market of `npm start` also gives. */
function marketAnswer({ source, now }: OpenSeaDoubleOptions, url: URL): Answer | undefined {
  const answer = openSeaAnswer(source, now(), url.pathname, url.searchParams, PICTURES);
  return answer && { status: 200, body: answer.body };
}

function answerOf(
  { source, now, holdings = () => [] }: OpenSeaDoubleOptions,
  path: string,
  [first = '']: readonly string[],
  query: URLSearchParams,
): Answer {
  const ok = (body: unknown): Answer => ({ status: 200, body });
  const known = source.contracts().map(({ contract, name }) => ({
    contract,
    name,
    slug: slugFor(name),
    ...contractOf(contract),
  }));
  const found = known.find(({ slug }) => slug === first);
  switch (path) {
    case '/api/v2/auth/keys':
      return {
        status: 201,
        body: {
          api_key: INSTANT_KEY,
          name: 'instant',
          expires_at: formatInstant(now() + 7 * DAY),
          rate_limits: { read: '600/h', write: '30/h', fulfillment: '5/m' },
          upgrade_url: 'https://opensea.io/settings/developer',
        },
      };
    case '/api/v2/account/{address}/collections': {
      const held = new Set(holdings(first));
      const start = Number(query.get('after') ?? 0);
      const end = start + Number(query.get('limit') ?? 50);
      const mine = known.filter(({ contract }) => held.has(contract));
      return ok({
        collections: mine.slice(start, end).map(({ slug, name, address, chain }) => ({
          ...{ ...flags, collection: slug, name, opensea_url: `https://opensea.io/${slug}` },
          ...{ collection_offers_enabled: true, trait_offers_enabled: true },
          ...{ safelist_status: 'verified', item_count: 1, total_quantity: 1 },
          contracts: [{ address, chain: identifierOf(chain) }],
        })),
        ...(end < mine.length ? { next: `${end}` } : {}),
      });
    }
    case '/api/v2/search':
      return ok(searchAnswer(source, query.get('query') ?? ''));
  }
  if (found === undefined) return NOT_FOUND;
  const { contract, slug, address, chain } = found;
  switch (path) {
    case '/api/v2/collections/{slug}/stats': {
      const floor = floorAt(source, contract, now());
      return ok({
        intervals: INTERVALS.map(([interval, days]) => ({
          interval,
          ...tradedIn(source, contract, now() - days * DAY, now()),
        })),
        total: {
          ...{ volume: 1.5, volume_symbol: 'ETH', sales: 10, num_owners: 5 },
          floor_price: floor === undefined ? 0 : Number(floor.record.floor_price),
          floor_price_symbol: floor === undefined ? '' : floor.record.currency.toUpperCase(),
        },
      });
    }
    case '/api/v2/events/collection/{slug}': {
      const after = Number(query.get('after') ?? 0) * SECOND;
      const before = query.has('before') ? Number(query.get('before')) * SECOND - 1 : now();
      const limit = Number(query.get('limit') ?? 50);
      const start = Number(query.get('next') ?? 0);
      const sales = [...source.trades(contract, after, Math.min(before, now()))].toReversed();
      const end = start + limit;
      return ok({
        asset_events: sales.slice(start, end).map(({ time, record }) => ({
          ...{ event_type: 'sale', event_timestamp: Math.floor(time / SECOND) },
          ...{ closing_date: Math.floor(time / SECOND), chain: identifierOf(chain), quantity: 1 },
          transaction: record.transaction_hash,
          order_hash: record.transaction_hash,
          protocol_address: record.marketplace_address,
          seller: record.seller_address,
          buyer: record.buyer_address,
          payment: {
            quantity: record.price,
            token_address: '0x0000000000000000000000000000000000000000',
            decimals: 18,
            symbol: record.payment_token,
          },
          nft: nftOf(slug, address, record.token_ids[0] ?? '0', {}),
        })),
        ...(end < sales.length ? { next: `${end}` } : {}),
      });
    }
    case '/api/v2/collection/{slug}/nfts': {
      const wanted: { traitType: string; value: string }[] = JSON.parse(
        query.get('traits') ?? '[]',
      );
      const tokens = source.tokens(contract).filter((token) => {
        const traits = traitsOf(token);
        return wanted.every(({ traitType, value }) =>
          traits.some(([type, has]) => type === traitType && has === value),
        );
      });
      const limit = Number(query.get('limit') ?? 50);
      const start = Number(query.get('next') ?? 0);
      const end = start + limit;
      return ok({
        nfts: tokens
          .slice(start, end)
          .map((token) => nftOf(slug, address, token.token_id, { traits: traitsOf(token) })),
        ...(end < tokens.length ? { next: `${end}` } : {}),
      });
    }
    default:
      return NOT_FOUND;
  }
}

const flags = { is_disabled: false, is_nsfw: false };

function floorAt(source: MarketSource, contract: ContractKey, now: Instant): Floor | undefined {
  for (const floor of source.floors(contract, now - 30 * DAY, now)) return floor;
  return undefined;
}

/** The names of the known intervals in statistics; the service has others, too. */
const INTERVALS = [
  ['one_day', 1],
  ['seven_day', 7],
  ['thirty_day', 30],
] as const;

/** The volume and the number of sales that were paid in ETH. */
function tradedIn(source: MarketSource, contract: ContractKey, from: Instant, to: Instant) {
  const paid = [...source.trades(contract, from, to)].filter(({ record }) => isPaidInEth(record));
  const volume = paid.reduce((sum, trade) => sum + priceOf(trade), 0n);
  return { volume: Number(formatDecimal(volume)), volume_symbol: 'ETH', sales: paid.length };
}

function nftOf(
  slug: string,
  contract: string,
  identifier: string,
  { traits = [] }: { readonly traits?: readonly (readonly [string, string])[] },
) {
  return {
    ...{ ...flags, collection: slug, contract, identifier, token_standard: 'erc721' },
    opensea_url: `https://opensea.io/item/ethereum/${contract}/${identifier}`,
    updated_at: '2026-11-01T00:00:00',
    name: `#${identifier}`,
    // A trait may have any value, or null.
    traits: [
      ...traits.map(([trait_type, value]) => ({ trait_type, value })),
      { trait_type: 'Unnamed', value: null },
    ],
  };
}
