import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { limitsOf } from '#shared/domain/polling/upstream-limits.ts';
import { now } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { type DispatchSummary, type DispatchWorkPorts, dispatchWork } from './dispatch-work.ts';
import { DispatchWorkEnvironment } from './environment.ts';

const environment = readEnvironment(DispatchWorkEnvironment);
const log = createLog('dispatch-work');
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const contracts = createContractStore(table, now);
const governor = createGovernorStore(table);
const dispatch = createDispatchStore(table);

const ports: DispatchWorkPorts = {
  now,
  cadenceMinutes: environment.POLL_CADENCE_MINUTES,
  limits: limitsOf(environment),
  getGovernor: governor.get,
  getCadence: governor.cadence,
  noteCadence: governor.noteCadence,
  getProgress: dispatch.progress,
  finish: dispatch.finish,
  allContracts: contracts.all,
  dueAppointments: dispatch.due,
  sendToContracts: createFifoSender(queues, environment.CONTRACTS_QUEUE_URL, contractGroup),
  sendToLists: createFifoSender(queues, environment.LISTS_QUEUE_URL, listGroup),
  sendToChannels: createFifoSender(queues, environment.CHANNELS_QUEUE_URL, channelGroup),
};

export const handler = middy<unknown, DispatchSummary>()
  .use(logged(log))
  .handler(async () => {
    const summary = await dispatchWork(ports);
    log[summary.unreadable.length === 0 ? 'info' : 'error']('work_dispatched', summary);
    return summary;
  });
