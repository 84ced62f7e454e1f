import { describe, expect, it, vi } from 'vitest';
import { pollPrices } from '#functions/poll-prices/poll-prices.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import type { FloorPoint, LowestTrade, Outcome } from '#shared/domain/market/upstream.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { newestOf } from '#shared/domain/polling/contract-record.ts';
import { aRuleBody, aWatch, aWatchlist } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
const CATS = 'eth:0x60cd862c9c687a9de49aecdc3a99b74a4fc54ab6';
const EVERY_MINUTE = { cadenceMinutes: 1 };

const eth = (text: string) => parseDecimal(text) ?? 0n;

function floorAt(time: number, price: string): Outcome<readonly FloorPoint[]> {
  return {
    kind: 'ok',
    value: [
      { time, price: eth(price), usd: eth(price) * 3000n, currency: 'eth', marketplaces: [] },
    ],
  };
}

function floorsAt(timeOf: (index: number) => number, ...prices: readonly string[]) {
  const value = prices.map((price, index) => ({
    time: timeOf(index),
    price: eth(price),
    currency: 'eth' as const,
    marketplaces: [],
  }));
  return { kind: 'ok' as const, value };
}

/** From now on the provider reports this floor, with the present time. */
function floorIs(world: World, price: string): void {
  const since = world.now();
  world.answers.floor = () => floorAt(since, price);
}

const aListOf = (...rules: readonly object[]) => ({
  id: 'mine',
  name: 'Mine',
  contracts: [PUNKS],
  rules: rules.map((rule) => ({
    metric: 'floor_price',
    when: 'below',
    threshold: '60',
    ...rule,
  })) as never,
});

async function watching(world: World, ...rules: readonly object[]): Promise<void> {
  await world.putList(aListOf(...rules));
  await world.tick();
  await world.tick();
}

/** The port calls of one tick, and of all resulting work. */
async function callsOfTick(world: World): Promise<readonly string[]> {
  const before = world.log.calls.length;
  await world.tick();
  return world.log.calls.slice(before);
}

const sent = ({ published }: World) =>
  published
    .filter(({ destinationId }) => destinationId === 'stack-topic')
    .map(({ alert }) => `${alert.kind} ${alert.rule} ${alert.value}`);

const stateOf = async ({ stores }: World, rule: string) =>
  (await stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS)).find(
    (watch) => watch.rule === rule,
  )?.state;

describe('an alert', () => {
  it('an alert is sent once per crossing, not once per poll', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });

    for (const price of ['59', '58', '59.5', '61', '59']) {
      floorIs(world, price);
      await world.tick();
      await world.tick();
    }

    expect(sent(world)).toEqual(['fired low 59', 'recovered low 61', 'fired low 59']);
  });

  it('a watch that fires is written only once', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    const before = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
    floorIs(world, '59');

    await world.tick();

    const after = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
    expect(sent(world)).toEqual(['fired low 59']);
    expect((after[0]?.version ?? 0) - (before[0]?.version ?? 0)).toBe(1);
  });

  it('no alert is sent about crossings from before the rule was written', async () => {
    const world = createWorld(EVERY_MINUTE);
    world.answers.floor = (_contract, now) =>
      floorsAt((index) => now - (3 - index) * 60_000, '65', '40', '66');

    await watching(world, { id: 'low' });

    expect(sent(world)).toEqual([]);
    expect(await stateOf(world, 'low')).toBe('ok');
  });

  it('every crossing in an answer sends an alert, in the order of the data', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    const begun = world.now();
    world.answers.floor = () =>
      floorsAt((index) => begun + (4 - index) * 1000, '54', '62', '55', '61');
    world.pass(10_000);

    await world.tick();

    expect(sent(world)).toEqual(['fired low 55', 'recovered low 62', 'fired low 54']);
  });

  it('the extreme of an episode may be a value from before the rule was created', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const floors = [{ time: world.now() - 20 * 60_000, price: eth('59') }];
    world.answers.floor = () => ({
      kind: 'ok',
      value: floors.map((floor) => ({ ...floor, currency: 'eth', marketplaces: [] })),
    });
    const rules = [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60' }];
    await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
    await world.tick();
    await world.tick();

    floors.push({ time: world.now() - 15 * 60_000, price: eth('56') });
    await world.tick();
    await world.tick();
    floors.push({ time: world.now(), price: eth('58') });
    await world.tick();
    floors.push({ time: world.now(), price: eth('65') });
    await world.tick();

    const published = world.published.map(({ alert }) => [alert.kind, alert.extreme]);
    expect(published).toContainEqual(['recovered', '56']);
  });

  it('an episode that begins and ends within one answer reports its extreme', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    const begun = world.now();
    world.answers.floor = () =>
      floorsAt((index) => begun + (index + 1) * 1000, '61', '55', '50', '57', '62');
    world.pass(10_000);

    await world.tick();

    const published = world.published.map(({ alert }) => [alert.kind, alert.extreme]);
    expect(published).toContainEqual(['recovered', '50']);
  });
});

