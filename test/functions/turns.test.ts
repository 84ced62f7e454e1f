import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pollPrices } from '#functions/poll-prices/poll-prices.ts';
import type { PollPricesPorts } from '#functions/poll-prices/ports.ts';
import { wakeWork } from '#functions/wake-work/wake-work.ts';
import { type Contract, type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { SHARDS } from '#shared/domain/shard.ts';
import { JobId } from '#shared/domain/watchlists/job.ts';
import { aContractRecord, eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { casesOf, placesIn } from '#test/support/extent.ts';
import { createWorld, type World } from '#test/support/world.ts';

const { signal } = new AbortController();
const BROKEN = 10_000;
const YOUNGER = 40;
/** The number of jobs that one tick sends. */
const EACH = (200 + 1000) * SHARDS;

/**
 * A stack in which this number of expiry jobs of one tenant stay due forever, and another tenant
 * has younger ones.
 */
async function crowded(broken: number): Promise<World> {
  const world = createWorld();
  const due = world.now() - MINUTE;
  const note = async (tenant: string, number: number, dueAt: number) =>
    await world.stores.jobs.make({
      list: { tenant, id: 'list' },
      target: { kind: 'expiry', rule: `rule-${number}`, end: 1 },
      ...{ revision: 1, version: 1, createdAt: dueAt, dueAt },
    });
  for (let number = 0; number < broken; number += 1) await note('broken', number, due);
  for (let number = 0; number < YOUNGER; number += 1) await note('acme', number, due + 1);
  world.log.calls.splice(0);
  return world;
}

/**
 * Runs this many ticks, without handling any message. Returns how many of acme's jobs, which are
 * younger, have got a message.
 */
async function heardIn(world: World, ticks: number): Promise<number> {
  for (let tick = 0; tick < ticks; tick += 1) await world.dispatch();
  const messages = world.queues.lists.waiting.map(({ body }) => JobId.parse(JSON.parse(body)));
  const younger = messages.filter(({ list }) => list.tenant === 'acme');
  return new Set(younger.map((message) => JSON.stringify(message))).size;
}

it('due work is sent within a few ticks, even if many older jobs stay due', async () => {
  const world = await crowded(BROKEN);

  expect(await heardIn(world, 1)).toBe(0);
  expect(await heardIn(world, 3)).toBe(YOUNGER);
});

it('each tick sends the oldest jobs, and a rotating part of the others', async () => {
  const world = await crowded(BROKEN);

  const summaries = [];
  for (let tick = 0; tick < 5; tick += 1) {
    summaries.push(await wakeWork(world.ports.wake, signal));
    world.pass(MINUTE);
  }

  expect(summaries.map(({ timers }) => timers)).toEqual([
    ...[EACH, EACH],
    BROKEN + YOUNGER - 2 * 1000 * SHARDS,
    ...[EACH, EACH],
  ]);
  expect(new Set(summaries.map(({ overdueSince }) => overdueSince)).size).toBe(1);
});

it('a tick queries the index only once if it can send all due jobs', async () => {
  const world = await crowded(100);

  expect(await heardIn(world, 1)).toBe(YOUNGER);
  // One more query finds the channels that are due within the minute.
  expect(world.log.calls.filter((call) => call === 'table.due')).toHaveLength(2 * SHARDS + SHARDS);
});

it('contracts that wait longest for an answer are polled first if a minute has too few calls', async () => {
  const world = createWorld({ limits: someLimits({ callsPerSecond: 1 }) });
  const begun = world.now();
  const waiting = Array.from({ length: 200 }, (_, index) => index);
  const refreshRequested = new Map<ContractKey, Instant>();
  for (const number of waiting) {
    // With a cadence this long, no contract is due by itself.
    const address = (number * 65_536 + 77).toString(16).padStart(40, '0');
    const since = begun - ((number * 37) % waiting.length) * MINUTE;
    const contract = `eth:0x${address}` as const;
    const timers = { refreshRequested: since };
    await world.stores.contracts.put(aContractRecord({ contract, timers, version: 0 }));
    refreshRequested.set(contract, since);
  }

  const asked: ContractKey[] = [];
  const upstream = {
    ...world.ports.poll.upstream,
    floorHistory: async (contract: Contract) => {
      asked.push(contractKey(contract));
      return { kind: 'empty' } as const;
    },
  };

  await pollPrices({ ...world.ports.poll, upstream }, signal);

  const ages = asked.map((contract) => (begun - (refreshRequested.get(contract) ?? 0)) / MINUTE);
  expect(ages.length).toBeLessThan(waiting.length);
  expect(ages).toEqual(waiting.toReversed().slice(0, ages.length));
});

it('calls that are already reserved are not made once the provider is blocked', async () => {
  const costs = evenCosts(1);
  const limits = someLimits({ callsPerSecond: 1, costs });
  const world = createWorld({ cadenceMinutes: 1, limits });
  for (let number = 0; number < 10; number += 1) {
    const contract = `eth:0x${String(number).padStart(40, '0')}` as const;
    await world.stores.contracts.put(aContractRecord({ contract, version: 0 }));
  }
  const begun = world.now();
  const saidStop = begun + 5 * SECOND;
  const asked: Instant[] = [];
  const ports: PollPricesPorts = {
    ...world.ports.poll,
    upstream: {
      ...world.ports.poll.upstream,
      floorHistory: async () => {
        asked.push(world.now());
        return { kind: 'empty' };
      },
    },
    sleepUntil: async (instant) => {
      // Calls with earlier reserved times are made first.
      await setImmediate();
      world.pass(Math.max(0, instant - world.now()));
    },
    getRateLimiter: async () => {
      const rateLimiter = await world.ports.poll.getRateLimiter();
      const isStopped = world.now() >= saidStop;
      return isStopped ? { ...rateLimiter, blockedUntil: begun + HOUR } : rateLimiter;
    },
  };

  await pollPrices(ports, signal);

  expect(asked.length).toBeGreaterThan(1);
  expect(Math.max(...asked)).toBeLessThan(saidStop + 2 * SECOND);
  const { records } = await ports.allContracts();
  const silent = records.filter(({ series }) => series.floor?.noDataSince !== undefined);
  expect(asked.length + silent.length).toBe(10);
});

it('due work is sent within a few ticks, even if each tick runs twice', async () => {
  const world = await crowded(BROKEN);
  const tick = () => wakeWork(world.ports.wake, signal);

  for (let minute = 0; minute < 4; minute += 1) {
    await Promise.allSettled([tick(), tick()]);
    world.pass(MINUTE);
  }

  expect(await heardIn(world, 0)).toBe(YOUNGER);
});

it('due work is sent within a few ticks, even if a tick crashes at any call', async () => {
  const undisturbed = await crowded(BROKEN);
  await undisturbed.dispatch();
  for (const kill of casesOf(placesIn(undisturbed.log.calls), 4)) {
    const world = await crowded(BROKEN);
    world.log.killAfter = kill;

    expect(await heardIn(world, 8)).toBe(YOUNGER);
  }
});

it('watches whose timers expire together are evaluated by one poll', async () => {
  const world = createWorld({ cadenceMinutes: 1 });
  const floorIs = (price: string) => {
    const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [point] });
  };
  const rules = Array.from({ length: 40 }, (_, index) => ({
    ...{ id: `rule-${index}`, metric: 'floor_price', when: 'below' as const, threshold: '60' },
    for: '3m',
  }));
  floorIs('65');
  for (const id of ['one', 'two', 'three']) {
    await world.putList({ id, name: id, contracts: [PUNKS], rules });
  }
  for (let minute = 0; minute < 2; minute += 1) await world.tick();
  floorIs('50');
  for (let minute = 0; minute < 3; minute += 1) await world.tick();

  const polls = () => world.log.calls.filter((call) => call === 'upstream.floor').length;
  const before = polls();

  await world.tick();

  expect(polls()).toBe(before + 1);
  const fired = world.published.filter(({ alert }) => alert.kind === 'fired');
  expect(new Set(fired.map(({ alert }) => alert.id)).size).toBe(120);
});
