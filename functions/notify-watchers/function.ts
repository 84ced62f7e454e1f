import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { channelGroup, contractGroup } from '#shared/domain/messages/groups.ts';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { within } from '#shared/providers/within.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { limitsOf } from '#shared/runtime/upstream-variables.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { type ReadWalletPorts, readWallet } from '#shared/use-cases/read-wallet.ts';
import { composeNotifyWatchers } from './compose.ts';
import { NotifyWatchersEnvironment } from './environment.ts';
import { notifyTogether, subjectOf } from './notify-together.ts';
import type { NotifyWatchersEvents } from './ports.ts';

export function notifyWatchersFunction(
  outside: Basics &
    Pick<Outside, 'holdingsReader' | 'httpClient' | 'secret' | 'senderTo' | 'table' | 'topics'>,
) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(NotifyWatchersEnvironment, outside.variables);
  const log = outside.logOf('notify-watchers');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const topics = outside.topics({
    stackTopicArn: environment.STACK_TOPIC_ARN,
    prefix: environment.TOPIC_PREFIX,
  });
  const limits = limitsOf(environment);
  const calls = createUpstreamGovernor(
    createGovernorStore(table, limits.provider),
    'interface',
    limits,
    now,
  );
  const wallets: ReadWalletPorts = {
    now,
    sleepUntil,
    leaseCalls: calls.lease,
    learnOfCall: calls.learn,
    takeCall: createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') }),
    readHoldings: outside.holdingsReader(environment.UPSTREAM_PROVIDER, {
      http: httpClient({ deadlineMs: 8000, maxBodyBytes: 1024 * 1024, maxConnections: 1 }),
      baseUrl: environment.UPSTREAM_URL,
      apiKey: secret(environment.UPSTREAM_KEY_PARAMETER),
      now,
    }),
  };
  const ports = composeNotifyWatchers({
    now,
    newVersion: outside.uniqueNumber,
    table,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    readWalletsEvery: DAY,
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
    report: createReport<NotifyWatchersEvents>(log, {}),
  });

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
    .handler((event, context) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      const notify = notifyTogether(invocation);
      return handleFifoRecords(event, ListMessage, { log, metrics }, notify, subjectOf);
    });
}