describe('a poll without a new value', () => {
  it('a poll without a new value does not access the table, because its call was reserved earlier', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    await world.tick();

    const calls = await callsOfTick(world);

    // After the calls for the contracts, only the end of the pass is written.
    expect(calls.slice(calls.indexOf('upstream.floor'))).toEqual(['upstream.floor', 'table.put']);
  });
});

describe('a planned retry of a denied operation', () => {
  it('a planned retry of a denied operation is made once, even if two passes start at the same time', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    await world.tick();
    const known = await world.stores.rateLimiter.get();
    const breaker = { reason: 'plan', openedAt: world.now(), probeAt: world.now(), probes: 1 };
    await world.stores.rateLimiter.put({ ...known, breakers: { 'polling:floor': breaker } });
    world.pass(60_000);
    world.answers.floor = () => ({ kind: 'denied', reason: 'plan' });
    const before = world.log.calls.length;
    const pass = () => pollPrices(world.ports.poll, new AbortController().signal);

    await Promise.all([pass(), pass()]);

    const asked = world.log.calls.slice(before).filter((name) => name === 'upstream.floor');
    expect(asked).toHaveLength(1);
    const { breakers } = await world.stores.rateLimiter.get();
    expect(breakers['polling:floor']).toMatchObject({ probes: 2 });
  });
});

