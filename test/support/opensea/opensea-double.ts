import { text } from 'node:stream/consumers';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import type { MarketSource } from '#infra/local/upstream/market-source.ts';
import { openSeaAnswer, searchAnswer, slugFor } from '#infra/local/upstream/opensea-answers.ts';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
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
  return answer && { status: 200, body: withNullTrait(answer.body) };
}

/** A trait of a token may have any value, or null. */
function withNullTrait(body: unknown): unknown {
  const { nfts } = body as { readonly nfts?: readonly { readonly traits: readonly unknown[] }[] };
  if (nfts === undefined) return body;
  const unnamed = { trait_type: 'Unnamed', value: null };
  const changed = nfts.map((nft) => ({ ...nft, traits: [...nft.traits, unnamed] }));
  return { ...(body as object), nfts: changed };
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
  return NOT_FOUND;
}

const flags = { is_disabled: false, is_nsfw: false };
