import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { createFifoSenders } from '#shared/clients/fifo-queue.ts';
import { ParameterStoreEnvironment } from '#shared/clients/parameter-store.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import { listGroup } from '#shared/domain/messages/groups.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { composeActOnAlert } from './compose.ts';
import { ActOnAlertEnvironment } from './environment.ts';
import { actOnAlert } from './routes.ts';

const environment = readEnvironment(ActOnAlertEnvironment);
const log = createLog('act-on-alert');
const secret = createSecrets(readEnvironment(ParameterStoreEnvironment), {
  now,
  sleepUntil,
  random: Math.random,
});
const readKey = secret(environment.LINK_KEY_PARAMETER);

const ports = composeActOnAlert({
  now,
  newVersion: uniqueNumber,
  readKey: () => readKey(false),
  table: createDynamoTable(
    new DynamoDBClient(AWS_CLIENTS.table),
    environment.WATCH_TABLE,
    tableRuntime,
  ),
  sendToLists: createFifoSenders(currentTrace)(environment.LISTS_QUEUE_URL, listGroup),
  report: (event, fields) => log.info(event, fields),
});

/** Its pages are asked for by browsers that follow a link, and by no other page. */
export const handler = httpFunction({ log, corsOrigins: [] }, (event) => actOnAlert(ports, event));