describe('a poll', () => {
  it('a poll reads only the watches that fire', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    const rules = Array.from({ length: 40 }, (_, index) => ({
      id: `r${index}`,
      threshold: String(20 + index),
    }));
    await watching(world, ...rules);
    floorIs(world, '56.5');

    const calls = await callsOfTick(world);

    const evaluation = calls.slice(
      calls.indexOf('upstream.floor'),
      calls.indexOf('send.channels', calls.indexOf('upstream.floor')),
    );
    expect(sent(world)).toHaveLength(3);
    // One read for the contract, one for each of three watches, and one for their list.
    expect(evaluation.filter((name) => name === 'table.get')).toHaveLength(5);
  });

  it('a poll keeps a timer that another writer sets during its evaluation', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    const end = world.now() + 600_000;
    floorIs(world, '64');
    await world.dispatch();
    const [poll] = world.queues.contracts.waiting;
    const ports = world.runContractsPorts();
    const putContract = vi.fn(async (record: Parameters<typeof ports.putContract>[0]) => {
      if (putContract.mock.calls.length === 1) {
        const known = await world.stores.contracts.get(PUNKS);
        if (known !== undefined) await world.stores.contracts.put(known);
        const ruleCondition = {
          ...({ metric: 'floor_price', unit: 'eth' } as const),
          condition: { when: 'below', threshold: eth('1') } as const,
        };
        await world.stores.watches.put(
          aWatch({ version: 0, list: 'other', ruleCondition, expiresAt: end }),
        );
      }
      return await ports.putContract(record);
    });

    await runContracts(
      { ...ports, putContract },
      ContractMessage.parse(JSON.parse(poll?.body ?? '')),
    );

    expect((await world.stores.contracts.get(PUNKS))?.timers).toMatchObject({ answer: end });
  });

  it('a poll reads only the ten watches that fire, of ten thousand, even for changes and drawdowns in a window', async () => {
    const world = createWorld(EVERY_MINUTE);
    const begun = world.now();
    const series = [
      [-120, '60'],
      [0, '60'],
    ].map(([minute, price]) => ({
      time: begun + Number(minute) * 60_000,
      price: eth(String(price)),
      currency: 'eth',
      marketplaces: [],
    }));
    world.answers.floor = () => ({ kind: 'ok', value: series });
    const metrics = ['floor_price', 'floor_change_pct.1h', 'floor_drawdown_pct.1h'] as const;
    const lines = {
      floor_price: '54',
      'floor_change_pct.1h': '-10',
      'floor_drawdown_pct.1h': '10',
    };
    await watching(
      world,
      ...metrics.map((metric) => ({
        id: metric.slice(6, 9),
        metric,
        when: metric.includes('drawdown') ? 'above' : 'below',
        threshold: metric.includes('change') ? '-99' : metric === 'floor_price' ? '1' : '99',
      })),
    );
    const evaluatedSeq = (await world.stores.contracts.get(PUNKS))?.timeline.seq ?? 0;
    for (let index = 0; index < 10_000; index += 1) {
      const metric = metrics[index % 3] ?? 'floor_price';
      const isAbove = metric.includes('drawdown');
      // Ten watches wait for exactly this price, the others for a larger move.
      const further = index < 10 ? 0n : BigInt(index) * (isAbove ? 1n : -1n);
      await world.stores.watches.put(
        aWatch({
          version: 0,
          list: 'many',
          rule: `r${index}`,
          ruleCondition: {
            metric,
            when: isAbove ? 'above' : 'below',
            threshold: eth(lines[metric]) + further,
          },
          evaluatedSeq,
        }),
      );
    }
    series.push({ time: world.now(), price: eth('54'), currency: 'eth', marketplaces: [] });

    await world.dispatch();
    const [poll] = world.queues.contracts.waiting;
    const ports = world.runContractsPorts();
    const getWatch = vi.fn(ports.getWatch);
    const rules = Array.from({ length: 10 }, (_, index) => aRuleBody({ id: `r${index}` }));
    const many = aWatchlist({ id: 'many', rules });
    const watchesReached = vi.fn(ports.watchesReached);

    await runContracts(
      { ...ports, getWatch, watchesReached, getWatchlist: async () => many },
      ContractMessage.parse(JSON.parse(poll?.body ?? '')),
    );

    expect(getWatch).toHaveBeenCalledTimes(10);
    expect(watchesReached).toHaveBeenCalledTimes(6);
    const fired = (await world.stores.watches.ofList({ tenant: 'acme', list: 'many' }, PUNKS))
      .filter(({ state }) => state === 'firing')
      .map(({ rule }) => rule);
    expect(fired.toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => `r${index}`));
  });

  it('a poll evaluates a rule that was written during the poll', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '59');
    await watching(world, { id: 'first' });
    const ask = world.answers.floor;
    let written: Promise<void> | undefined;
    world.answers.floor = (...question) => {
      written ??= world.putList({
        id: 'mine',
        name: 'Mine',
        contracts: [PUNKS],
        rules: [
          { id: 'first', metric: 'floor_price', when: 'below', threshold: '60' },
          { id: 'second', metric: 'floor_price', when: 'below', threshold: '60' },
        ],
      });
      return ask(...question);
    };

    await world.tick();
    await written;
    await world.tick();
    await world.tick();

    expect(sent(world)).toEqual(['fired first 59', 'fired second 59']);
  });

  it('an evaluation that runs out of time continues in another invocation, and skips no watch', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    const rules = Array.from({ length: 50 }, (_, index) => ({ id: `r${index}` }));
    await watching(world, ...rules);
    world.remaining = () => 1000;
    floorIs(world, '59');

    for (let minute = 0; minute < 3; minute += 1) await world.tick();

    expect(new Set(sent(world)).size).toBe(50);
    expect(world.reports.some(({ event }) => event === 'evaluation_continued')).toBe(true);
    expect((await world.stores.contracts.get(PUNKS))?.timeline.steps).toEqual([]);
  });

  it('a changed condition restarts a rule with new alert ids, while other edits do not restart it', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '59');
    await watching(world, { id: 'low' });

    await watching(world, { id: 'low', label: 'Cheap', severity: 'critical' });
    await watching(world, { id: 'low', threshold: '59.5' });

    const ids = world.published
      .filter(({ destinationId }) => destinationId === 'stack-topic')
      .map(({ alert }) => alert);
    expect(sent(world)).toEqual(['fired low 59', 'closed low null', 'fired low 59']);
    expect(ids.map(({ generation, episode }) => [generation, episode])).toEqual([
      [1, 1],
      [1, 1],
      [3, 1],
    ]);
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3);
  });

  it('a contract is no longer polled when its only rule is paused', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    await watching(world, { id: 'low', enabled: false });

    const calls = await callsOfTick(world);

    expect(calls).not.toContain('upstream.floor');
    const record = await world.stores.contracts.get(PUNKS);
    expect([record?.series, record?.timers]).toEqual([{}, {}]);
  });

  it('a contract has no timer after its only rule is paused before the first answer', async () => {
    const world = createWorld(EVERY_MINUTE);
    world.answers.floor = () => ({ kind: 'not_ready' });
    await watching(world, { id: 'low' });
    const before = await world.stores.contracts.get(PUNKS);

    await watching(world, { id: 'low', enabled: false });

    const after = await world.stores.contracts.get(PUNKS);
    expect(before?.timers.refreshRequested).toBeDefined();
    expect(after?.timers).toEqual({});
  });

  it('a contract is no longer polled after its last watch is removed', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    await world.deleteList('mine');
    await world.drain();
    floorIs(world, '59');

    const calls = await callsOfTick(world);

    expect(calls).not.toContain('upstream.floor');
    expect((await world.stores.contracts.get(PUNKS))?.series).toEqual({});
    expect(sent(world)).toEqual([]);
  });
});

