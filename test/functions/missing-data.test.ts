import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { APES, eth, linesSaid, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const EVERY_MINUTE = { cadenceMinutes: 1 };

function floorIs(world: World, price: string): void {
  const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function put(world: World, rule: object, id = 'mine'): Promise<void> {
  const rules = [{ id: 'rule', metric: 'floor_price', when: 'below', threshold: '60', ...rule }];
  await world.putList({ id, name: 'Mine', contracts: [PUNKS], rules: rules as never });
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

const alertsOf = (world: World) =>
  world.published
    .filter(({ destinationId }) => destinationId === 'stack-topic')
    .map(({ alert }) => alert);
const sent = (world: World) => alertsOf(world).map(({ kind }) => kind);
const failing = (world: World) => {
  world.answers.floor = () => ({ kind: 'failed', reason: 'timeout' });
};

describe('a rule on the age of data', () => {
  const old = { metric: 'data_age_minutes', when: 'above', threshold: '10' };

  it('a resumed rule on the age of data counts from its resumption if data are missing', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    const until = (minute: number) => new Date(world.now() + minute * MINUTE).toISOString();
    await put(world, { ...old, expiresAt: until(13) });
    await minutes(world, 16);
    failing(world);

    await put(world, { ...old, expiresAt: until(60) });
    await minutes(world, 4);
    const sentBefore = sent(world);
    floorIs(world, '66');
    await minutes(world, 4);

    expect(sentBefore).toEqual(['fired', 'closed', 'expired']);
    expect(sent(world)).toEqual(sentBefore);
  });

  it('a resumed rule on the age of data does not fire if prices have arrived again', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    const until = (minute: number) => new Date(world.now() + minute * MINUTE).toISOString();
    await put(world, { ...old, expiresAt: until(13) });
    await put(world, {}, 'other');
    await minutes(world, 14);
    floorIs(world, '66');
    await minutes(world, 2);

    await put(world, { ...old, expiresAt: until(60) });
    await minutes(world, 2);

    expect(sent(world)).toEqual(['fired', 'closed', 'expired']);
  });

  it('a rule on the age of data fires at its threshold even if the first floor is older than the rule', async () => {
    const world = createWorld(EVERY_MINUTE);
    const time = world.now();
    const point = { time, price: eth('65'), currency: 'eth', marketplaces: [] };
    world.pass(5 * MINUTE);
    failing(world);
    await put(world, old);
    await minutes(world, 3);
    world.answers.floor = () => ({ kind: 'ok', value: [point] });

    await minutes(world, 4);

    const [fired] = alertsOf(world);
    expect(sent(world)).toEqual(['fired']);
    expect(Date.parse(fired?.dataTime ?? '') - time).toBeLessThanOrEqual(11 * MINUTE + 1);
  });

  it('a rule on the age of data recovers with the next floor', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, old);
    await minutes(world, 13);
    floorIs(world, '64');

    await minutes(world, 2);

    expect(sent(world)).toEqual(['fired', 'recovered']);
  });

  it('a rule on the age of data counts from its creation if nothing was ever reported', async () => {
    const world = createWorld(EVERY_MINUTE);
    failing(world);
    await put(world, old);

    await minutes(world, 9);
    const before = sent(world);
    await minutes(world, 3);

    expect(before).toEqual([]);
    expect(sent(world)).toEqual(['fired']);
  });

  it('a pending watch of a rule on the age of data is not written again, even with `steps`', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, { ...old, for: '30m', steps: '50' });
    await minutes(world, 13);
    const id = { tenant: 'acme', list: 'mine', rule: 'rule', contract: PUNKS };
    const waiting = await world.stores.watches.get(id);

    await minutes(world, 20);

    expect(waiting?.state).toBe('pending');
    expect(await world.stores.watches.get(id)).toEqual(waiting);
  });

  it('a rule on the age of data reports steps and sends reminders until the rule ends', async () => {
    const world = createWorld(EVERY_MINUTE);
    failing(world);
    const expiresAt = new Date(world.now() + 25 * MINUTE).toISOString();
    await put(world, { ...old, steps: '50', repeat: { reminder: '7m' }, expiresAt });

    await minutes(world, 40);

    expect(sent(world).at(0)).toBe('fired');
    expect(sent(world).at(-1)).toBe('expired');
    expect(sent(world)).toContain('reminder');
    expect(
      alertsOf(world).every(
        ({ at }) => at <= new Date(Date.parse(expiresAt) + 3 * MINUTE).toISOString(),
      ),
    ).toBe(true);
  });
});

