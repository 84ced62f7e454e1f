import { describe, expect, it } from 'vitest';
import { whySilent } from '#functions/serve-api/watchlists/why-silent.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { measuredClausesOf } from '#shared/domain/evaluation/measured-clause.ts';
import { healthOf } from '#shared/domain/evaluation/watch-health.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { FloorPage, Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { omit } from '#shared/domain/omit.ts';
import { newestOf } from '#shared/domain/polling/contract-record.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import { noteRequest, noteSkipped } from '#shared/use-cases/request-count.ts';
import type { SalesRead } from '#shared/use-cases/upstream.ts';
import { aSale } from '#test/support/archive.ts';
import { eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, type World } from '#test/support/world.ts';

/** The answer of a provider at a given time, which is a price or a refusal. */
type Reported = (now: Instant) => string | Refusal;

/**
 * A stack that polls a v2.2 service each minute, and a second provider. `asked` lists the times of
 * calls to the second provider.
 */
async function watching({
  first,
  other,
  provider = 'coingecko',
  rule = {},
  budgetPerDay = 1000,
  cadenceMinutes = 1,
}: {
  readonly first: Reported;
  readonly other: Reported;
  readonly provider?: Provider;
  readonly rule?: object;
  readonly budgetPerDay?: number;
  readonly cadenceMinutes?: number;
}) {
  const asked: Instant[] = [];
  const reportedBy = (report: Reported, now: Instant): Outcome<FloorPage> => {
    const said = report(now);
    if (typeof said !== 'string') return said;
    const point = { time: now, price: eth(said), currency: 'eth', marketplaces: [provider] };
    return { kind: 'ok', value: { points: [point] } };
  };
  const limits = someLimits({ provider, budgetPerDay, costs: { ...FREE, floor: 1 } });
  const world = createWorld({
    cadenceMinutes,
    others: [
      {
        limits,
        upstream: {
          floorHistory: async () => {
            noteRequest();
            asked.push(world.now());
            return reportedBy(other, world.now());
          },
        },
      },
    ],
  });
  const start = world.now();
  world.answers.floor = (_contract, now) => {
    const page = reportedBy(first, now);
    return page.kind === 'ok' ? { kind: 'ok', value: page.value } : page;
  };
  const it = {
    id: 'it',
    metric: 'floor_price',
    when: 'below',
    threshold: '9',
    ...rule,
  };
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: [it as never] });
  return { world, start, asked };
}

const FREE = evenCosts(0);
const FAILS: Refusal = { kind: 'failed', reason: 'server_error' };

async function pass(world: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) await world.tick();
}
const sent = ({ published }: World) =>
  published
    .filter(({ destinationId }) => destinationId === 'stack-topic')
    .map(({ alert }) => `${alert.kind} ${alert.value}`);
const floorOf = async ({ stores }: World) => (await stores.contracts.get(PUNKS))?.series.floor;
const newestFloor = async ({ stores }: World) => {
  const record = await stores.contracts.get(PUNKS);
  return record && newestOf(record, 'floor');
};

