import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { ParameterStoreEnvironment } from '#shared/clients/parameter-store.ts';
import { createPictureRenderer } from '#shared/clients/picture-renderer.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { composeDrawChart } from './compose.ts';
import { DrawChartEnvironment } from './environment.ts';
import { drawChart } from './routes.ts';

const environment = readEnvironment(DrawChartEnvironment);
const secret = createSecrets(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
  random: Math.random,
});
const readKey = secret(environment.LINK_KEY_PARAMETER);

const ports = composeDrawChart({
  now,
  readKey: () => readKey(false),
  table: createDynamoTable(
    new DynamoDBClient(AWS_CLIENTS.table),
    environment.WATCH_TABLE,
    tableRuntime,
  ),
  render: createPictureRenderer(() => ({
    wasm: readFileSync(`${environment.RENDERER_FOLDER}/renderer.wasm`),
    font: readFileSync(`${environment.RENDERER_FOLDER}/font.ttf`),
  })),
});

export const handler = httpFunction(
  { log: createLog('draw-chart'), corsOrigins: environment.CORS_ORIGINS },
  (event) => drawChart(ports, event),
);
