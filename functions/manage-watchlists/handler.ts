import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import {
  createParameterStore,
  ParameterStoreEnvironment,
} from '#shared/clients/parameter-store.ts';
import { createSeal } from '#shared/clients/sealer.ts';
import { createSecretReader } from '#shared/clients/secrets.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { remembered } from '#shared/domain/remembered.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createDailyCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { crossOrigin } from '#shared/http/cross-origin.ts';
import { answersHead } from '#shared/http/head.ts';
import { createCharging, limited } from '#shared/http/request-limit.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { currentTrace, withTrace } from '#shared/runtime/trace.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { CADENCE_KEPT_FOR, createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { ManageWatchlistsEnvironment } from './environment.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { manageWatchlists } from './routes.ts';

const environment = readEnvironment(ManageWatchlistsEnvironment);
const log = createLog('manage-watchlists');
const table = createDynamoTable(new DynamoDBClient({ maxAttempts: 3 }), environment.WATCH_TABLE);
const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });
const readKey = createSecretReader(
  createParameterStore(readEnvironment(ParameterStoreEnvironment), { now, sleepUntil }),
  environment.CHANNEL_PUBLIC_KEY_PARAMETER,
  now,
);
const watchlists = createWatchlistStore(table);
const changeJobs = createChangeJobStore(table);
const mutes = createMuteStore(table);
const quotaUsage = createQuotaUsageStore(table);
const requests = createKeyedRequestStore(table);
const watches = createWatchStore(table);
const alerts = createAlertStore(table);
const changes = createChangeStore(table);
const contracts = createContractStore(table, now);
const acknowledgements = createAcknowledgementStore(table);

const counter = createRequestCounter({
  now,
  unitsPerMinute: environment.API_UNITS_PER_MINUTE,
  usage: createUsageStore(table, 'api'),
});

const ports: ManageWatchlistsPorts = {
  now,
  newVersion: uniqueNumber,
  newNumber: uniqueNumber,
  getRequest: requests.get,
  putRequest: requests.put,
  removeRequest: requests.remove,
  configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
  webhooks: { destinations: environment.WEBHOOK_DESTINATIONS, ports: environment.WEBHOOK_PORTS },
  sealSecret: createSeal(readKey),
  getCadences: remembered(createGovernorStore(table).cadences, CADENCE_KEPT_FOR, now),
  getWatchlist: watchlists.get,
  putWatchlist: watchlists.put,
  watchlistsOf: watchlists.ofTenant,
  salvageWatchlist: watchlists.salvage,
  watchedContracts: contracts.keys,
  requestUnitsPerMinute: {
    api: environment.API_UNITS_PER_MINUTE,
    'nft-data': environment.NFT_DATA_UNITS_PER_MINUTE,
  },
  getUsedUnits: (tenant, policy) => createUsageStore(table, policy).get(tenant),
  getAddress: createAddressStore(table).get,
  takeAddresses: createDailyCounter(
    { now, usage: createUsageStore(table, 'addresses') },
    LIMITS.tenant.newAddresses,
  ),
  charge: createCharging(counter, log),
  getQuotaUsage: quotaUsage.get,
  putQuotaUsage: quotaUsage.put,
  channelsOfList: createChannelStore(table).ofList,
  getMutes: mutes.get,
  putMutes: mutes.put,
  putChangeJobs: changeJobs.put,
  countPendingChanges: changeJobs.countContracts,
  getContract: contracts.get,
  getWatch: watches.get,
  watchesOfList: watches.allOfList,
  getAlert: alerts.get,
  alertsOf: alerts.ofList,
  acknowledgementsOf: acknowledgements.ofList,
  putAcknowledgement: acknowledgements.put,
  getChange: changes.get,
  putChange: changes.put,
  changesOf: changes.ofTenant,
  recordedSince: createHistoryStore(table).since,
  sendToContracts: createFifoSender(
    queues,
    environment.CONTRACTS_QUEUE_URL,
    contractGroup,
    currentTrace,
  ),
  sendToLists: createFifoSender(queues, environment.LISTS_QUEUE_URL, listGroup, currentTrace),
  report: log.error,
};

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(answersHead())
  .use(logged(log))
  .use(crossOrigin(environment.CORS_ORIGINS))
  .use(limited(counter, log))
  .use(answersProblems(log))
  .handler((event, { awsRequestId }) =>
    withTrace(awsRequestId, () => manageWatchlists(ports, event)),
  );