describe('while the first provider gives no answer', () => {
  it.each<[string, Refusal]>([
    ['denies service', { kind: 'denied', reason: 'quota' }],
    ['throttles the call', { kind: 'throttled' }],
    ['is too slow', { kind: 'failed', reason: 'timeout' }],
    ['fails', FAILS],
    ['does not have the contract', { kind: 'not_found' }],
    ['does not support the chain', { kind: 'unsupported', reason: 'chain' }],
  ])(
    'in the same poll, a fallback provider replaces a first provider that %s',
    async (_, refusal) => {
      const { world } = await watching({ first: () => refusal, other: () => '8' });

      await pass(world, 2);

      expect(sent(world)).toEqual(['fired 8']);
      expect(await floorOf(world)).toMatchObject({ outcome: 'ok' });
      expect(await newestFloor(world)).toMatchObject({ source: 'coingecko' });
    },
  );

  it('skipped records of an answer are logged by reason, and stored with the price series', async () => {
    const { world } = await watching({
      first: () => FAILS,
      other: () => {
        noteSkipped('no_price');
        noteSkipped('other_money');
        noteSkipped('no_price');
        return '8';
      },
    });

    await pass(world, 2);

    const skipped = { no_price: 2, other_money: 1 };
    const report = world.reports.find(({ event }) => event === 'records_skipped');
    expect(report?.fields).toEqual({
      ...{ contract: PUNKS, series: 'floor', provider: 'coingecko' },
      skipped,
    });
    expect((await floorOf(world))?.skipped).toMatchObject({ records: skipped });
  });

  it('a failure of the first provider is logged with the name of the provider', async () => {
    const { world } = await watching({ first: () => FAILS, other: () => '8' });

    await pass(world, 2);

    const report = world.reports.find(({ event }) => event === 'series_not_answered');
    expect(report?.fields).toMatchObject({ provider: 'nft-data', series: 'floor', kind: 'failed' });
  });

  it('if the fallback provider fails too, the stored reason is that of the first provider', async () => {
    const { world } = await watching({
      first: () => FAILS,
      other: () => ({ kind: 'denied', reason: 'key' }),
    });

    await pass(world, 2);

    expect(await floorOf(world)).toMatchObject({ outcome: 'failed', reason: 'server_error' });
  });

  it('the first provider is used again as soon as it answers', async () => {
    let isDead = true;
    const { world } = await watching({
      first: () => (isDead ? FAILS : '10'),
      other: () => '10',
    });
    await pass(world, 3);
    isDead = false;

    await pass(world, 3);

    expect(await floorOf(world)).toMatchObject({ outcome: 'ok', confirmed: { by: 'coingecko' } });
  });

  it('a floor that only the fallback provider reported is withdrawn when both providers contradict it', async () => {
    let isDead = false;
    const { world, start } = await watching({
      first: () => (isDead ? FAILS : '10'),
      other: () => (isDead ? '8' : '10'),
    });
    // The first provider always reports its floor with the same time.
    const { floor } = world.answers;
    world.answers.floor = (contract, _now, query) => floor(contract, start, query);
    await pass(world, 3);
    isDead = true;
    await pass(world, 2);
    isDead = false;

    await pass(world, 4);

    expect(sent(world)).toEqual(['fired 8', 'recovered 10']);
    expect(await newestFloor(world)).toMatchObject({ price: eth('10') });
  });
});

describe('another provider that does not have the contract', () => {
  const LACKS: Refusal = { kind: 'not_found' };
  const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };

  it.each<[string, Reported, Refusal]>([
    ['to confirm a floor', (now) => `${10 + (now % HOUR) / HOUR}`, LACKS],
    ['as a fallback', () => FAILS, { kind: 'unsupported', reason: 'chain' }],
    ['with planned calls', () => QUOTA, LACKS],
  ])(
    'a provider that does not have a contract is not called for this contract for six hours: %s',
    async (_, first, lacks) => {
      const { world, asked } = await watching({ first, other: () => lacks });

      await pass(world, 6 * 60);
      expect(asked).toHaveLength(1);

      await pass(world, 20);
      expect(asked).toHaveLength(2);
    },
  );

  it('no call is planned for a provider that does not have the contract, even if that provider would answer now', async () => {
    let lacks = true;
    const { world, asked } = await watching({
      first: () => QUOTA,
      other: () => (lacks ? LACKS : '10'),
    });
    await pass(world, 2);
    lacks = false;
    const record = await world.stores.contracts.get(PUNKS);
    const floor = omit(record?.series.floor ?? {}, 'noDataSince');
    if (record !== undefined) await world.stores.contracts.put({ ...record, series: { floor } });

    await pass(world, 10);

    expect(asked).toHaveLength(1);
  });

  it('a provider that only failed, and may have the contract, is called again', async () => {
    const { world, asked } = await watching({
      first: (now) => `${10 + (now % HOUR) / HOUR}`,
      other: () => FAILS,
    });

    await pass(world, 6);

    expect(asked.length).toBeGreaterThan(4);
  });
});