describe('an answer without a price', () => {
  const refusals: readonly (readonly [string, Outcome<never>, string])[] = [
    ['202', { kind: 'not_ready' }, 'not_ready'],
    ['401', { kind: 'denied', reason: 'key' }, 'denied'],
    ['404', { kind: 'not_found' }, 'not_found'],
    ['410', { kind: 'unsupported', reason: 'retired' }, 'unsupported'],
    ['429', { kind: 'throttled' }, 'throttled'],
    ['HTML, a cut body', { kind: 'failed', reason: 'garbage' }, 'failed'],
    ['a hang', { kind: 'failed', reason: 'timeout' }, 'failed'],
  ];

  it.each(refusals)(
    'an answer without a price (%s) changes no watch, and is reported in the health of its contract',
    async (_name, outcome, kind) => {
      const world = createWorld(EVERY_MINUTE);
      floorIs(world, '65');
      await watching(world, { id: 'low' }, { id: 'high', when: 'above', threshold: '64' });
      const before = sent(world);
      world.answers.floor = () => outcome;

      await world.tick();
      await world.tick();

      expect(sent(world)).toEqual(before);
      expect(await stateOf(world, 'low')).toBe('ok');
      const record = await world.stores.contracts.get(PUNKS);
      expect(record?.series.floor?.outcome).toBe(kind);
      expect(record && newestOf(record, 'floor')).toMatchObject({ price: eth('65') });
    },
  );

  it('failed calls for one contract delay no other contract', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await world.putList({
      id: 'mine',
      name: 'Mine',
      contracts: [PUNKS, CATS],
      rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60' }],
    });
    await world.tick();
    await world.tick();
    const since = world.now();
    world.answers.floor = (contract) =>
      contract === PUNKS ? { kind: 'failed', reason: 'timeout' } : floorAt(since, '59');

    await world.tick();

    expect(world.published.map(({ alert }) => alert.contract)).toContain(CATS);
  });

  it('a contract without a price is retried after 1, 2, 4 and 8 minutes, then at the cadence', async () => {
    const world = createWorld({ cadenceMinutes: 10_000 });
    floorIs(world, '65');
    await watching(world, { id: 'low' });
    world.answers.floor = () => ({ kind: 'failed', reason: 'server_error' });
    await world.putList({
      id: 'mine',
      name: 'Mine',
      contracts: [PUNKS],
      rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '61' }],
    });
    await world.drain();

    const asked: number[] = [];
    for (let minute = 0; minute < 40; minute += 1) {
      const calls = await callsOfTick(world);
      if (calls.includes('upstream.floor')) asked.push(minute);
    }

    expect(asked).toEqual([0, 1, 3, 7, 15]);
  });
});

