import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { createSlack, createStackSlack } from '#shared/clients/slack-webhook.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { now, takesTurns } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords } from '#shared/runtime/fifo-records.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { type DeliverMessagesPorts, deliverMessages } from './deliver-messages.ts';
import { DeliverMessagesEnvironment } from './environment.ts';

const environment = readEnvironment(DeliverMessagesEnvironment);
const log = createLog('deliver-messages');
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const alerts = createAlertStore(table);
const http = createHttpClient({ deadlineMs: 8000, maxBodyBytes: 64 * 1024, maxConnections: 2 });
const slack = slackOf(environment);

/** Slack takes one message a second for a webhook. */
const SLACK_PAUSE_MILLISECONDS = 1000;

const ports: DeliverMessagesPorts = {
  now,
  getAlert: alerts.get,
  putAlert: alerts.put,
  postToSlack: slack,
  takeTurn: takesTurns(SLACK_PAUSE_MILLISECONDS),
  report: log.info,
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use(logged(log))
  .handler((event, _context, { signal }) =>
    handleFifoRecords(event, ChannelMessage, log, (message) =>
      deliverMessages(ports, message, signal),
    ),
  );

function slackOf(variables: typeof environment): DeliverMessagesPorts['postToSlack'] {
  const { SLACK_WEBHOOK_PARAMETER: parameter, SLACK_ORIGIN: origin } = variables;
  if (parameter === undefined) {
    return async () => ({ kind: 'refused', reason: 'the stack has no Slack webhook' });
  }
  const readUrl = createSecretReader(new SSMClient({ maxAttempts: 3 }), parameter, now);
  return createStackSlack(createSlack(http, origin, now), readUrl);
}