describe('while the first provider is stopped', () => {
  const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };

  it('the fallback provider is polled at the configured cadence while the first one is stopped', async () => {
    const { world, asked } = await watching({
      ...{ first: () => QUOTA, other: () => '10' },
      cadenceMinutes: 5,
    });
    await pass(world, 2);
    const before = asked.length;

    await pass(world, 20);

    expect(asked.length - before).toBe(4);
    expect(await world.ports.poll.getProgress()).toMatchObject({ fallback: 'coingecko' });
  });

  it('the fallback provider is polled less often than configured if its budget does not suffice', async () => {
    const { world, asked } = await watching({
      ...{ first: () => QUOTA, other: () => '10', budgetPerDay: 200 },
    });
    await pass(world, 2);
    const before = asked.length;

    await pass(world, 64);

    // Polls may use 120 calls until midnight, which is twelve hours away, so a cadence of eight
    // minutes is affordable. The first provider is retried after 1, 2, 4, 8, 16 and 32 minutes,
    // each time with a call to the fallback.
    expect(asked.length - before).toBeGreaterThanOrEqual(8);
    expect(asked.length - before).toBeLessThanOrEqual(8 + 6);
  });

  it('sales that the fallback provider does not report count as missing, and no provider is called for them', async () => {
    const { world, asked } = await watching({
      ...{ first: () => QUOTA, other: () => '10' },
      rule: { metric: 'lowest_price.7d' },
    });
    world.answers.lowest = () => QUOTA;

    await pass(world, 10);

    const record = await world.stores.contracts.get(PUNKS);
    expect(record?.series['lowest.7d']?.noDataSince).toBeDefined();
    expect(asked).toEqual([]);
  });

  it('polls return to the first provider as soon as it permits calls', async () => {
    let isDenied = true;
    const { world } = await watching({
      first: () => (isDenied ? QUOTA : '8.5'),
      other: () => '10',
    });
    await pass(world, 3);
    expect(await world.ports.poll.getRateLimiter()).toMatchObject({
      breakers: { polling: { reason: 'quota' } },
    });
    isDenied = false;

    await pass(world, 5);

    expect(await world.ports.poll.getRateLimiter()).toMatchObject({ breakers: {} });
    expect(await world.ports.poll.getProgress()).not.toHaveProperty('fallback');
  });

  it('polls wait for the first provider if no provider permits calls', async () => {
    const { world, asked } = await watching({
      first: () => QUOTA,
      other: () => ({ kind: 'denied', reason: 'key' }),
    });

    await pass(world, 60);

    // One retry each after 1, 2, 4, 8, 16 and 32 minutes.
    expect(asked.length).toBeLessThan(10);
    expect((await floorOf(world))?.noDataSince).toBeDefined();
  });
});

