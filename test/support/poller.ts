import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createUpstreamRateLimiter } from '#shared/clients/upstream-rate-limiter.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { makeReservedCall } from '#shared/use-cases/rate-limited-call.ts';
import { PUNKS, someLimits } from './builders.ts';

/** The task that a poller gets from its parent process. */
export const PollerTask = z.object({
  tableEndpoint: z.string(),
  tableName: z.string(),
  upstreamUrl: z.string(),
  callsPerSecond: z.int(),
});
export type PollerTask = z.output<typeof PollerTask>;

const { signal } = new AbortController();

/**
 * Polls the upstream as often as the rate limiter allows, two reserved calls at a time, until its
 * parent disconnects.
 */
async function poll(task: PollerTask): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: task.tableEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const limits = someLimits({
    callsPerSecond: task.callsPerSecond,
    shares: { polling: 99, interface: 1 },
  });
  const records = createRateLimiterStore(
    createDynamoTable(client, task.tableName, tableRuntime),
    'nft-data',
  );
  const rateLimiter = createUpstreamRateLimiter(records, 'polling', limits, now);
  const rateLimited = {
    now,
    sleepUntil,
    reserveCalls: rateLimiter.reserve,
    learnOfCall: rateLimiter.learn,
  };
  const upstream = createNftData({
    http: createHttpClient({ deadlineMs: 8000, maxBodyBytes: 100_000, maxConnections: 8 }),
    baseUrl: task.upstreamUrl,
    apiKey: async () => `${process.pid}`,
    now,
  });
  const ask = () => upstream.floorHistory(contractOf(PUNKS), { interval: '1d' }, signal);
  while (process.connected) {
    const reserve = await rateLimited.reserveCalls([['floor'], ['floor']]);
    if (reserve.granted) {
      const reserved = reserve.calls.filter((call) => call !== undefined);
      await Promise.all(reserved.map((call) => makeReservedCall(rateLimited, call, ask, signal)));
    } else {
      await setTimeout(Math.min(Math.max(reserve.until - now(), 1), 500));
    }
  }
}

process.once('message', (message) => {
  void poll(PollerTask.parse(message));
});
process.send?.('ready');
