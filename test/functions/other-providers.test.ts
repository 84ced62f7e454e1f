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
import { partHealth } from '#shared/domain/polling/part-health.ts';
import { noteRequest, noteSkipped } from '#shared/use-cases/request-count.ts';
import type { SalesRead } from '#shared/use-cases/upstream.ts';
import { aSale } from '#test/support/archive.ts';
import { eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, type World } from '#test/support/world.ts';

/** What a provider says at a time: a price, or why there is none. */
type Reported = (now: Instant) => string | Refusal;

/**
 * A stack that polls a service of v2.2 each minute, and a second provider. `asked` is how often the
 * second was asked.
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
const floorOf = async ({ stores }: World) => (await stores.contracts.get(PUNKS))?.parts.floor;
const newestFloor = async ({ stores }: World) => {
  const record = await stores.contracts.get(PUNKS);
  return record && newestOf(record, 'floor');
};

describe('while the first provider gives no answer', () => {
  it.each<[string, Refusal]>([
    ['denied', { kind: 'denied', reason: 'quota' }],
    ['throttled', { kind: 'throttled' }],
    ['too slow', { kind: 'failed', reason: 'timeout' }],
    ['failing', FAILS],
    ['without the contract', { kind: 'not_found' }],
    ['without the chain', { kind: 'unsupported', reason: 'chain' }],
  ])('since it is %s, the next one stands in within the same poll', async (_, refusal) => {
    const { world } = await watching({ first: () => refusal, other: () => '8' });

    await pass(world, 2);

    expect(sent(world)).toEqual(['fired 8']);
    expect(await floorOf(world)).toMatchObject({ outcome: 'ok' });
    expect(await newestFloor(world)).toMatchObject({ source: 'coingecko' });
  });

  it('records that an answer skips are reported by reason, and noted for its status', async () => {
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
      ...{ contract: PUNKS, part: 'floor', provider: 'coingecko' },
      skipped,
    });
    expect((await floorOf(world))?.skipped).toMatchObject({ records: skipped });
  });

  it('its refusals are reported by name', async () => {
    const { world } = await watching({ first: () => FAILS, other: () => '8' });

    await pass(world, 2);

    const report = world.reports.find(({ event }) => event === 'part_not_answered');
    expect(report?.fields).toMatchObject({ provider: 'nft-data', part: 'floor', kind: 'failed' });
  });

  it('the other fails too, and the reason is that of the first', async () => {
    const { world } = await watching({
      first: () => FAILS,
      other: () => ({ kind: 'denied', reason: 'key' }),
    });

    await pass(world, 2);

    expect(await floorOf(world)).toMatchObject({ outcome: 'failed', reason: 'server_error' });
  });

  it('it is believed again as soon as it answers', async () => {
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

  it('what the other said alone is taken back as soon as both say otherwise', async () => {
    let isDead = false;
    const { world, start } = await watching({
      first: () => (isDead ? FAILS : '10'),
      other: () => (isDead ? '8' : '10'),
    });
    // The floor of the first has a time of its own, which does not move.
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

describe('another provider that lacks the contract', () => {
  const LACKS: Refusal = { kind: 'not_found' };
  const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };

  it.each<[string, Reported, Refusal]>([
    ['as a second opinion', (now) => `${10 + (now % HOUR) / HOUR}`, LACKS],
    ['in the place of the first', () => FAILS, { kind: 'unsupported', reason: 'chain' }],
    ['while calls are planned for it', () => QUOTA, LACKS],
  ])('is not asked about it for six hours: %s', async (_, first, lacks) => {
    const { world, asked } = await watching({ first, other: () => lacks });

    await pass(world, 6 * 60);
    expect(asked).toHaveLength(1);

    await pass(world, 20);
    expect(asked).toHaveLength(2);
  });

  it('is not planned for either, though it would answer by now', async () => {
    let lacks = true;
    const { world, asked } = await watching({
      first: () => QUOTA,
      other: () => (lacks ? LACKS : '10'),
    });
    await pass(world, 2);
    lacks = false;
    const record = await world.stores.contracts.get(PUNKS);
    const floor = omit(record?.parts.floor ?? {}, 'silentSince');
    if (record !== undefined) await world.stores.contracts.put({ ...record, parts: { floor } });

    await pass(world, 10);

    expect(asked).toHaveLength(1);
  });

  it('is asked about others, and again where it only failed', async () => {
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

  it('calls are planned for the next one, at the cadence', async () => {
    const { world, asked } = await watching({
      ...{ first: () => QUOTA, other: () => '10' },
      cadenceMinutes: 5,
    });
    await pass(world, 2);
    const before = asked.length;

    await pass(world, 20);

    expect(asked.length - before).toBe(4);
    expect(await world.ports.poll.getProgress()).toMatchObject({ standsIn: 'coingecko' });
  });

  it('they are further apart where the budget of that one carries no more', async () => {
    const { world, asked } = await watching({
      ...{ first: () => QUOTA, other: () => '10', budgetPerDay: 200 },
    });
    await pass(world, 2);
    const before = asked.length;

    await pass(world, 64);

    // 120 calls are for polls, until midnight in twelve hours: one in eight minutes lasts. The first
    // is tried after 1, 2, 4, 8, 16 and 32 minutes, and the next one stands in then.
    expect(asked.length - before).toBeGreaterThanOrEqual(8);
    expect(asked.length - before).toBeLessThanOrEqual(8 + 6);
  });

  it('sales that the next one does not report are silent, and asked of nobody', async () => {
    const { world, asked } = await watching({
      ...{ first: () => QUOTA, other: () => '10' },
      rule: { metric: 'lowest_price.7d' },
    });
    world.answers.lowest = () => QUOTA;

    await pass(world, 10);

    const record = await world.stores.contracts.get(PUNKS);
    expect(record?.parts['lowest.7d']?.silentSince).toBeDefined();
    expect(asked).toEqual([]);
  });

  it('the first is planned for again as soon as it may be asked', async () => {
    let isDenied = true;
    const { world } = await watching({
      first: () => (isDenied ? QUOTA : '8.5'),
      other: () => '10',
    });
    await pass(world, 3);
    expect(await world.ports.poll.getGovernor()).toMatchObject({
      breakers: { polling: { reason: 'quota' } },
    });
    isDenied = false;

    await pass(world, 5);

    expect(await world.ports.poll.getGovernor()).toMatchObject({ breakers: {} });
    expect(await world.ports.poll.getProgress()).not.toHaveProperty('standsIn');
  });

  it('where none may be asked, polls wait for the first', async () => {
    const { world, asked } = await watching({
      first: () => QUOTA,
      other: () => ({ kind: 'denied', reason: 'key' }),
    });

    await pass(world, 60);

    // One try after 1, 2, 4, 8, 16 and 32 minutes.
    expect(asked.length).toBeLessThan(10);
    expect((await floorOf(world))?.silentSince).toBeDefined();
  });
});

describe('a provider of sales alone', () => {
  const RETIRED: Refusal = { kind: 'unsupported', reason: 'retired' };

  /** A node whose collection was sold ten minutes before the start for 8 ETH, and CoinGecko before it. */
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
    const parts = async () => (await world.stores.contracts.get(PUNKS))?.parts ?? {};
    const standsIn = async () => (await world.ports.poll.getProgress())?.standsIn;
    return { world, said, parts, standsIn };
  }

  const floorOfNow = (price: string, time: Instant) => ({
    ...{ time, price: eth(price), currency: 'eth', marketplaces: [] },
  });

  it('has the lowest sale that the first does not offer, and is not asked for floors', async () => {
    const { world, said, parts } = await withNode({});

    await pass(world, 5);

    expect(sent(world)).toEqual(['fired 8']);
    expect(said.asked).toBeGreaterThan(3);
    expect(await parts()).toMatchObject({
      floor: { outcome: 'ok' },
      'lowest.7d': { outcome: 'ok' },
    });
    const refused = world.reports.filter(({ event }) => event === 'part_not_answered');
    expect(refused.filter(({ fields }) => fields.provider === 'ethereum-node')).toEqual([]);
  });

  it('is asked again after it has failed', async () => {
    const lowest: Refusal = { kind: 'denied', reason: 'plan' };
    const { world, said, parts } = await withNode({ lowest });
    said.refusal = FAILS;
    // The first is tried after 1, 2, 4, 8 and 16 minutes; between, the node alone is asked.
    await pass(world, 18);
    expect((await parts())['lowest.7d']?.silentSince).toBeDefined();
    said.refusal = undefined;

    await pass(world, 2);

    expect((await parts())['lowest.7d']).toMatchObject({ outcome: 'ok' });
  });

  it('confirms no floor', async () => {
    const { world, parts } = await withNode({});

    await pass(world, 3);

    expect((await parts()).floor?.confirmed).toBeUndefined();
  });

  it('stands in while every provider of floors denies calls', async () => {
    const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };
    const { world, parts, standsIn } = await withNode({ first: QUOTA, lowest: QUOTA });

    await pass(world, 6);

    expect(await standsIn()).toBe('ethereum-node');
    expect((await parts())['lowest.7d']).toMatchObject({ outcome: 'ok' });
    expect((await parts()).floor?.silentSince).toBeDefined();
  });

  it('is asked for sales within the polls of one that has floors, which comes before it', async () => {
    const QUOTA: Refusal = { kind: 'denied', reason: 'quota' };
    const { world, said, parts, standsIn } = await withNode({
      ...{ first: QUOTA, lowest: QUOTA, coinGecko: '12' },
    });
    said.refusal = FAILS;
    // The first is tried after 1, 2, 4, 8 and 16 minutes.
    await pass(world, 18);
    said.refusal = undefined;

    await pass(world, 2);

    expect(await standsIn()).toBe('coingecko');
    expect(await parts()).toMatchObject({
      floor: { outcome: 'ok' },
      'lowest.7d': { outcome: 'ok' },
    });
  });
});