describe('a provider that has only sales', () => {
  const RETIRED: Refusal = { kind: 'unsupported', reason: 'retired' };

  /**
   * A node with a sale for 8 ETH ten minutes before the start. CoinGecko, if given, precedes the
   * node.
   */
  async function withNode({
    first = '10',
    lowest = RETIRED,
    coinGecko,
  }: {
    readonly first?: string | Refusal;
    readonly lowest?: Refusal;
    readonly coinGecko?: string;
  }) {
    const said = { refusal: undefined as Refusal | undefined, asked: 0 };
    const limitsOf = (provider: Provider) =>
      someLimits({ provider, budgetPerDay: 10_000, costs: { ...FREE, floor: 1, lowestprice: 1 } });
    const node = {
      limits: limitsOf('ethereum-node'),
      upstream: {
        salesBetween: async (): Promise<Outcome<SalesRead>> => {
          said.asked += 1;
          return said.refusal ?? { kind: 'ok', value: { sales: [sale], since: 0 } };
        },
      },
    };
    const floors = {
      limits: limitsOf('coingecko'),
      upstream: {
        floorHistory: async (): Promise<Outcome<FloorPage>> => ({
          kind: 'ok',
          value: { points: [floorOfNow(coinGecko ?? '', world.now())] },
        }),
      },
    };
    const world = createWorld({
      cadenceMinutes: 1,
      others: coinGecko === undefined ? [node] : [node, floors],
    });
    const time = world.now() - 10 * MINUTE;
    const { record } = aSale(eth('8'), time);
    const sale = { time, price: eth('8'), tokenIds: record.token_ids, record, mark: '' };
    world.answers.floor = (_contract, now) =>
      typeof first === 'string'
        ? { kind: 'ok', value: { points: [floorOfNow(first, now)] } }
        : first;
    world.answers.lowest = () => lowest;
    const rules = ['floor_price', 'lowest_price.7d'].map((metric, index) => ({
      ...{ id: `r${index}`, metric, when: 'below', threshold: '9' },
    }));
    await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
    const series = async () => (await world.stores.contracts.get(PUNKS))?.series ?? {};
    const fallback = async () => (await world.ports.poll.getProgress())?.fallback;
    return { world, said, series, fallback };
  }

  const floorOfNow = (price: string, time: Instant) => ({
    ...{ time, price: eth(price), currency: 'eth', marketplaces: [] },
  });

  it('a node provides the lowest sale that the first provider does not offer, and is not called for floors', async () => {
    const { world, said, series } = await withNode({});

    await pass(world, 5);

    expect(sent(world)).toEqual(['fired 8']);
    expect(said.asked).toBeGreaterThan(3);
    expect(await series()).toMatchObject({
      floor: { outcome: 'ok' },
      'lowest.7d': { outcome: 'ok' },
    });
    const refused = world.reports.filter(({ event }) => event === 'series_not_answered');
    expect(refused.filter(({ fields }) => fields.provider === 'ethereum-node')).toEqual([]);
  });

  it('a node is called again after a failure', async () => {
    const lowest: Refusal = { kind: 'denied', reason: 'plan' };
    const { world, said, series } = await withNode({ lowest });
    said.refusal = FAILS;
    // The first provider is retried after 1, 2, 4, 8 and 16 minutes. In between only the node is
    // called.
    await pass(world, 18);
    expect((await series())['lowest.7d']?.noDataSince).toBeDefined();
    said.refusal = undefined;

    await pass(world, 2);

    expect((await series())['lowest.7d']).toMatchObject({ outcome: 'ok' });
  });

  it('a node does not confirm floors', async () => {
    const { world, series } = await withNode({});

    await pass(world, 3);

    expect((await series()).floor?.confirmed).toBeUndefined();
  });

  it('a node is the fallback while every provider of floors denies calls', async () => {
    const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };
    const { world, series, fallback } = await withNode({ first: QUOTA, lowest: QUOTA });

    await pass(world, 6);

    expect(await fallback()).toBe('ethereum-node');
    expect((await series())['lowest.7d']).toMatchObject({ outcome: 'ok' });
    expect((await series()).floor?.noDataSince).toBeDefined();
  });

  it('a node is called for sales while a fallback provider of higher priority is polled for floors', async () => {
    const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };
    const { world, said, series, fallback } = await withNode({
      ...{ first: QUOTA, lowest: QUOTA, coinGecko: '12' },
    });
    said.refusal = FAILS;
    // The first provider is retried after 1, 2, 4, 8 and 16 minutes.
    await pass(world, 18);
    said.refusal = undefined;

    await pass(world, 2);

    expect(await fallback()).toBe('coingecko');
    expect(await series()).toMatchObject({
      floor: { outcome: 'ok' },
      'lowest.7d': { outcome: 'ok' },
    });
  });
});

