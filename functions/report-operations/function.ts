import { apiFunction } from '#shared/http/api-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeReportOperations } from './compose.ts';
import { ReportOperationsEnvironment } from './environment.ts';
import { operationsRoutes, reportOperations } from './routes.ts';

export function reportOperationsFunction(outside: Basics & Pick<Outside, 'queueDepth' | 'table'>) {
  const { earlyAbortMs, now, queueDepth } = outside;
  const environment = readEnvironment(ReportOperationsEnvironment, outside.variables);
  const log = outside.logOf('report-operations');
  const table = outside.table(environment.WATCH_TABLE);
  const waitingIn = async (queueUrl: string) => (await queueDepth(queueUrl)).waiting;

  const QUEUES = [
    {
      queue: 'contracts',
      url: environment.CONTRACTS_QUEUE_URL,
      deadLettersUrl: environment.CONTRACTS_DEAD_LETTERS_URL,
    },
    {
      queue: 'lists',
      url: environment.LISTS_QUEUE_URL,
      deadLettersUrl: environment.LISTS_DEAD_LETTERS_URL,
    },
    {
      queue: 'channels',
      url: environment.CHANNELS_QUEUE_URL,
      deadLettersUrl: environment.CHANNELS_DEAD_LETTERS_URL,
    },
  ] as const;

  const ports = composeReportOperations({
    now,
    table,
    limits: [limitsOf(environment), ...othersOf(environment).map(({ limits }) => limits)],
    keyEndsAt: environment.UPSTREAM_KEY_ENDS_AT,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    queueDepths: () =>
      Promise.all(
        QUEUES.map(async ({ queue, url, deadLettersUrl }) => {
          const [depth, deadLetters] = await Promise.all([
            queueDepth(url),
            waitingIn(deadLettersUrl),
          ]);
          return { queue, ...depth, deadLetters };
        }),
      ),
    missedTicks: () => waitingIn(environment.MISSED_TICKS_URL),
  });

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: operationsRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event) => reportOperations(ports, event),
  );
}
