import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { countSkipped } from '#shared/domain/market/skipped.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { channelGroup, contractGroup } from '#shared/domain/messages/groups.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics, type Metric } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHintStore } from '#shared/stores/hint-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { TABLE_LIMITS } from '#shared/stores/table.ts';
import { createSaleLog } from '#shared/stores/trade-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { keepingSales } from '#shared/use-cases/keep-sales.ts';
import { RunContractsEnvironment } from './environment.ts';
import type { PriceSource, RunContractsEvents, RunContractsPorts } from './ports.ts';

type ConfiguredProvider<Upstream = PriceSource['upstream']> = {
  readonly limits: UpstreamLimits;
  readonly upstream: Upstream;
};

export type RunContractsOutside = Basics &
  Pick<Outside, 'httpClient' | 'otherUpstreams' | 'secret' | 'senderTo' | 'table' | 'upstream'>;

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

/** The ports of one instance of this function, with its log and its metrics. */
export function composeRunContracts(outside: RunContractsOutside) {
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
  const sourceOf = <Upstream extends PriceSource['upstream']>(
    configured: ConfiguredProvider<Upstream>,
  ): PriceSource & { readonly upstream: Upstream } => {
    const { provider } = configured.limits;
    const sales = createSaleLog(table, provider);
    const records = createGovernorStore(table, provider);
    const governor = createUpstreamGovernor(records, 'polling', configured.limits, now);
    return {
      ...{ now, sleepUntil, provider, upstream: keepingSales(configured.upstream, sales, now) },
      leaseCalls: governor.lease,
      takeTry: governor.takeTry,
      learnOfCall: async (call, outcome, probe, requests) => {
        metrics.measure(CALLS[outcome.kind]);
        await governor.learn(call, outcome, probe, requests);
      },
    };
  };
  const contracts = createContractStore(table, now);
  const watches = createWatchStore(table);
  const { get: getWatchlist } = createWatchlistStore(table);
  const changeJobs = createChangeJobStore(table);
  const history = createHistoryStore(table);
  const ports: Omit<RunContractsPorts, 'remainingTime'> = {
    ...sourceOf({
      limits: limitsOf(environment),
      upstream: outside.upstream(environment.UPSTREAM_PROVIDER, {
        ...settingsFor(environment.UPSTREAM_KEY_PARAMETER),
        baseUrl: environment.UPSTREAM_URL,
      }),
    }),
    others: outside.otherUpstreams(othersOf(environment), settingsFor).map(sourceOf),
    getContract: contracts.get,
    putContract: contracts.put,
    getCollection: createCollectionStore(table).get,
    recordHistory: history.record,
    fillHistory: history.fill,
    recordedSince: history.since,
    watchesReached: watches.reached,
    watchesWoken: watches.woken,
    earliestTimers: watches.earliestTimers,
    watchesOfList: watches.allOfList,
    isWatchedBy: watches.isWatchedBy,
    thresholdIndexesNeeded: watches.thresholdIndexesNeeded,
    getWatch: watches.get,
    putWatch: watches.put,
    commitWatch: watches.commit,
    writesOfTransaction: TABLE_LIMITS.writesOfTransaction,
    deleteWatch: watches.delete,
    getWatchlist,
    getChangeJob: changeJobs.get,
    noteApplied: changeJobs.noteApplied,
    settleChangeJob: changeJobs.settle,
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
    stackSlack: environment.STACK_SLACK,
    operatorAlerts: environment.OPERATOR_ALERTS,
    newVersion: outside.uniqueNumber,
    putHints: createHintStore(table).put,
    report: createReport<RunContractsEvents>(log, {
      contract_not_polled: () => metrics.measure('PollsPutOff'),
      records_skipped: ({ skipped }) => metrics.measure('RecordsSkipped', countSkipped(skipped)),
      alerts_made: ({ alerts }) => metrics.measure('AlertsMade', alerts.length),
      watch_evaluation_failed: () => metrics.measure('BrokenItems'),
      history_unreadable: () => metrics.measure('BrokenItems'),
    }),
  };
  return { ports, log, metrics };
}