describe('a rule with noData', () => {
  it('a rule with noData reports missing sales even if the provider denies service', async () => {
    const world = createWorld({ cadenceMinutes: 5 });
    const contracts = [PUNKS, APES, 'eth:0x60cd862c9c687a9de49aecdc3a99b74a4fc54ab6' as const];
    const sold = { price: eth('65'), usd: eth('195000'), tokenIds: ['1'] };
    let isDenied = false;
    const asked = new Set<string>();
    world.answers.lowest = (contract, _days, now) => {
      if (!isDenied) return { kind: 'ok', value: { ...sold, time: now - HOUR } };
      asked.add(contract);
      return { kind: 'denied', reason: 'key' };
    };
    const rule = { id: 'low', metric: 'lowest_price.7d', when: 'below', threshold: '60' } as const;
    const rules = [{ ...rule, noData: { alert: '30m' } }];
    await world.putList({ id: 'mine', name: 'Mine', contracts, rules });
    await minutes(world, 12);

    isDenied = true;
    await minutes(world, 50);
    const stale = alertsOf(world).filter(({ kind }) => kind === 'stale');
    isDenied = false;
    await minutes(world, 70);

    expect(asked.size).toBeLessThan(contracts.length);
    expect(stale.map(({ contract }) => contract).toSorted()).toEqual(contracts.toSorted());
    expect(sent(world).filter((kind) => kind === 'fresh')).toHaveLength(contracts.length);
  });

  it('a rule with noData reports that floors are missing if the plan lacks them, while sales are polled', async () => {
    const world = createWorld({ cadenceMinutes: 5 });
    const contracts = [PUNKS, APES, 'eth:0x60cd862c9c687a9de49aecdc3a99b74a4fc54ab6' as const];
    let isDenied = false;
    const asked = { floor: new Set<string>(), lowest: 0 };
    world.answers.floor = (contract, now) => {
      if (isDenied) {
        asked.floor.add(contract);
        return { kind: 'denied', reason: 'plan' };
      }
      const point = { time: now, price: eth('65'), currency: 'eth', marketplaces: [] };
      return { kind: 'ok', value: [point] };
    };
    world.answers.lowest = (_contract, _days, now) => {
      asked.lowest += 1;
      return { kind: 'ok', value: { price: eth('65'), tokenIds: ['1'], time: now - HOUR } };
    };
    const below = { when: 'below', threshold: '60', noData: { alert: '30m' } } as const;
    await world.putList({
      ...{ id: 'mine', name: 'Mine', contracts },
      rules: [
        { id: 'floors', metric: 'floor_price', ...below },
        { id: 'sales', metric: 'lowest_price.7d', ...below },
      ],
    });
    await minutes(world, 12);

    isDenied = true;
    asked.lowest = 0;
    await minutes(world, 50);
    const lowestAsked = asked.lowest;
    const stale = alertsOf(world).filter(({ kind }) => kind === 'stale');
    isDenied = false;
    await minutes(world, 70);

    expect(asked.floor.size).toBeLessThan(contracts.length);
    expect(lowestAsked).toBeGreaterThanOrEqual(3 * 9);
    expect(stale.map(({ contract }) => contract).toSorted()).toEqual(contracts.toSorted());
    expect(sent(world).filter((kind) => kind === 'fresh')).toHaveLength(contracts.length);
  });

  it('a rule with noData reports missing sales while a 429 stops all polls, even of contracts that were not called', async () => {
    const world = createWorld({ cadenceMinutes: 5 });
    // The two contracts are due in different minutes of the cadence.
    const contracts = [PUNKS, 'eth:0x60cd862c9c687a9de49aecdc3a99b74a4fc54ab6' as const];
    const sold = { price: eth('65'), usd: eth('195000'), tokenIds: ['1'] };
    const asked = new Set<string>();
    let isThrottled = false;
    world.answers.lowest = (contract, _days, now) => {
      if (!isThrottled) return { kind: 'ok', value: { ...sold, time: now - HOUR } };
      asked.add(contract);
      return { kind: 'throttled', retryAfterSeconds: 7200 };
    };
    const rule = { id: 'low', metric: 'lowest_price.7d', when: 'below', threshold: '60' } as const;
    const rules = [{ ...rule, noData: { alert: '30m' } }];
    await world.putList({ id: 'mine', name: 'Mine', contracts, rules });
    await minutes(world, 12);

    isThrottled = true;
    await minutes(world, 50);

    expect(asked.size).toBe(1);
    const stale = alertsOf(world).filter(({ kind }) => kind === 'stale');
    expect(stale.map(({ contract }) => contract).toSorted()).toEqual(contracts.toSorted());
  });

  it('a rule with noData reports in plain words that floors are missing, and that they have returned', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, { noData: { alert: '10m' } });
    await minutes(world, 13);
    floorIs(world, '64');
    await minutes(world, 2);

    const [stale, fresh] = alertsOf(world);
    expect(sent(world)).toEqual(['stale', 'fresh']);
    expect(stale?.title).toMatch(/: no new floor price for 1\d min( \d+ s)?$/);
    expect(fresh?.title).toMatch(/: floor prices are back \(newest: .* old\)$/);
    expect([stale, fresh].map((alert) => alert?.facts[0])).toEqual([
      { name: 'Condition', value: 'no new floor price for 10 min' },
      { name: 'Condition', value: 'no new floor price for 10 min' },
    ]);
    expect([stale?.rule, fresh?.rule]).toEqual(['rule', 'rule']);
  });

  it('noData alerts never reuse an id, however often the setting changes', async () => {
    const world = createWorld(EVERY_MINUTE);
    failing(world);
    for (const noData of [{ alert: '5m' }, 'keep', { alert: '5m' }]) {
      await put(world, { noData });
      await minutes(world, 8);
    }
    for (const enabled of [false, true]) {
      await put(world, { noData: { alert: '5m' }, enabled });
      await minutes(world, 8);
    }

    const ids = alertsOf(world).map(({ id }) => id);
    expect(sent(world)).toEqual(['stale', 'closed', 'stale', 'closed', 'stale']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('raising the noData time above the present age of the data ends the alert immediately', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, { noData: { alert: '5m' } });
    await minutes(world, 8);

    await put(world, { noData: { alert: '1h' } });
    await minutes(world, 2);

    expect(sent(world)).toEqual(['stale', 'fresh']);
  });

  it('a noData alert stays open if the noData time is changed, but is still exceeded', async () => {
    const world = createWorld(EVERY_MINUTE);
    failing(world);
    await put(world, { noData: { alert: '5m' } });
    await minutes(world, 8);

    await put(world, { noData: { alert: '6m' } });
    await minutes(world, 8);
    floorIs(world, '65');
    await minutes(world, 2);

    expect(sent(world)).toEqual(['stale', 'fresh']);
    expect(new Set(alertsOf(world).map(({ generation }) => generation)).size).toBe(1);
  });
});

