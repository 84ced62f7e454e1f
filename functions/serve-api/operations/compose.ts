import type { ServeApiOutside, Shared } from '#functions/serve-api/outside.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import type { ReportOperationsPorts } from './ports.ts';

export function composeOperations(
  { now, queueDepth }: ServeApiOutside,
  { environment, table, providers }: Shared,
): ReportOperationsPorts {
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

  const due = createDueStore(table);
  return {
    now,
    limits: providers.all.map(({ limits }) => limits),
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
    getProgress: createPollProgressStore(table).get,
    getRateLimiter: (provider) => createRateLimiterStore(table, provider).get(),
    getCadences: createCadenceStore(table).cadences,
    overdueSince: async (now) => (await due.due(now, 1)).overdueSince,
  };
}
