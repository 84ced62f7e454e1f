import { createUpstreamRateLimiter } from '#shared/clients/upstream-rate-limiter.ts';
import { countSkipped } from '#shared/domain/market/skipped.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { contractGroup } from '#shared/domain/messages/groups.ts';
import { newPollProgress } from '#shared/domain/polling/poll-progress.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createMetrics, type Metric } from '#shared/runtime/metrics.ts';
import { createReport } from '#shared/runtime/report.ts';
import { limitsOf, otherProviders } from '#shared/runtime/upstream-variables.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createSaleLog } from '#shared/stores/trade-store.ts';
import { keepingSales } from '#shared/use-cases/keep-sales.ts';
import { PollPricesEnvironment } from './environment.ts';
import type { PollPricesEvents, PollPricesPorts, PriceSource } from './ports.ts';

type ConfiguredProvider<Upstream = PriceSource['upstream']> = {
  readonly limits: UpstreamLimits;
  readonly upstream: Upstream;
};

export type PollPricesOutside = Basics &
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

/** Creates the ports, the log and the metrics of one Lambda instance. */
export function composePollPrices(outside: PollPricesOutside) {
  const { now, sleepUntil, httpClient, secret, senderTo } = outside;
  const environment = readEnvironment(PollPricesEnvironment, outside.variables);
  const log = outside.logOf('poll-prices');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const http = httpClient({
    deadlineMs: 8000,
    maxBodyBytes: 4 * 1024 * 1024,
    // If a provider is slow, the calls of several seconds are open at the same time.
    maxConnections: 64,
  });
  const settingsFor = (keyParameter: string) => ({
    ...{ http, now },
    apiKey: secret(keyParameter),
  });
  const sourceOf = <Upstream extends PriceSource['upstream']>({
    limits,
    upstream,
  }: ConfiguredProvider<Upstream>): PriceSource & { readonly upstream: Upstream } => {
    const { provider } = limits;
    const sales = createSaleLog(table, provider);
    const records = createRateLimiterStore(table, provider);
    const rateLimiter = createUpstreamRateLimiter(records, 'polling', limits, now);
    return {
      ...{ now, sleepUntil, limits, provider, upstream: keepingSales(upstream, sales, now) },
      getRateLimiter: records.get,
      reserveCalls: rateLimiter.reserve,
      learnOfCall: async (call, outcome, probe, requests) => {
        metrics.measure(CALLS[outcome.kind]);
        await rateLimiter.learn(call, outcome, probe, requests);
      },
    };
  };
  const cadences = createCadenceStore(table);
  const progress = createPollProgressStore(table);
  const contracts = createContractStore(table, now);
  const history = createHistoryStore(table);
  const ports: Omit<PollPricesPorts, 'remainingTime'> = {
    ...sourceOf({
      limits: limitsOf(environment),
      upstream: outside.upstream(environment.UPSTREAM_PROVIDER, {
        ...settingsFor(environment.UPSTREAM_KEY_PARAMETER),
        baseUrl: environment.UPSTREAM_URL,
      }),
    }),
    others: outside.otherUpstreams(otherProviders(environment), settingsFor).map(sourceOf),
    cadenceMinutes: environment.POLL_CADENCE_MINUTES,
    getCadences: cadences.cadences,
    noteCadences: cadences.noteCadences,
    getProgress: async () => (await progress.get()) ?? newPollProgress(now()),
    putProgress: progress.put,
    allContracts: contracts.all,
    getContract: contracts.get,
    putContract: contracts.put,
    recordHistory: history.record,
    fillHistory: history.fill,
    recordedSince: history.since,
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    report: createReport<PollPricesEvents>(log, {
      contract_not_polled: () => metrics.measure('PollsPutOff'),
      poll_failed: () => metrics.measure('BrokenItems'),
      records_skipped: ({ skipped }) => metrics.measure('RecordsSkipped', countSkipped(skipped)),
    }),
  };
  return { ports, log, metrics, environment };
}
