import type Coingecko from '@coingecko/coingecko-typescript';
import type { ReceivedRequest } from '#test/support/http-server.ts';
import { startHttpServer } from '#test/support/http-server.ts';

type Collection = Awaited<ReturnType<Coingecko.NFTs.Contract['getContractAddress']>>;

/** The key that the fake accepts. */
export const DEMO_KEY = 'CG-demo';

export type CoinGeckoAnswer = { readonly status: number; readonly body: string };

/**
 * A fake of CoinGecko's API v3 with the types of its own client library: the floor of each
 * contract, in its native currency and in dollars as JSON numbers.
 */
export async function startCoinGecko(
  floorOf: (address: string) => string | null | undefined,
  instead: (request: ReceivedRequest) => CoinGeckoAnswer | undefined = () => undefined,
) {
  return await startHttpServer((response, request) => {
    const { status, body } = instead(request) ?? answerTo(request, floorOf);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
}

function answerTo(
  { path, headers }: ReceivedRequest,
  floorOf: (address: string) => string | null | undefined,
): CoinGeckoAnswer {
  if (headers['user-agent'] === undefined) return { status: 403, body: NO_USER_AGENT };
  if (headers['x-cg-demo-api-key'] !== DEMO_KEY) return { status: 401, body: WRONG_KEY };
  const [, platform = '', address = ''] =
    /^\/api\/v3\/nfts\/([a-z-]+)\/contract\/(0x[0-9a-f]{40})$/.exec(path) ?? [];
  const floor = floorOf(address);
  if (floor === undefined) return { status: 404, body: '{"error":"nft not found"}' };
  const collection = { ...COLLECTION, asset_platform_id: platform, contract_address: address };
  // The price keeps its digits, as in the service's answers.
  const body = JSON.stringify({ ...collection, floor_price: 'FLOOR' });
  const price =
    floor === null ? '{}' : `{"native_currency":${floor},"usd":${Number(floor) * 3000}}`;
  return { status: 200, body: body.replace('"FLOOR"', price) };
}

const WRONG_KEY = JSON.stringify({
  status: { timestamp: '', error_code: 10_002, error_message: 'API Key Missing' },
});

/**
 * The rejection that CoinGecko has sent since January 2026. Source:
 * github.com/ergoplatform/oracle-core/pull/340.
 */
const NO_USER_AGENT = JSON.stringify({
  status: {
    error_code: 403,
    error_message: 'Please add a descriptive User-Agent to your request.',
  },
});

const COLLECTION = {
  id: 'pudgy-penguins',
  asset_platform_id: 'ethereum',
  contract_address: '0x',
  name: 'Pudgy Penguins',
  symbol: 'PPG',
  native_currency: 'ethereum',
  native_currency_symbol: 'ETH',
  market_cap_rank: 3,
  floor_price_in_usd_24h_percentage_change: -1.2,
  floor_price_24h_percentage_change: { usd: -1.2, native_currency: 0.3 },
  volume_24h: { native_currency: 402, usd: 1_240_000 },
  one_day_sales: 33,
  one_day_average_sale_price: 12.1,
  total_supply: 8888,
  web_slug: 'pudgy-penguins',
} satisfies Partial<Collection>;
