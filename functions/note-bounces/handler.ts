import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { composeNoteBounces } from './compose.ts';
import { NoteBouncesEnvironment } from './environment.ts';
import { noteBounce, noteUndelivered } from './note-bounces.ts';
import { NoteBouncesEvent } from './requests.ts';

const environment = readEnvironment(NoteBouncesEnvironment);
const log = createLog('note-bounces');
const metrics = createMetrics(environment.STAGE);
const ports = composeNoteBounces({
  now,
  table: createDynamoTable(
    new DynamoDBClient(AWS_CLIENTS.table),
    environment.WATCH_TABLE,
    tableRuntime,
  ),
});

export const handler = middy<unknown, void>()
  .use(logged(log, metrics.flush))
  .handler(async (event) => {
    const report = NoteBouncesEvent.parse(event);
    if ('Records' in report) {
      for (const { messageId, destinationId } of report.Records) {
        const isKnown = await noteUndelivered(ports, destinationId);
        metrics.measure('AlertsGivenUp');
        log.error('message_undelivered', { messageId, destinationId, isKnown });
      }
      return;
    }
    const { eventType, mail } = report.detail;
    const isOff = await noteBounce(ports, report);
    log.info('bounce_noted', { eventType, destinationId: mail.tags.channel, isOff });
  });
