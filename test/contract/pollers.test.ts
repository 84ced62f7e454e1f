import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { SECOND } from '#shared/domain/market/instant.ts';
import { startDynamoDbServer } from '#test/support/dynamodb-server.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import type { PollerTask } from '#test/support/poller.ts';
import { TABLE_SCHEMA } from '#test/support/tables.ts';

const POLLER = join(import.meta.dirname, '..', 'support', 'poller.ts');
const RATE = 20;
const WINDOW = 4 * SECOND;
/** The number of calls that each poller must make, however long they take on a busy machine. */
const TURNS = 4;
/**
 * The provider's limit per window, a little above the configured rate: a call may start half a
 * second after its reserved time, and take as long to arrive.
 */
const ALLOWED = 5 * RATE;

it.each([2, 8])(
  '%i pollers together stay below the rate limit, and each makes its calls',
  async (count) => {
    await using upstream = await anUpstreamThatCounts(count);
    await using table = await aTable();
    const pollers: ChildProcess[] = [];
    try {
      for (let index = 0; index < count; index += 1) pollers.push(fork(POLLER));
      await Promise.all(pollers.map((poller) => once(poller, 'message')));
      for (const poller of pollers) {
        poller.send({
          tableEndpoint: table.endpoint,
          tableName: table.name,
          upstreamUrl: upstream.url,
          callsPerSecond: RATE,
        } satisfies PollerTask);
      }
      const ended = pollers.map((poller) => once(poller, 'exit'));
      await Promise.race([upstream.enough, ...ended]);
      for (const poller of pollers) if (poller.connected) poller.disconnect();
      const endings = await Promise.all(ended);

      expect(endings.map(([code]) => code)).toEqual(pollers.map(() => 0));
    } finally {
      for (const poller of pollers) poller.kill();
    }

    expect(upstream.tooMany()).toBe(0);
  },
);

/**
 * Counts the calls in a rolling window, like the provider, and answers 429 above the limit. The
 * server ends after each of the pollers has made its calls and a window has passed.
 * `rate-limiter.test.ts` tests how the rate is shared, independently of the speed of the machine.
 */
async function anUpstreamThatCounts(pollers: number) {
  const enough = Promise.withResolvers<void>();
  const callsOf = new Map<unknown, number>();
  let first: number | undefined;
  let window: readonly number[] = [];
  let tooMany = 0;
  const server = await startHttpServer((response, { headers }) => {
    const now = performance.now();
    const key = headers['x-api-key'];
    first ??= now;
    callsOf.set(key, (callsOf.get(key) ?? 0) + 1);
    const turns = [...callsOf.values()];
    const isFair = turns.length === pollers && Math.min(...turns) >= TURNS;
    window = [...window.filter((at) => at > now - WINDOW), now];
    if (window.length > ALLOWED) tooMany += 1;
    if (tooMany > 0 || (isFair && now > first + WINDOW)) enough.resolve();
    response.writeHead(window.length > ALLOWED ? 429 : 200).end('{"result":[]}');
  });
  return { ...server, enough: enough.promise, tooMany: () => tooMany };
}

async function aTable() {
  const { endpoint, close } = await startDynamoDbServer();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const name = 'Table';
  await client.send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName: name }));
  return {
    endpoint,
    name,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await close();
    },
  };
}
