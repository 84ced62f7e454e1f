import { createUpstreamRateLimiter } from '#shared/clients/upstream-rate-limiter.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { channelGroup, contractGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { within } from '#shared/providers/within.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { limitsOf } from '#shared/runtime/upstream-variables.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeCommit } from '#shared/stores/change-commit.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createListTopicStore } from '#shared/stores/list-topic-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { createProviderShare } from '#shared/use-cases/daily-share.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { type ReadWalletPorts, readWallet } from '#shared/use-cases/read-wallet.ts';
import { RunJobsEnvironment } from './environment.ts';
import type { RunJobsEvents, RunJobsPorts } from './ports.ts';

export type RunJobsOutside = Basics &
  Pick<Outside, 'holdingsReader' | 'httpClient' | 'secret' | 'senderTo' | 'table' | 'topics'>;

/** Creates the ports, the log and the metrics of one Lambda instance. */
export function composeRunJobs(outside: RunJobsOutside) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(RunJobsEnvironment, outside.variables);
  const log = outside.logOf('run-jobs');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const topics = outside.topics({
    stackTopicArn: environment.STACK_TOPIC_ARN,
    prefix: environment.TOPIC_PREFIX,
  });
  const limits = limitsOf(environment);
  const calls = createUpstreamRateLimiter(
    createRateLimiterStore(table, limits.provider),
    'interface',
    limits,
    now,
  );
  const wallets: ReadWalletPorts = {
    now,
    sleepUntil,
    reserveCalls: calls.reserve,
    learnOfCall: calls.learn,
    takeCall: createProviderShare({ now, limits, usage: createUsageStore(table, 'provider') }),
    readHoldings: outside.holdingsReader(environment.UPSTREAM_PROVIDER, {
      http: httpClient({ deadlineMs: 8000, maxBodyBytes: 1024 * 1024, maxConnections: 1 }),
      baseUrl: environment.UPSTREAM_URL,
      apiKey: secret(environment.UPSTREAM_KEY_PARAMETER),
      now,
    }),
  };
  const history = createHistoryStore(table);
  const watches = createWatchStore(table);
  const watchlists = createWatchlistStore(table);
  const alerts = createAlertStore(table);
  const jobs = createJobStore(table);
  const channels = createChannelStore(table);
  const addresses = createAddressStore(table);
  const listTopics = createListTopicStore(table);
  const ports: Omit<RunJobsPorts, 'remainingTime'> = {
    now,
    newVersion: outside.uniqueNumber,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    readWalletsEvery: environment.WALLET_INTERVAL_MINUTES * MINUTE,
    readWallet: (tenant, wallet, deadlineMs) =>
      within(deadlineMs, new AbortController().signal, (inTime) =>
        readWallet(wallets, tenant, wallet, inTime),
      ),
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    stackSlack: environment.STACK_SLACK,
    operatorAlerts: environment.OPERATOR_ALERTS,
    hasTopic: topics.hasTopic,
    keepSubscribers: (list, subscribers) =>
      topics.keepSubscribers(list, subscribers, environment.UNDELIVERED_QUEUE_ARN),
    removeTopics: topics.removeTopics,
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
    report: createReport<RunJobsEvents>(log, {}),
    getWatch: watches.get,
    watchesOfList: watches.ofList,
    getWatchlist: watchlists.get,
    putWatchlist: watchlists.put,
    // A list needs a message only if its channels change, and an update from a wallet does not
    // change channels.
    sendToLists: async () => {},
    getCadences: createCadenceStore(table).cadences,
    getQuotaUsage: createQuotaUsageStore(table).get,
    commitChange: createChangeCommit(table),
    getContract: createContractStore(table, now).get,
    recordedSince: history.since,
    valueAt: history.valueAt,
    getCollection: createCollectionStore(table).get,
    alertsOfList: alerts.ofList,
    getMutes: createMuteStore(table).get,
    getAcknowledgement: createAcknowledgementStore(table).get,
    getPosted: alerts.getPosted,
    postAlert: alerts.post,
    getJob: jobs.get,
    jobsOfKind: jobs.ofKind,
    makeJob: jobs.make,
    appliedTo: jobs.appliedTo,
    settleJob: jobs.settle,
    replaceJob: jobs.replace,
    getChannel: channels.get,
    putChannel: channels.put,
    putPostIntent: createPostIntentStore(table).put,
    messagesTo: createMessagesTo(watchlists.get),
    channelsOfList: channels.ofList,
    getAddress: addresses.get,
    putAddress: addresses.put,
    getTopics: listTopics.get,
    putTopics: listTopics.put,
  };
  return { ports, log, metrics };
}