/**
 * Rules without data behave like Grafana alert rules with the no-data state "Keep Last State" or
 * "No Data" (which has its own DatasourceNoData alert), or like CloudWatch alarms that ignore
 * missing data. There is no equivalent of "OK" (CloudWatch: "notBreaching") and "Alerting"
 * ("breaching"), which replace missing data with a value.
 */
describe('noData compared with the no-data policies of Grafana and CloudWatch', () => {
  it.each([
    {
      policy: 'Keep Last State, ignore',
      noData: 'keep',
      price: '50',
      state: 'firing',
      says: ['fired'],
    },
    { policy: 'Keep Last State, ignore', noData: 'keep', price: '70', state: 'ok', says: [] },
    {
      policy: 'No Data, with an alert of its own',
      noData: { alert: '10m' },
      price: '50',
      state: 'firing',
      says: ['fired', 'stale'],
    },
    {
      policy: 'No Data, without an alert of the rule',
      noData: { alert: '10m' },
      price: '70',
      state: 'ok',
      says: ['stale'],
    },
  ])(
    'with noData like $policy, a rule whose last price is $price stays $state without data, and sends $says',
    async (row) => {
      const world = createWorld(EVERY_MINUTE);
      floorIs(world, row.price);
      await put(world, { noData: row.noData });
      await minutes(world, 3);

      failing(world);
      await minutes(world, 20);

      const id = { tenant: 'acme', list: 'mine', rule: 'rule', contract: PUNKS };
      expect((await world.stores.watches.get(id))?.state).toBe(row.state);
      expect(sent(world)).toEqual(row.says);
    },
  );

  it.each(['for', 'keepFor'] as const)(
    'a timer of "%s" that expires while data are missing takes effect at the time of the next answer',
    async (option) => {
      const world = createWorld({ cadenceMinutes: 1 });
      floorIs(world, '50');
      await put(world, { [option]: '10m' });
      await minutes(world, 3);
      if (option === 'keepFor') {
        floorIs(world, '70');
        await minutes(world, 2);
      }
      const before = sent(world);
      const answer = world.answers.floor;
      failing(world);

      await minutes(world, 90);
      const during = sent(world);
      const answeredFrom = world.now();
      world.answers.floor = answer;
      await minutes(world, 20);

      expect(during).toEqual(before);
      expect(sent(world)).toEqual([...before, option === 'for' ? 'fired' : 'recovered']);
      const last = alertsOf(world).at(-1);
      expect(last?.late).toBe(false);
      expect(Date.parse(last?.dataTime ?? '')).toBeGreaterThan(answeredFrom);
    },
  );
});

