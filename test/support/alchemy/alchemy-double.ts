import { startHttpServer } from '#test/support/http-server.ts';
import { withoutUserAgent } from '#test/support/user-agent.ts';

/** The key that the fake accepts. */
export const ALCHEMY_KEY = 'alchemy-key';

/** An answer of `getFloorPrice`, as in Alchemy's reference. */
export type MarketplaceFloor =
  | {
      readonly floorPrice: string | null;
      readonly priceCurrency: string;
      readonly collectionUrl: string;
      readonly retrievedAt: string;
    }
  | { readonly error: string };

export type AlchemyAnswer = { readonly status: number; readonly body: string };

/**
 * A fake of Alchemy's NFT API v3; it only answers requests for the floors of a contract by
 * marketplace.
 */
export async function startAlchemy(
  floorOf: (address: string) => MarketplaceFloor,
  instead: () => AlchemyAnswer | undefined = () => undefined,
) {
  return await startHttpServer((response, { path, query, headers }) => {
    const { status, body } =
      instead() ?? withoutUserAgent(headers) ?? answerTo(path, query, floorOf);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
}

function answerTo(
  path: string,
  query: URLSearchParams,
  floorOf: (address: string) => MarketplaceFloor,
): AlchemyAnswer {
  const [, key, method] = /^\/nft\/v3\/([^/]+)\/(\w+)$/.exec(path) ?? [];
  if (key !== ALCHEMY_KEY)
    return { status: 401, body: '{"error":{"message":"Must be authenticated!"}}' };
  const address = query.get('contractAddress') ?? '';
  if (method !== 'getFloorPrice' || !/^0x[0-9a-f]{40}$/.test(address)) {
    return { status: 400, body: '{"error":{"message":"bad request"}}' };
  }
  const floor = floorOf(address);
  // The price keeps its digits, as in the service's answers.
  const openSea = JSON.stringify(floor).replace(/"floorPrice":"([^"]*)"/, '"floorPrice":$1');
  const looksRare = JSON.stringify({ error: 'unable to fetch floor price' });
  return { status: 200, body: `{"openSea":${openSea},"looksRare":${looksRare}}` };
}
