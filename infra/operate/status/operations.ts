import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { messageOf } from '#infra/command-line/system-error.ts';
import { createInterface, expectAnswer, KEY_VARIABLE } from '#infra/operate/interface.ts';
import type { Stack } from '#infra/operate/stack.ts';
import { allProvidersVariables as variablesOf } from '#infra/stack/upstream-variables.ts';
import { readInstant } from '#shared/domain/market/instant.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { allProvidersVariables, providersOf } from '#shared/runtime/upstream-variables.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { readOperations } from '#shared/use-cases/read-operations.ts';

const Moment = z.iso.datetime().nullable();

/** The members of `GET /v1/operations` that the status needs; a newer stack may return more. */
const Operations = z.object({
  at: z.iso.datetime(),
  tick: z.object({ at: Moment, missed: z.number() }),
  providers: z.array(
    z.object({
      provider: Provider,
      blockedUntil: Moment,
      keyEndsAt: Moment,
      denials: z.array(
        z.object({
          ...{ user: UpstreamUser, what: z.string(), reason: z.string() },
          ...{ since: z.iso.datetime(), triedAgainAt: z.iso.datetime() },
        }),
      ),
      budgets: z.array(
        z.object({ span: z.enum(['hour', 'day', 'month']), limit: z.number(), used: z.number() }),
      ),
    }),
  ),
  cadence: z.object({
    ...{ configuredMinutes: z.number(), longestMinutes: z.number(), isFarStretched: z.boolean() },
  }),
  queues: z.array(z.object({ queue: z.string(), deadLetters: z.number() })),
  overdueSince: Moment,
});
export type Operations = z.output<typeof Operations>;

/** Reads the operations from the API of a stack, or returns why that failed. */
export async function askOperations(
  stack: Stack,
  key: string | undefined,
): Promise<Operations | { readonly why: string }> {
  if (!key) return { why: `${KEY_VARIABLE} is not set` };
  try {
    const http = createInterface({ url: await stack.url(), key, wait: setTimeout });
    return expectAnswer(await http.ask('GET /v1/operations', Operations));
  } catch (error) {
    return { why: messageOf(error) };
  }
}

/** Reads the operations from the table and the queues of a stack, as its API does. */
export async function readOwnOperations(stack: Stack): Promise<Operations> {
  const [table, now, stage, queues] = await Promise.all([
    stack.table(),
    stack.now(),
    stack.stage(),
    stack.queues(),
  ]);
  const deadLetters = await queues.deadLetterQueues();
  const isOfTicks = ({ name }: { readonly name: string }) => name.includes('MissedTicks');
  const variables = z.object(allProvidersVariables).parse(variablesOf(stage));
  return Operations.parse(
    await readOperations({
      now: () => now,
      limits: providersOf(variables).map(({ limits }) => limits),
      keyEndsAt: readInstant(stage.upstreamKeyEndsAt ?? ''),
      configuredCadenceMinutes: stage.pollCadenceMinutes,
      getProgress: createPollProgressStore(table).get,
      getRateLimiter: (provider) => createRateLimiterStore(table, provider).get(),
      getCadences: createCadenceStore(table).cadences,
      overdueSince: async (instant) => (await createDueStore(table).due(instant, 1)).overdueSince,
      queueDepths: async () =>
        deadLetters.flatMap((queue) =>
          isOfTicks(queue) ? [] : [{ queue: queue.name, deadLetters: queue.waiting }],
        ),
      missedTicks: async () =>
        deadLetters.filter(isOfTicks).reduce((sum, { waiting }) => sum + waiting, 0),
    }),
  );
}
