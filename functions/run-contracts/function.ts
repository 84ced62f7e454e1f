import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { countSkipped } from '#shared/domain/market/skipped.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { handleFifoRecords, tracesOf } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics, type Metric } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { composeRunContracts } from './compose.ts';
import { RunContractsEnvironment } from './environment.ts';
import type { RunContractsEvents } from './ports.ts';
import { runContracts } from './run-contracts.ts';

export function runContractsFunction(
  outside: Basics &
    Pick<Outside, 'httpClient' | 'otherUpstreams' | 'secret' | 'senderTo' | 'table' | 'upstream'>,
) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(RunContractsEnvironment, outside.variables);
  const log = outside.logOf('run-contracts');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const http = httpClient({
    deadlineMs: 8000,
    maxBodyBytes: 4 * 1024 * 1024,
    maxConnections: 8,
  });
  const settingsFor = (keyParameter: string) => ({
    ...{ http, now },
    apiKey: secret(keyParameter),
  });
  /** The metric that counts each outcome of a call. */
  const CALLS: Readonly<Record<Outcome<unknown>['kind'], Metric>> = {
    ok: 'CallsOk',
    empty: 'CallsEmpty',
    not_ready: 'CallsNotReady',
    not_found: 'CallsNotFound',
    unsupported: 'CallsUnsupported',
    denied: 'CallsDenied',
    throttled: 'CallsThrottled',
    failed: 'CallsFailed',
  };

  const ports = composeRunContracts({
    now,
    sleepUntil,
    table,
    limits: limitsOf(environment),
    upstream: outside.upstream(environment.UPSTREAM_PROVIDER, {
      ...settingsFor(environment.UPSTREAM_KEY_PARAMETER),
      baseUrl: environment.UPSTREAM_URL,
    }),
    others: outside.otherUpstreams(othersOf(environment), settingsFor),
    onCall: (outcome) => metrics.measure(CALLS[outcome]),
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    report: createReport<RunContractsEvents>(log, {
      contract_not_polled: () => metrics.measure('PollsPutOff'),
      records_skipped: ({ skipped }) => metrics.measure('RecordsSkipped', countSkipped(skipped)),
      alerts_made: ({ alerts }) => metrics.measure('AlertsMade', alerts.length),
      watch_evaluation_failed: () => metrics.measure('BrokenItems'),
      history_unreadable: () => metrics.measure('BrokenItems'),
    }),
  });

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...tracesOf(event), ...metrics.flush() })))
    .handler((event, context, { signal }) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return handleFifoRecords(event, ContractMessage, { log, metrics }, (message) =>
        runContracts(invocation, message, signal),
      );
    });
}
