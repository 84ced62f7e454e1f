import { expect, it } from 'vitest';
import { Operations } from '#functions/serve-api/operations/answers.ts';
import { reportOperations } from '#functions/serve-api/operations/routes.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';
import { LIMITS, QUIET, world } from './world.ts';

type World = ReturnType<typeof world>;

async function read({ ports }: Pick<World, 'ports'>) {
  const ask = documented((event) => reportOperations(ports, event));
  const event = anHttpRequest('GET /v1/operations', { scopes: 'operate' });
  const { body } = await ask(event, {} as never);
  return Operations.parse(JSON.parse(body));
}

const progress = { version: 0, polledUntil: NOON / MINUTE - 1, again: [] };

it('GET /v1/operations reports a late tick, and a tick that never ran', async () => {
  const none = await read(world());
  const late = world();
  await late.progress.put({ ...progress, tickedAt: NOON - 5 * MINUTE - 1 });
  const punctual = world();
  await punctual.progress.put({ ...progress, tickedAt: NOON - 5 * MINUTE });

  expect(none.tick).toMatchObject({ at: null, isLate: true });
  expect((await read(late)).tick).toMatchObject({ isLate: true });
  expect((await read(punctual)).tick).toMatchObject({ isLate: false, fallback: null });
});

it('GET /v1/operations reports each provider with its budgets, when they run out, and when its key expires', async () => {
  const keyEndsAt = NOON + 2 * DAY;
  const { ports, rateLimiter } = world({ keyEndsAt });
  const day = formatInstant(NOON).slice(0, 10);
  await rateLimiter.put({
    ...newRateLimiterRecord(),
    // Polls used 600 of their 800 units in half a day, so the other 200 last four hours.
    spent: {
      day,
      inDay: { polling: 600, interface: 10 },
      inMonth: { polling: 900, interface: 10 },
    },
  });

  const { providers } = await read({ ports });

  expect(providers).toMatchObject([
    {
      ...{ provider: 'opensea', status: 'asked', keyEndsAt: formatInstant(keyEndsAt) },
      budgets: [
        { span: 'hour', limit: 100, used: 0, leftForPolls: 80, runsOutAt: null },
        {
          ...{ span: 'day', limit: 1000, used: 610, leftForPolls: 200 },
          runsOutAt: formatInstant(NOON + 4 * HOUR),
        },
        { span: 'month', limit: 20_000, used: 910, leftForPolls: 15_100, runsOutAt: null },
      ],
    },
  ]);
});

it('GET /v1/operations reports the key expiry of the first provider, and of no other', async () => {
  const other: UpstreamLimits = { ...LIMITS, provider: 'alchemy' };
  const { ports } = world({ keyEndsAt: NOON + DAY, limits: [LIMITS, other] });

  const { providers } = await read({ ports });

  expect(providers).toMatchObject([
    { provider: 'opensea', keyEndsAt: formatInstant(NOON + DAY) },
    { provider: 'alchemy', keyEndsAt: null },
  ]);
});

it('GET /v1/operations reports a provider that denies service, and a provider that is blocked for a minute', async () => {
  const denied = world();
  const breaker = { reason: 'key', openedAt: NOON - HOUR, probeAt: NOON + MINUTE, probes: 1 };
  await denied.rateLimiter.put({ ...newRateLimiterRecord(), breakers: { polling: breaker } });
  const blocked = world();
  await blocked.rateLimiter.put({ ...newRateLimiterRecord(), blockedUntil: NOON + MINUTE });

  const [one] = (await read(denied)).providers;
  const [other] = (await read(blocked)).providers;

  expect(one).toMatchObject({
    status: 'denied',
    denials: [{ user: 'polling', what: 'its service', since: formatInstant(NOON - HOUR) }],
  });
  expect(other).toMatchObject({ status: 'blocked', blockedUntil: formatInstant(NOON + MINUTE) });
});

it('GET /v1/operations reports stretched cadences, and the cost of polls for each tenant', async () => {
  const { ports, cadences, progress: store } = world();
  await cadences.noteCadences({
    stretched: { globex: { minutes: 4 } },
    capacity: 7.5,
    contracts: { acme: 2.5, globex: 20 },
  });
  const spending = {
    day: formatInstant(NOON).slice(0, 10),
    inDay: new Map([['acme', 30.5]]),
    inMonth: new Map([['acme', 300]]),
  };
  await store.put({ ...progress, tickedAt: NOON, spending });

  const { cadence, tenants } = await read({ ports });

  expect(cadence).toEqual({
    ...{ configuredMinutes: 1, longestMinutes: 4, isFarStretched: true, contractsThatFit: 7 },
  });
  expect(tenants).toEqual([
    { tenant: 'acme', contracts: 3, cadenceMinutes: 1, unitsInDay: 31, unitsInMonth: 300 },
    { tenant: 'globex', contracts: 20, cadenceMinutes: 4, unitsInDay: 0, unitsInMonth: 0 },
  ]);
});

it("GET /v1/operations does not count yesterday's spending towards today's budget", async () => {
  const { ports, progress: store } = world();
  const spending = {
    day: formatInstant(NOON - DAY).slice(0, 10),
    inDay: new Map([['acme', 30]]),
    inMonth: new Map([['acme', 300]]),
  };
  await store.put({ ...progress, tickedAt: NOON, spending });

  expect((await read({ ports })).tenants).toMatchObject([{ unitsInDay: 0, unitsInMonth: 300 }]);
});

it('GET /v1/operations reports dead letters, missed ticks, and the time of the oldest overdue work', async () => {
  const queues = [
    { queue: 'contracts', waiting: 3, underWay: 1, deadLetters: 2 } as const,
    ...QUIET.slice(1),
  ];
  const reported = await read(
    world({
      queueDepths: async () => queues,
      missedTicks: async () => 4,
      overdueSince: async () => NOON - HOUR,
    }),
  );

  expect(reported).toMatchObject({
    queues,
    ...{ tick: { missed: 4 }, overdueSince: formatInstant(NOON - HOUR) },
  });
});
