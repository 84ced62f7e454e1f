import { composeServeApi } from '#functions/serve-api/compose.ts';
import type { QueueReport } from '#functions/serve-api/operations/answers.ts';
import type { ReportOperationsPorts } from '#functions/serve-api/operations/ports.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { anOutside, variablesOf } from '#test/support/outside.ts';

export const LIMITS: UpstreamLimits = {
  provider: 'opensea',
  callsPerSecond: 2,
  budgetPerHour: 100,
  budgetPerDay: 1000,
  budgetPerMonth: 20_000,
  costs: { ...evenCosts(1), lowestprice: 2, price: 2 },
  shares: { polling: 60, interface: 20 },
};

export const QUIET: readonly QueueReport[] = [
  { queue: 'contracts', waiting: 0, underWay: 0, deadLetters: 0 },
  { queue: 'lists', waiting: 0, underWay: 0, deadLetters: 0 },
  { queue: 'channels', waiting: 0, underWay: 0, deadLetters: 0 },
];

/** The operations report of a stack with empty queues. */
export function world(given: Partial<ReportOperationsPorts> = {}) {
  const table = createMemoryTable();
  const variables = variablesOf({ limits: LIMITS, pollCadenceMinutes: 1 });
  const ports = {
    ...composeServeApi(anOutside({ variables, table: () => table })).operations,
    queueDepths: async () => QUIET,
    ...given,
  };
  return {
    ports,
    progress: createPollProgressStore(table),
    cadences: createCadenceStore(table),
    rateLimiter: createRateLimiterStore(table, 'opensea'),
  };
}
