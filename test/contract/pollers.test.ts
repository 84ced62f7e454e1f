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
/** How often each is seen to call, however long that takes on a machine with much else to do. */
const TURNS = 4;
/**
 * What a vendor allows in its window that promises a little more than the configured rate: a call
 * may start half a second after its slot, and be as long on its way.
 */
const ALLOWED = 5 * RATE;

it.each([2, 8])(
  '%i pollers together stay under the rate, and each gets its turn',
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
 * Counts the calls of a rolling window, as the upstream does, and answers 429 to those beyond. It
 * has seen enough when so many pollers have each had their turns, and a window has passed. How the
 * rate is shared out is reported in `governor.test.ts`, where no machine is too slow for it.
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