describe('a floor that a second provider confirms', () => {
  it('a floor does not fire while only one of two providers reports the drop, and the health of the floor shows both values', async () => {
    const { world } = await watching({ first: () => '10', other: () => '10' });
    await pass(world, 2);
    world.answers.floor = (_contract, time) => glitch(time);

    await pass(world, 5);

    expect(sent(world)).toEqual([]);
    expect(seriesHealth('floor', await world.stores.contracts.get(PUNKS))).toEqual({
      state: 'disputed',
      code: 'disagreement',
      reason: 'the providers disagree: nft-data reports 2 ETH, coingecko reports 10 ETH',
    });
  });

  it('a floor fires as soon as the second provider confirms it', async () => {
    const follows = Date.parse('2026-01-05T12:10:00Z');
    const { world } = await watching({
      first: (now) => (now < follows - 5 * MINUTE ? '10' : '8'),
      other: (now) => (now < follows ? '10' : '8'),
    });

    await pass(world, 8);
    const before = sent(world);
    await pass(world, 12);

    expect([before, sent(world)]).toEqual([[], ['fired 8']]);
  });

  it('a price crash that one provider reports earlier fires with the value that both providers report', async () => {
    const { world, start } = await watching({
      first: (now) => (now < start0 ? '10' : '7'),
      other: (now) => (now < start0 ? '10' : '8'),
    });
    const start0 = start + 5 * MINUTE;

    await pass(world, 10);

    expect(sent(world)).toEqual(['fired 8']);
  });

  it('a confirmed price crash fires immediately instead of being held as a glitch', async () => {
    const falls = Date.parse('2026-01-05T12:05:00Z');
    const reported: Reported = (now) => (now < falls ? '10' : '2');
    const { world } = await watching({ first: reported, other: reported });

    await pass(world, 5);

    expect(sent(world)).toEqual(['fired 2']);
  });

  it('a later confirmation releases a floor that was held as a glitch', async () => {
    const [falls, confirmed] = ['12:05', '12:07'].map((at) => Date.parse(`2026-01-05T${at}:00Z`));
    if (falls === undefined || confirmed === undefined) throw new Error('no times');
    const { world } = await watching({
      first: (now) => (now < falls ? '10' : '2'),
      other: (now) => (now < falls ? '10' : now < confirmed ? FAILS : '2'),
    });
    // The first provider reports the new floor with the same time in each poll.
    const { floor } = world.answers;
    world.answers.floor = (contract, now, query) => floor(contract, Math.min(now, falls), query);

    await pass(world, 6);
    const before = sent(world);
    await pass(world, 4);

    expect([before, sent(world)]).toEqual([[], ['fired 2']]);
  });

  it('a confirmation is requested when the price changes, and once an hour', async () => {
    const { world, start, asked } = await watching({
      first: (now) => (now < start + 10 * MINUTE ? '10' : '10.1'),
      other: () => '10',
    });

    await pass(world, 120);

    const minutes = asked.map((at) => Math.round((at - start) / MINUTE));
    expect(minutes).toEqual([2, 10, 70]);
  });

  it('providers of the same marketplace do not confirm each other', async () => {
    const { world, asked } = await watching({
      first: () => '8',
      other: () => '10',
      provider: 'opensea',
    });

    await pass(world, 2);

    expect([asked, sent(world)]).toEqual([[], ['fired 8']]);
  });

  it('a floor fires without confirmation if the second provider fails', async () => {
    const { world } = await watching({ first: () => '8', other: () => FAILS });

    await pass(world, 2);

    expect(sent(world)).toEqual(['fired 8']);
    expect((await floorOf(world))?.confirmed).toBeUndefined();
  });

  it('a floor is used without confirmation if the budget of the second provider is used up', async () => {
    const { world, asked } = await watching({
      first: (now) => `${10 + (now % HOUR) / HOUR}`,
      other: (now) => `${10 + (now % HOUR) / HOUR}`,
      budgetPerDay: 4,
    });

    await pass(world, 20);

    expect(asked.length).toBeLessThanOrEqual(4);
    expect(await floorOf(world)).toMatchObject({ outcome: 'ok' });
  });

  it('an alert is sent after the second provider contradicted the floor for a day', async () => {
    const { world } = await watching({ first: () => '8', other: () => '10' });
    await pass(world, 2);
    const before = sent(world);
    world.pass(DAY + HOUR);

    await pass(world, 3);

    expect([before, sent(world)]).toEqual([[], ['fired 8']]);
  });

  it('an alert is sent after a day of contradiction, even if the value of the second provider keeps changing', async () => {
    const { world } = await watching({
      first: () => '8',
      other: (now) => `${10 + (now % HOUR) / HOUR}`,
    });
    await pass(world, 2);
    for (let half = 0; half < 2; half += 1) {
      world.pass(13 * HOUR);
      await pass(world, 1);
    }

    await pass(world, 2);

    expect(sent(world)).toEqual(['fired 8']);
  });

  it('a second provider that contradicted for a day is ignored until both providers agree', async () => {
    const reported = { first: '8', other: '10' };
    const { world } = await watching({ first: () => reported.first, other: () => reported.other });
    const outcomes = async () => {
      await pass(world, 3);
      return (await floorOf(world))?.outcome;
    };
    await pass(world, 2);
    world.pass(DAY + HOUR);

    const overruled = [await outcomes()];
    reported.first = '7';
    overruled.push(await outcomes());
    reported.other = '7';
    const agreed = await outcomes();
    reported.first = '6';
    const contradicted = await outcomes();

    expect([overruled, agreed, contradicted]).toEqual([['ok', 'ok'], 'ok', 'disputed']);
  });
});