describe('a watch without a first value', () => {
  const HOURLY = { cadenceMinutes: 60 };
  const unknown = (world: World) => {
    world.answers.floor = () => ({ kind: 'not_found' });
  };
  /** Runs evaluations for five minutes, skips a day, and runs them for five more minutes. */
  async function aDay(world: World): Promise<void> {
    await minutes(world, 5);
    world.pass(DAY);
    await minutes(world, 5);
  }

  it('a watch reports after a day that it has no first value, with the reason, even without noData', async () => {
    const world = createWorld(HOURLY);
    unknown(world);
    await put(world, {});
    await minutes(world, 23);
    const id = { tenant: 'acme', list: 'mine', rule: 'rule', contract: PUNKS };
    const { since = 0 } = (await world.stores.watches.get(id)) ?? {};
    world.pass(DAY - 30 * MINUTE);
    await minutes(world, 5);
    const before = sent(world);

    await minutes(world, 10);

    const [alert] = alertsOf(world);
    expect(before).toEqual([]);
    expect(sent(world)).toEqual(['stale']);
    expect(alert).toMatchObject({
      ...{ rule: 'rule', metric: 'floor_price', value: null, late: false, episode: 0 },
      dataTime: new Date(since + DAY).toISOString(),
    });
    expect(alert && linesSaid(alert)).toEqual([
      'eth:0xb47e3c…3bbb: no floor price yet (the provider does not have this contract)',
      'Condition: floor price at or below 60 ETH',
      'Reported so far: nothing from any provider',
      `Waiting since: ${momentInWords(since)}`,
      "Next: Check the contract address. See the rule's health for details.",
    ]);
  });

  it('a watch reports once that its first value is missing, and later reports that value before other alerts', async () => {
    const world = createWorld(HOURLY);
    unknown(world);
    await put(world, {});
    await aDay(world);
    world.pass(2 * DAY);
    await minutes(world, 5);
    floorIs(world, '50');

    await minutes(world, 65);

    const [, fresh] = alertsOf(world);
    expect(sent(world)).toEqual(['stale', 'fresh', 'fired']);
    expect(alertsOf(world).map(({ open }) => open)).toEqual([true, false, true]);
    expect(fresh?.title).toBe('Resolved: eth:0xb47e3c…3bbb: floor price 50 ETH (first value)');
  });

  it('a first value that arrives within a day is not reported', async () => {
    const world = createWorld(HOURLY);
    floorIs(world, '65');
    await put(world, {});

    await aDay(world);

    expect(sent(world)).toEqual([]);
  });

  it('a watch without a value reports that its price is in another currency', async () => {
    const world = createWorld(HOURLY);
    const point = { time: world.now(), price: eth('50'), currency: 'usdc', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [point] });
    await put(world, {});

    await aDay(world);

    const [alert] = alertsOf(world);
    expect(sent(world)).toEqual(['stale']);
    expect(alert?.title).toMatch(
      /: no floor price yet \(the provider reports the price in usdc, but/,
    );
    expect(alert?.facts.map(({ name }) => name)).not.toContain('Reported so far');
  });

  it('the noData of a rule decides when a watch without a first value is reported', async () => {
    const world = createWorld(HOURLY);
    unknown(world);
    await put(world, { noData: { alert: '3d' } });
    await aDay(world);
    const before = sent(world);

    world.pass(2 * DAY);
    await minutes(world, 5);

    expect(before).toEqual([]);
    expect(sent(world)).toEqual(['stale']);
    expect(alertsOf(world)[0]?.metric).toBe('data_age_minutes');
  });

  it.each([
    ['changed', { threshold: '55' }],
    ['paused', { enabled: false }],
  ])('the alert about a missing first value is closed when its rule is %s', async (why, edit) => {
    const world = createWorld(HOURLY);
    unknown(world);
    await put(world, {});
    await aDay(world);

    await put(world, edit);
    await minutes(world, 5);

    expect(sent(world)).toEqual(['stale', 'closed']);
    expect(alertsOf(world).at(-1)?.title).toMatch(
      new RegExp(`^Closed: .*: no floor price yet \\(its rule was ${why}\\)$`),
    );
  });

  it('a missing first value is reported again for a changed rule, but not for a rule that ends within a day', async () => {
    const world = createWorld(HOURLY);
    unknown(world);
    await put(world, {});
    await put(world, { expiresAt: new Date(world.now() + 5 * HOUR).toISOString() }, 'ends');
    await aDay(world);
    await put(world, { threshold: '55' });

    await aDay(world);

    const ofLists = alertsOf(world).map(({ watchlist, kind }) => `${watchlist} ${kind}`);
    expect(ofLists.filter((published) => published.startsWith('mine'))).toEqual([
      'mine stale',
      'mine closed',
      'mine stale',
    ]);
    expect(ofLists).not.toContain('ends stale');
  });

  it('the arrival of the first value is not reported for a rule without recovery alerts', async () => {
    const world = createWorld(HOURLY);
    unknown(world);
    await put(world, { notifyRecovery: false });
    await aDay(world);
    floorIs(world, '65');

    await minutes(world, 65);

    expect(sent(world)).toEqual(['stale']);
  });
});