describe('the lowest trade', () => {
  const trade = (time: number, price: string): Outcome<LowestTrade> => ({
    kind: 'ok',
    value: { time, price: eth(price), tokenIds: ['1'] },
  });

  it('after a lowest-price operation is retired, polls also call its successor, and later only the successor', async () => {
    const world = createWorld(EVERY_MINUTE);
    const ways: string[] = [];
    world.answers.lowest = (_contract, _days, now, way) => {
      ways.push(way);
      return way === 'lowestprice'
        ? { kind: 'unsupported', reason: 'retired' }
        : trade(now - 60_000, '50');
    };

    await watching(world, { id: 'sale', metric: 'lowest_price.7d' });
    await world.tick();

    expect(sent(world)).toEqual(['fired sale 50']);
    expect(ways.slice(0, 3)).toEqual(['lowestprice', 'price', 'price']);
  });

  it('while the plan does not include lowestprice, its successor is called, and lowestprice is retried', async () => {
    const world = createWorld(EVERY_MINUTE);
    const ways: string[] = [];
    world.answers.lowest = (_contract, _days, now, way) => {
      ways.push(way);
      return way === 'lowestprice' ? { kind: 'denied', reason: 'plan' } : trade(now - 60_000, '50');
    };

    await watching(world, { id: 'sale', metric: 'lowest_price.7d' });
    await world.tick();
    await world.tick();

    expect(sent(world)).toEqual(['fired sale 50']);
    expect(ways).toEqual(['lowestprice', 'price', 'lowestprice', 'price', 'price']);
  });

  it('a sale in another currency that hides sales in ETH ends no episode', async () => {
    const world = createWorld(EVERY_MINUTE);
    const sold = world.now() - 24 * 60 * 60_000 + 5 * 60_000;
    world.answers.lowest = () => trade(sold, '50');
    await watching(world, { id: 'sale', metric: 'lowest_price.1d' });
    world.answers.lowest = () => ({ kind: 'unsupported', reason: 'money' });

    for (let minute = 0; minute < 10; minute += 1) await world.tick();

    expect(sent(world)).toEqual(['fired sale 50']);
    expect((await world.stores.contracts.get(PUNKS))?.series['lowest.1d']).toMatchObject({
      outcome: 'unsupported',
      reason: 'money',
    });
  });

  it('a recovering episode ends when no sale is left in its window', async () => {
    const world = createWorld(EVERY_MINUTE);
    const day = 24 * 60 * 60_000;
    const [low, high] = [world.now() - day + 4 * 60_000, world.now() - day + 8 * 60_000];
    world.answers.lowest = (_contract, _days, now) => {
      if (now < low + day) return trade(low, '50');
      return now < high + day ? trade(high, '70') : { kind: 'empty' };
    };
    await watching(world, { id: 'sale', metric: 'lowest_price.1d', keepFor: '1h' });

    for (let minute = 0; minute < 10; minute += 1) await world.tick();

    expect(sent(world)).toEqual(['fired sale 50', 'recovered sale null']);
  });

  it('an episode ends when no sale is left in its window, and the rule can fire again', async () => {
    const world = createWorld(EVERY_MINUTE);
    const sold = world.now() - 24 * 60 * 60_000 + 5 * 60_000;
    world.answers.lowest = () => trade(sold, '50');
    await watching(world, { id: 'sale', metric: 'lowest_price.1d' });
    world.answers.lowest = () => ({ kind: 'empty' });

    await world.tick();
    const tooEarly = sent(world);
    world.pass(5 * 60_000);
    await world.tick();
    world.answers.lowest = (_contract, _days, now) => trade(now, '49');
    await world.tick();

    expect(tooEarly).toEqual(['fired sale 50']);
    expect(sent(world)).toEqual(['fired sale 50', 'recovered sale null', 'fired sale 49']);
  });
});

describe('a floor', () => {
  it('the record of a contract stays small even with very long marketplace names', async () => {
    const world = createWorld(EVERY_MINUTE);
    const time = world.now();
    world.answers.floor = () => ({
      kind: 'ok',
      value: [{ time, price: eth('65'), currency: 'eth', marketplaces: ['market'.repeat(1000)] }],
    });

    await watching(world, { id: 'low' });

    const record = await world.stores.contracts.get(PUNKS);
    expect(record && newestOf(record, 'floor')).toMatchObject({
      source: expect.stringMatching(/^market.{17}…$/),
    });
  });
});