function glitch(time: Instant): Outcome<FloorPage> {
  const point = { time, price: eth('2'), currency: 'eth', marketplaces: [] };
  return { kind: 'ok', value: { points: [point] } };
}

describe('a rule with minSources', () => {
  const [FALLS, FOLLOWS] = ['12:05', '12:12'].map((at) => Date.parse(`2026-01-05T${at}:00Z`)) as [
    Instant,
    Instant,
  ];
  const fallen: Reported = (now) => (now < FALLS ? '10' : '8');
  const silentUntil: (time: Instant) => Reported = (time) => (now) =>
    now < FALLS ? '10' : now < time ? FAILS : '8';
  const rule = { minSources: 2 };
  /** The minutes in which the second provider is called while it does not answer. */
  const askedSince = (asked: readonly Instant[]) =>
    asked.filter((at) => at >= FALLS).map((at) => Math.round((at - FALLS) / MINUTE));

  it('a rule with minSources fires on a floor that two sources report, and names both', async () => {
    const { world } = await watching({ first: fallen, other: fallen, rule });

    await pass(world, 8);

    expect(sent(world)).toEqual(['fired 8']);
    const source = 'coingecko, confirmed by coingecko';
    expect(world.published.at(-1)?.alert).toMatchObject({ source });
    expect(world.published.at(-1)?.alert.facts).toContainEqual({
      name: 'Source',
      value: 'CoinGecko, confirmed by CoinGecko',
    });
  });

  it('a rule with minSources does not fire while only one source reports the drop, and its explanation says so', async () => {
    const { world } = await watching({ first: fallen, other: silentUntil(Infinity), rule });
    const before = { contract: PUNKS, tenant: 'acme', list: 'mine', rule: 'it' };

    await pass(world, 30);

    expect(sent(world)).toEqual([]);
    const [watch, record] = await Promise.all([
      world.stores.watches.get(before),
      world.stores.contracts.get(PUNKS),
    ]);
    if (watch === undefined || record === undefined) throw new Error('nothing is watched');
    const readings = measuredClausesOf(watch, { record, past: NO_PAST }, world.now());
    const health = healthOf(watch, readings, record);
    expect(health).toMatchObject({ state: 'waiting', code: 'unconfirmed' });
    const about = { readings, health, mute: undefined, acknowledgement: undefined };
    expect(whySilent(watch, about)).toBe(
      'There is no value to compare: only coingecko reports the floor of 8 ETH; the rule waits for a second source.',
    );
  });

  it.each([
    ['with a fixed time', (now: Instant) => Math.min(now, FALLS)],
    ['with the time of the call', (now: Instant) => now],
  ])(
    'a rule with minSources fires when the second source confirms a floor %s',
    async (_, timeOf) => {
      const { world } = await watching({ first: fallen, other: silentUntil(FOLLOWS), rule });
      const { floor } = world.answers;
      world.answers.floor = (contract, now, query) => floor(contract, timeOf(now), query);

      await pass(world, 10);
      const before = sent(world);
      await pass(world, 10);

      expect([before, sent(world)]).toEqual([[], ['fired 8']]);
    },
  );

  it('for a rule with minSources the second source is called after 1, 2, 4 and 8 minutes, then at the cadence', async () => {
    const cadenceMinutes = 30;
    const given = { first: fallen, other: silentUntil(Infinity), cadenceMinutes };
    const [waiting, other] = [await watching({ ...given, rule }), await watching(given)];
    for (const { world } of [waiting, other]) await pass(world, 120);

    const [minutes, usual] = [waiting, other].map(({ asked }) => askedSince(asked));
    const [first = 0] = minutes ?? [];
    expect(minutes?.map((minute) => minute - first)).toEqual([0, 1, 3, 7, 15, 30, 60]);
    expect(usual?.map((minute) => minute - first)).toEqual([0, 30, 60]);
  });

  it('a rule with minSources causes no further calls if all providers have the same origin', async () => {
    const given = { first: fallen, other: fallen, provider: 'opensea' as const };
    const { world } = await watching({ ...given, cadenceMinutes: 30, rule });

    await pass(world, 90);

    expect(await floorOf(world)).not.toHaveProperty('retryAt');
    expect(sent(world)).toEqual([]);
  });

  it('a rule with minSources does not count an unconfirmed floor at the end of `for`', async () => {
    const alone = Date.parse('2026-01-05T12:10:00Z');
    const { world } = await watching({
      first: (now) => (now < FALLS ? '10' : now < alone ? '8' : '7.9'),
      other: (now) => (now < FALLS ? '10' : now < alone ? '8' : FAILS),
      rule: { ...rule, for: '10m' },
    });

    await pass(world, 40);

    expect(sent(world)).toEqual([]);
  });

  it('a rule with minSources uses a confirmed floor for an hour after its confirmation', async () => {
    const { world } = await watching({
      first: fallen,
      other: (now) => (now < FALLS ? '10' : now < FOLLOWS ? '8' : FAILS),
      rule: { ...rule, for: '40m' },
    });

    await pass(world, 60);

    expect(sent(world)).toEqual(['fired 8']);
  });

  it('a rule with minSources measures a change from the last confirmed floor, even if that floor is old', async () => {
    const [alone, again] = [FALLS + 10 * MINUTE, FALLS + 90 * MINUTE];
    const change = { metric: 'floor_change_pct.1h', when: 'below', threshold: '-15' };
    const reported: Reported = (now) => (now < alone ? '10' : now < again ? '9.5' : '8');
    const { world } = await watching({
      first: reported,
      other: (now) => (now >= alone && now < again ? FAILS : reported(now)),
      rule: { ...rule, ...change },
    });
    const rules = [{ id: 'other', ...change, threshold: '-99' }];
    await world.putList({ id: 'other', name: 'Other', contracts: [PUNKS], rules: rules as never });

    await pass(world, 100);

    expect(sent(world)).toEqual(['fired -20']);
  });

  it('a rule with minSources counts a floor once, even if it is reported again after its confirmation', async () => {
    const { world } = await watching({
      first: fallen,
      other: silentUntil(FOLLOWS),
      rule: { confirm: { times: 2, of: 3 } },
    });
    const { floor } = world.answers;
    world.answers.floor = (contract, now, query) => floor(contract, Math.min(now, FALLS), query);

    await pass(world, 30);

    expect(await newestFloor(world)).toMatchObject({ confirmedBy: 'coingecko' });
    expect(sent(world)).toEqual([]);
  });
});
