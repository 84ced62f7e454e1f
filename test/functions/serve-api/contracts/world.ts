import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { composeServeApi } from '#functions/serve-api/compose.ts';
import { createHealthCheck } from '#functions/serve-api/contracts/check-health.ts';
import type { ReadContractsPorts } from '#functions/serve-api/contracts/ports.ts';
import { readContracts } from '#functions/serve-api/contracts/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';
import { anOutside } from '#test/support/outside.ts';

type Given = Parameters<typeof anHttpRequest>[1];

/** The handlers that read contracts, with an in-memory table. */
export function world(given: Partial<ReadContractsPorts> = {}) {
  const table = createMemoryTable();
  const stores = {
    watchlists: createWatchlistStore(table),
    contracts: createContractStore(table, () => NOON),
    collections: createCollectionStore(table),
    rateLimiter: createRateLimiterStore(table, 'nft-data'),
    cadences: createCadenceStore(table),
    history: createHistoryStore(table),
    progress: createPollProgressStore(table),
  };
  const ports: ReadContractsPorts = {
    ...composeServeApi(anOutside({ table: () => table })).contracts,
    floorHistory: async () => ({ kind: 'not_ready' }),
    readPicture: async () => ({ kind: 'failed', reason: 'no host is asked' }),
    takeCall: async () => undefined,
    reserveCalls: async () => ({
      granted: true,
      calls: [{ call: 'floor', callAt: NOON, probe: false }],
    }),
    learnOfCall: async () => {},
    remainingTime: () => 25_000,
    ...given,
  };
  const checkHealth = createHealthCheck(ports);
  const handler = documented(
    middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(answersProblems({ info: () => undefined, error: () => undefined }))
      .handler((event, _context, { signal }) =>
        readContracts({ ports, checkHealth }, event, signal),
      ),
  );
  const ask = async (route: string, about: Given = {}) => {
    const event = anHttpRequest(route, about);
    const answered = await handler(event, {} as Context);
    const { statusCode: status, headers = {}, body, isBase64Encoded = false } = answered;
    const parsed = isBase64Encoded ? Buffer.from(body, 'base64') : body && JSON.parse(body);
    return { status, headers, body: parsed === '' ? undefined : parsed };
  };
  return { ask, ports, checkHealth, table, ...stores };
}
