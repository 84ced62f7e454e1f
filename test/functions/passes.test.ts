import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pollPrices } from '#functions/poll-prices/poll-prices.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { aContractRecord, eth, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { casesOf, placesIn } from '#test/support/extent.ts';
import { createWorld } from '#test/support/world.ts';

const { signal } = new AbortController();
const COUNT = 5;
const COSTS = evenCosts(1);
const LIMITS = someLimits({ callsPerSecond: 100, budgetPerDay: 1000, costs: COSTS });

/** All these contracts are due in the same minute. */
const contractOfNumber = (number: number) =>
  `eth:0x${(number * 5).toString(16).padStart(40, '0')}` as const;

/** Contracts with a cadence of five minutes, and a provider that records its calls. */
async function watched() {
  const world = createWorld({ cadenceMinutes: 5, limits: LIMITS });
  for (let number = 0; number < COUNT; number += 1) {
    const contract = contractOfNumber(number);
    await world.stores.contracts.put(aContractRecord({ contract, version: 0 }));
  }
  const asked: string[] = [];
  world.answers.floor = (contract, now) => {
    asked.push(contract);
    const point = { time: now, price: eth('60'), currency: 'eth', marketplaces: [] };
    return { kind: 'ok', value: [point] };
  };
  world.log.calls.length = 0;
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.tick();
  };
  const spent = async () => (await world.stores.rateLimiter.get()).spent.inDay.polling;
  return { world, asked, minutes, spent };
}

const each = Array.from({ length: COUNT }, (_, number) => contractOfNumber(number)).toSorted();

describe('a pass', () => {
  it('a pass polls each contract once per cadence, and charges each call to the budget once', async () => {
    const { asked, minutes, spent } = await watched();

    await minutes(9);

    expect(asked.toSorted()).toEqual(each);
    expect(await spent()).toBe(COUNT);
  });

  it('a pass does nothing while an earlier pass is running, and the earlier pass still makes all its polls', async () => {
    const { world } = await watched();
    world.pass(5 * MINUTE);
    const poll = world.ports.poll;
    const polls: number[] = [];
    const putContract: typeof poll.putContract = async (record) => {
      polls.push((await pollPrices(poll, signal)).polls);
      if (record.contract === each[0]) throw new Error('the table is away');
      return await poll.putContract(record);
    };
    polls.push((await pollPrices({ ...poll, putContract }, signal)).polls);
    world.pass(MINUTE);

    const next = await pollPrices(poll, signal);

    expect(polls).toEqual([...Array(COUNT).fill(0), COUNT]);
    // Only the poll that failed is repeated.
    expect(next.polls).toBe(1);
  });

  it('a pass makes its polls even if the queue for evaluations fails, and the next pass repeats the messages', async () => {
    const { world, asked } = await watched();
    world.pass(5 * MINUTE);
    const poll = world.ports.poll;
    const refusing = { ...poll, sendToContracts: () => Promise.reject(new Error('away')) };
    await pollPrices(refusing, signal);
    world.pass(MINUTE);

    const { polls, evaluations } = await pollPrices(poll, signal);

    expect(asked.toSorted()).toEqual(each);
    expect([polls, evaluations]).toEqual([0, COUNT]);
  });

  it('after a pass has crashed, the next pass polls, charges and evaluates all contracts', async () => {
    const undisturbed = await watched();
    undisturbed.world.remaining = () => 58 * SECOND;
    await undisturbed.minutes(5);
    for (const call of casesOf(placesIn(undisturbed.world.log.calls), 20)) {
      const { world, asked, minutes, spent } = await watched();
      world.remaining = () => 58 * SECOND;
      world.log.killAfter = call;

      await minutes(7);

      const died = `killed after call ${call}`;
      expect([...new Set(asked)].toSorted(), died).toEqual(each);
      // The next pass repeats all calls. The charges of the crashed pass remain.
      expect(asked.length, died).toBeLessThanOrEqual(2 * COUNT);
      expect(await spent(), died).toBeGreaterThanOrEqual(asked.length);
      expect(await spent(), died).toBeLessThanOrEqual(2 * COUNT);
      const { records } = await world.ports.poll.allContracts();
      expect(
        records.map(({ timeline }) => timeline.steps),
        died,
      ).toEqual(Array(COUNT).fill([]));
    }
  });

  it('a pass repeats only the poll whose answer could not be stored', async () => {
    const { world, asked } = await watched();
    world.pass(5 * MINUTE);
    const poll = world.ports.poll;
    const [first] = each;
    let isBroken = true;
    const putContract: typeof poll.putContract = async (record) => {
      if (isBroken && record.contract === first) throw new Error('the table is away');
      return await poll.putContract(record);
    };
    const ports = { ...poll, putContract };
    await pollPrices(ports, signal);
    isBroken = false;
    world.pass(MINUTE);
    const before = asked.length;

    const { polls } = await pollPrices(ports, signal);

    expect([polls, asked.slice(before)]).toEqual([1, [first]]);
    expect(world.reports.map(({ event }) => event)).toContain('poll_failed');
    world.pass(MINUTE);
    expect((await pollPrices(ports, signal)).polls).toBe(0);
  });

  it('a pass that fails still waits for its polls to end', async () => {
    const { world } = await watched();
    world.pass(5 * MINUTE);
    const poll = world.ports.poll;
    let stored = 0;
    const ports = {
      ...poll,
      sleepUntil: async () => {
        await setImmediate();
        world.pass(2 * SECOND);
      },
      getRateLimiter: async () => {
        if (stored > 0 || world.log.calls.includes('upstream.floor')) throw new Error('away');
        return await poll.getRateLimiter();
      },
      putContract: async (record: Parameters<typeof poll.putContract>[0]) => {
        await setImmediate();
        stored += 1;
        return await poll.putContract(record);
      },
      limits: someLimits({ callsPerSecond: 1, costs: COSTS }),
    };

    await expect(pollPrices(ports, signal)).rejects.toThrow('away');
    const storedByThen = stored;
    await setImmediate();

    expect(stored).toBe(storedByThen);
  });
});
