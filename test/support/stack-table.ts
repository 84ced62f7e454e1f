import { text } from 'node:stream/consumers';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { answerTableCall, TABLE_PATH } from '#infra/operate/remote-table.ts';
import { findStage } from '#infra/stack/stages.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { NOON } from './builders.ts';
import { startDynamoDbServer } from './dynamodb-server.ts';
import { TABLE_SCHEMA } from './tables.ts';

/** A possible name of the deployed table in the stage `dev`. */
export const DEPLOYED_TABLE = 'floorwatch-dev-WatchTable0815';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * A deployed table, further tables, and an `npm start` stack whose pages use the first one. The
 * clock of that stack always shows noon. Everything ends with the test.
 */
export async function aStackTable(...others: readonly string[]) {
  const { endpoint, close } = await startDynamoDbServer();
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  for (const TableName of [DEPLOYED_TABLE, ...others]) {
    await client.send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName }));
  }
  const status = { time: new Date(NOON).toISOString(), stage: findStage('dev') };
  const table = createBulkTable(client, DEPLOYED_TABLE, tableRuntime);
  const page = createLoopbackServer(async (request, response) => {
    const asked = { headers: request.headers, body: await text(request) };
    const answer = request.url === TABLE_PATH ? await answerTableCall(table, asked) : status;
    response.end(JSON.stringify(answer));
  });
  const url = await listen(page);
  onTestFinished(async () => {
    client.destroy();
    await Promise.all([close(), closeServer(page)]);
  });
  return { url, endpoint, client };
}

/** The environment variables with which a process uses that table instead of AWS. */
export const awsAt = (endpoint: string) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});
