import { createServer } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import express from 'express';
import * as z from 'zod';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { benchOptions } from '#test/support/bench-options.ts';
import { startLocalStack } from '#test/support/local-stack.ts';

/**
 * A read of a watchlist on the local stack against the least that could answer it: a route of
 * express that makes the same five reads of the same table with the same client, and returns them
 * as JSON. It has no gateway, no key, no limits and no checks. Both are asked in turn, on one
 * connection each.
 */
const values = benchOptions('bench:read', { turns: { type: 'string', default: '500' } });
const TURNS = Number(values.turns);
const WARM_UP = 100;
const LIST = 'demo';

const Status = z.object({
  dynamodb: z.object({ endpoint: z.string(), region: z.string(), table: z.string() }),
});

await using stack = startLocalStack(['--for', '600s', '--speed', '1']);
const { value: ready } = await stack.events.next();
if (ready?.event !== 'ready') throw new Error('the stack did not get ready');
const { url, apiKey } = ready;
const { dynamodb } = Status.parse(await (await fetch(`${url}/local/status`)).json());
const bare = await startBareServer();

const ours = (): Promise<Response> =>
  fetch(`${url}/v1/watchlists/${LIST}`, { headers: { 'X-API-Key': apiKey } });
const theirs = (): Promise<Response> => fetch(`${bare.url}/v1/watchlists/${LIST}`);
const times = { ours: [] as number[], theirs: [] as number[] };
for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
  const [one, another] = [await timed(ours), await timed(theirs)];
  if (turn < 0) continue;
  times.ours.push(one);
  times.theirs.push(another);
}
await bare.close();

const [p50, bareP50] = [median(times.ours), median(times.theirs)];
process.stdout.write(
  `${TURNS} reads of a watchlist, medians\n` +
    `  the local stack           ${p50.toFixed(2).padStart(7)} ms\n` +
    `  a bare express handler    ${bareP50.toFixed(2).padStart(7)} ms\n` +
    `  ratio                     ${(p50 / bareP50).toFixed(2).padStart(7)}\n`,
);

async function startBareServer() {
  const { endpoint, region, table: TableName } = dynamodb;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const documents = DynamoDBDocumentClient.from(client);
  const pk = 'TENANT#local';
  const get = async (Key: { readonly pk: string; readonly sk: string }) =>
    (await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  const begins = async (prefix: string) => {
    const { Items = [] } = await documents.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        ConsistentRead: true,
      }),
    );
    return Items;
  };
  const app = express();
  app.get('/v1/watchlists/:watchlist', async ({ params }, response) => {
    const list = await get({ pk, sk: `LIST#${params.watchlist}` });
    const [pendingChanges, cadence, mutes, channels] = await Promise.all([
      begins(`JOB#${params.watchlist}#contract#`),
      get({ pk: 'UPSTREAM', sk: 'CADENCES' }),
      get({ pk, sk: `MUTES#${params.watchlist}` }),
      begins(`CHANNEL#${params.watchlist}#`),
    ]);
    response.json({ ...list, pendingChanges: pendingChanges.length, cadence, mutes, channels });
  });
  const server = createServer(app);
  const close = async () => {
    await closeServer(server);
    client.destroy();
  };
  return { url: await listen(server), close };
}

async function timed(ask: () => Promise<Response>): Promise<number> {
  const begun = performance.now();
  const answer = await ask();
  await answer.text();
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
  return performance.now() - begun;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