describe('a floor with a second opinion', () => {
  it('fires nothing while only one of two reports the fall, and says both numbers', async () => {
    const { world } = await watching({ first: () => '10', other: () => '10' });
    await pass(world, 2);
    world.answers.floor = (_contract, time) => glitch(time);

    await pass(world, 5);

    expect(sent(world)).toEqual([]);
    expect(partHealth('floor', await world.stores.contracts.get(PUNKS))).toEqual({
      state: 'disputed',
      code: 'disagreement',
      reason: 'the providers disagree: nft-data says 2 ETH, coingecko says 10 ETH',
    });
  });

  it('fires as soon as the second follows', async () => {
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

  it('fires with what both vouch for in a crash in which one is ahead', async () => {
    const { world, start } = await watching({
      first: (now) => (now < start0 ? '10' : '7'),
      other: (now) => (now < start0 ? '10' : '8'),
    });
    const start0 = start + 5 * MINUTE;

    await pass(world, 10);

    expect(sent(world)).toEqual(['fired 8']);
  });

  it('lets a crash fire at once that would be held back as a glitch otherwise', async () => {
    const falls = Date.parse('2026-01-05T12:05:00Z');
    const reported: Reported = (now) => (now < falls ? '10' : '2');
    const { world } = await watching({ first: reported, other: reported });

    await pass(world, 5);

    expect(sent(world)).toEqual(['fired 2']);
  });

  it('that comes later lets go what was held back as a glitch', async () => {
    const [falls, confirmed] = ['12:05', '12:07'].map((at) => Date.parse(`2026-01-05T${at}:00Z`));
    if (falls === undefined || confirmed === undefined) throw new Error('no times');
    const { world } = await watching({
      first: (now) => (now < falls ? '10' : '2'),
      other: (now) => (now < falls ? '10' : now < confirmed ? FAILS : '2'),
    });
    // The floor has a time of its own, which does not move.
    const { floor } = world.answers;
    world.answers.floor = (contract, now, query) => floor(contract, Math.min(now, falls), query);

    await pass(world, 6);
    const before = sent(world);
    await pass(world, 4);

    expect([before, sent(world)]).toEqual([[], ['fired 2']]);
  });

  it('is asked for when the price changes, and once an hour', async () => {
    const { world, start, asked } = await watching({
      first: (now) => (now < start + 10 * MINUTE ? '10' : '10.1'),
      other: () => '10',
    });

    await pass(world, 120);

    const minutes = asked.map((at) => Math.round((at - start) / MINUTE));
    expect(minutes).toEqual([2, 10, 70]);
  });

  it('is none where both read the same marketplace', async () => {
    const { world, asked } = await watching({
      first: () => '8',
      other: () => '10',
      provider: 'opensea',
    });

    await pass(world, 2);

    expect([asked, sent(world)]).toEqual([[], ['fired 8']]);
  });

  it('is done without where the second gives none', async () => {
    const { world } = await watching({ first: () => '8', other: () => FAILS });

    await pass(world, 2);

    expect(sent(world)).toEqual(['fired 8']);
    expect((await floorOf(world))?.confirmed).toBeUndefined();
  });

  it('is done without where the budget of the second is used up', async () => {
    const { world, asked } = await watching({
      first: (now) => `${10 + (now % HOUR) / HOUR}`,
      other: (now) => `${10 + (now % HOUR) / HOUR}`,
      budgetPerDay: 4,
    });

    await pass(world, 20);

    expect(asked.length).toBeLessThanOrEqual(4);
    expect(await floorOf(world)).toMatchObject({ outcome: 'ok' });
  });

  it('that contradicts it for a day stops no alert any longer', async () => {
    const { world } = await watching({ first: () => '8', other: () => '10' });
    await pass(world, 2);
    const before = sent(world);
    world.pass(DAY + HOUR);

    await pass(world, 3);

    expect([before, sent(world)]).toEqual([[], ['fired 8']]);
  });

  it('that contradicts it for a day with ever other numbers stops no alert any longer', async () => {
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

  it('that has contradicted it for a day is overruled until the two agree', async () => {
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
  /** Minutes in which the second was asked while it did not answer. */
  const askedSince = (asked: readonly Instant[]) =>
    asked.filter((at) => at >= FALLS).map((at) => Math.round((at - FALLS) / MINUTE));

  it('fires on a floor that two sources report, and says both', async () => {
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

  it('fires nothing while one reports the fall alone, and says so', async () => {
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
      'There is no value to compare: the floor of 8 ETH is reported by coingecko alone; the rule waits for a second source.',
    );
  });

  it.each([
    ['with a time of its own', (now: Instant) => Math.min(now, FALLS)],
    ['of the time of the question', (now: Instant) => now],
  ])('fires once the second follows, on a floor %s', async (_, timeOf) => {
    const { world } = await watching({ first: fallen, other: silentUntil(FOLLOWS), rule });
    const { floor } = world.answers;
    world.answers.floor = (contract, now, query) => floor(contract, timeOf(now), query);

    await pass(world, 10);
    const before = sent(world);
    await pass(world, 10);

    expect([before, sent(world)]).toEqual([[], ['fired 8']]);
  });

  it('has the second source asked again after 1, 2, 4 and 8 minutes, then at the cadence', async () => {
    const cadenceMinutes = 30;
    const given = { first: fallen, other: silentUntil(Infinity), cadenceMinutes };
    const [waiting, other] = [await watching({ ...given, rule }), await watching(given)];
    for (const { world } of [waiting, other]) await pass(world, 120);

    const [minutes, usual] = [waiting, other].map(({ asked }) => askedSince(asked));
    const [first = 0] = minutes ?? [];
    expect(minutes?.map((minute) => minute - first)).toEqual([0, 1, 3, 7, 15, 30, 60]);
    expect(usual?.map((minute) => minute - first)).toEqual([0, 30, 60]);
  });

  it('has nobody asked again where no other provider is of another origin', async () => {
    const given = { first: fallen, other: fallen, provider: 'opensea' as const };
    const { world } = await watching({ ...given, cadenceMinutes: 30, rule });

    await pass(world, 90);

    expect(await floorOf(world)).not.toHaveProperty('retryAt');
    expect(sent(world)).toEqual([]);
  });

  it('takes an alone floor for none at the end of `for`', async () => {
    const alone = Date.parse('2026-01-05T12:10:00Z');
    const { world } = await watching({
      first: (now) => (now < FALLS ? '10' : now < alone ? '8' : '7.9'),
      other: (now) => (now < FALLS ? '10' : now < alone ? '8' : FAILS),
      rule: { ...rule, for: '10m' },
    });

    await pass(world, 40);

    expect(sent(world)).toEqual([]);
  });

  it('goes by a floor that stands for an hour after the second has vouched for it', async () => {
    const { world } = await watching({
      first: fallen,
      other: (now) => (now < FALLS ? '10' : now < FOLLOWS ? '8' : FAILS),
      rule: { ...rule, for: '40m' },
    });

    await pass(world, 60);

    expect(sent(world)).toEqual(['fired 8']);
  });

  it('measures a change from the last floor of two sources, however old that is', async () => {
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

  it('counts a floor once, that is reported again since it was confirmed', async () => {
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
