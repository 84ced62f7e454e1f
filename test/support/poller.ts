import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { callInSlot } from '#shared/use-cases/governed-call.ts';
import { PUNKS, someLimits } from './builders.ts';

/** What a poller is reported by its parent. */
export const PollerTask = z.object({
  tableEndpoint: z.string(),
  tableName: z.string(),
  upstreamUrl: z.string(),
  callsPerSecond: z.int(),
});
export type PollerTask = z.output<typeof PollerTask>;

const { signal } = new AbortController();

/**
 * Asks the upstream as often as the governor lets it, one lease of two calls after the other, until
 * its parent lets go of it.
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
  const records = createGovernorStore(
    createDynamoTable(client, task.tableName, tableRuntime),
    'nft-data',
  );
  const governor = createUpstreamGovernor(records, 'polling', limits, now);
  const governed = { now, sleepUntil, leaseCalls: governor.lease, learnOfCall: governor.learn };
  const upstream = createNftData({
    http: createHttpClient({ deadlineMs: 8000, maxBodyBytes: 100_000, maxConnections: 8 }),
    baseUrl: task.upstreamUrl,
    apiKey: async () => `${process.pid}`,
    now,
  });
  const ask = () => upstream.floorHistory(contractOf(PUNKS), { interval: '1d' }, signal);
  while (process.connected) {
    const lease = await governed.leaseCalls([['floor'], ['floor']]);
    if (lease.granted) {
      const leased = lease.calls.filter((call) => call !== undefined);
      await Promise.all(leased.map((call) => callInSlot(governed, call, ask, signal)));
    } else {
      await setTimeout(Math.min(Math.max(lease.until - now(), 1), 500));
    }
  }
}

process.once('message', (message) => {
  void poll(PollerTask.parse(message));
});
process.send?.('ready');
