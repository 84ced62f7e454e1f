import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { createArchiveSource } from '#functions/serve-nft-data/archive-source.ts';
import { serveNftData } from '#functions/serve-nft-data/routes.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { answersProblems, problemWithMessage } from '#shared/http/answer.ts';
import { createArchiveStore } from '#shared/stores/archive-store.ts';
import type { BatchTable } from '#shared/stores/bulk-table.ts';
import { anHttpRequest, NOON, PUNKS } from './builders.ts';
import { documented } from './documented.ts';

export const TRAITS = 'POST /api/v2.2/nft/{address}/nfts-by-traits';
export const FLOORS = 'GET /api/v2.2/nft/{address}/floor-price/historical';
export const LOWEST = 'GET /api/v2.2/nft/{address}/lowestprice';

const { address: ADDRESS } = contractOf(PUNKS);

/**
 * The v2.2 interface in archive mode over a table with the punks; `read` counts the reads of the
 * table.
 */
export function serveArchive(table: BatchTable) {
  const read = { items: 0, requests: 0 };
  const counted = {
    ...table,
    get: async (key: Parameters<typeof table.get>[0]) => {
      const item = await table.get(key);
      read.items += item === undefined ? 0 : 1;
      read.requests += 1;
      return item;
    },
    getAll: async (keys: Parameters<typeof table.getAll>[0]) => {
      const items = await table.getAll(keys);
      read.items += items.length;
      read.requests += Math.ceil(keys.length / 100);
      return items;
    },
    query: async (query: Parameters<typeof table.query>[0]) => {
      const page = await table.query(query);
      read.items += page.entries.length;
      read.requests += 1;
      return page;
    },
  };
  const clock = { now: NOON };
  const now = () => clock.now;
  const ask = createArchiveSource({ now, ...createArchiveStore(counted) });
  const nothing = async () => undefined;
  const ports = {
    now,
    ask,
    recall: nothing,
    asksUpstream: () => false,
    takeCall: nothing,
    countRequest: nothing,
  };
  const handler = documented(
    middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(answersProblems({ info: () => undefined, error: () => undefined }, problemWithMessage))
      .handler((event) => serveNftData(ports, event, AbortSignal.timeout(60_000))),
  );
  const request = async (route: string, more: Parameters<typeof anHttpRequest>[1] = {}) => {
    const event = anHttpRequest(route, { path: { address: ADDRESS }, ...more });
    const { statusCode: status, body } = await handler(event, {} as Context);
    return { status, body: JSON.parse(body), bytes: Buffer.byteLength(JSON.stringify(body)) };
  };
  type Query = Readonly<Record<string, string>>;
  const search = (traits: Readonly<Record<string, string>>, query: Query = {}) =>
    request(TRAITS, { body: { traits }, query });
  /** All pages of a search, by following the cursors. */
  const searchAll = async (traits: Readonly<Record<string, string>>, query: Query = {}) => {
    const pages = [await search(traits, query)];
    for (;;) {
      const { cursor } = pages.at(-1)?.body ?? {};
      if (cursor === '') return pages;
      pages.push(await search(traits, { cursor }));
    }
  };
  return { ask: request, search, searchAll, read, clock };
}

type Found = { readonly body: { readonly result: readonly { readonly token_id: string }[] } };
/** The token ids on some pages, in order. */
export const idsOf = (...pages: readonly Found[]) =>
  pages.flatMap(({ body }) => body.result.map(({ token_id }) => token_id));
