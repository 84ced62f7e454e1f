import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { eth, linesSaid, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const put = (world: World, rule: object) =>
  world.putList({
    id: 'mine',
    name: 'Mine',
    contracts: [PUNKS],
    rules: [{ id: 'it', ...rule }] as never,
  });
const minutes = async (world: World, count: number) => {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
};
const sent = (world: World) =>
  world.published
    .filter(({ destinationId }) => destinationId === 'stack-topic')
    .map(({ alert }) => `${alert.kind} ${alert.value}`);

describe('dust and gifts among the sales', () => {
  const DAY = 24 * HOUR;
  const sold = (world: World, ...sales: readonly (readonly [time: Instant, price: string])[]) => {
    world.answers.lowest = (_contract, _days, now) => {
      const [lowest] = sales
        .filter(([time]) => time <= now && time > now - DAY)
        .map(([time, price]) => ({ time, price: eth(price), tokenIds: ['1'] }))
        .toSorted((a, b) => (a.price < b.price ? -1 : 1));
      return lowest === undefined ? { kind: 'empty' } : { kind: 'ok', value: lowest };
    };
  };
  const SALE = { metric: 'lowest_price.1d', when: 'below', threshold: '10' };

  it('dust among the sales does not fire, but the next price does', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    sold(
      world,
      [start - HOUR, '12'],
      [start - DAY + 5 * MINUTE, '0.00000013'],
      [start - HOUR, '9'],
    );
    await put(world, SALE);

    await minutes(world, 4);
    const before = sent(world);
    await minutes(world, 4);

    expect([before, sent(world)]).toEqual([[], ['fired 9']]);
  });

  it('dust neither ends an episode nor appears in its reminders', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    sold(world, [start - MINUTE, '9'], [start + 5 * MINUTE, '0.07']);
    await put(world, {
      ...SALE,
      when: 'inside',
      threshold: undefined,
      low: '8',
      high: '10',
      repeat: { reminder: '2m' },
    });

    await minutes(world, 12);

    expect(sent(world)).toEqual(['fired 9', 'reminder 9']);
  });

  it('dust fires a rule with ignoreBelow 0', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    sold(world, [world.now() - MINUTE, '0.00000013']);
    await put(world, { ...SALE, ignoreBelow: '0' });

    await minutes(world, 2);

    expect(sent(world)).toEqual(['fired 0.00000013']);
  });

  it('sales below the ignoreBelow of a rule do not fire', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    sold(world, [world.now() - MINUTE, '4']);
    await put(world, { ...SALE, ignoreBelow: '5' });

    await minutes(world, 2);

    expect(sent(world)).toEqual([]);
  });
});

describe('an outlier among the floors', () => {
  const floors = (world: World, ...sent: readonly (readonly [time: Instant, price: string])[]) => {
    world.answers.floor = (_contract, now) => ({
      kind: 'ok',
      value: sent
        .filter(([time]) => time <= now)
        .map(([time, price]) => ({ time, price: eth(price), currency: 'eth', marketplaces: [] })),
    });
  };
  const LOW = { metric: 'floor_price', when: 'below', threshold: '60' };
  const texts = (world: World) =>
    world.published
      .filter(({ destinationId }) => destinationId === 'stack-topic')
      .map(({ alert }) => linesSaid(alert).filter((line) => /^(Was|Chan|Conf|Ign)/.test(line)));

  /** A glitch of a real feed: 28 August 2021, CryptoPunks. */
  it('an outlier does not fire if the next floor contradicts it', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '74.33'], [start + 3 * MINUTE, '41'], [start + 6 * MINUTE, '87']);
    await put(world, LOW);

    await minutes(world, 10);

    expect(sent(world)).toEqual([]);
  });

  it('an outlier fires when the next floor confirms it, and the message reports the confirmation', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '75'], [start + 3 * MINUTE, '41'], [start + 6 * MINUTE, '43']);
    await put(world, LOW);

    await minutes(world, 5);
    const before = sent(world);
    await minutes(world, 5);

    expect([before, sent(world)]).toEqual([[], ['fired 41']]);
    expect(texts(world)).toEqual([
      [
        'Was: 75 ETH',
        `Confirmed: the floor of 41 ETH (−45.3%) at ${momentInWords(start + 3 * MINUTE)}, which was held back as a possible glitch until now`,
      ],
    ]);
  });

  it('the message of the next floor mentions an ignored outlier', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '75'], [start + 3 * MINUTE, '41'], [start + 6 * MINUTE, '70']);
    await put(world, { ...LOW, threshold: '72' });

    await minutes(world, 10);

    expect(sent(world)).toEqual(['fired 70']);
    expect(texts(world)[0]?.at(-1)).toBe(
      `Ignored: the floor of 41 ETH (−45.3%) at ${momentInWords(start + 3 * MINUTE)}, which the next price did not confirm`,
    );
  });

  it('an outlier fires immediately for a rule with outliers "take"', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '75'], [start + 3 * MINUTE, '41']);
    await put(world, { ...LOW, outliers: 'take' });

    await minutes(world, 5);

    expect(sent(world)).toEqual(['fired 41']);
  });

  it('an outlier is confirmed after a day without another floor', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '75'], [start + 3 * MINUTE, '41']);
    await put(world, LOW);
    await minutes(world, 5);

    world.pass(25 * HOUR - 4 * MINUTE);
    await minutes(world, 1);
    const before = sent(world);
    await minutes(world, 3);

    expect([before, sent(world)]).toEqual([[], ['fired 41']]);
  });

  it('an outlier is not confirmed by a second report with the same time', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '75'], [start + 3 * MINUTE, '41']);
    await put(world, LOW);
    await minutes(world, 5);

    floors(world, [start, '75'], [start + 3 * MINUTE, '42']);
    await minutes(world, 5);
    const before = sent(world);
    floors(world, [start, '75'], [start + 3 * MINUTE, '74']);
    await minutes(world, 5);

    expect([before, sent(world)]).toEqual([[], []]);
  });

  it('an outlier does not fire for a rule that starts while the outlier is the newest floor', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start - HOUR, '75'], [start - MINUTE, '41'], [start + 3 * MINUTE, '76']);
    await put(world, LOW);

    await minutes(world, 5);

    expect(sent(world)).toEqual([]);
  });

  it.each([
    { metric: 'floor_drop_pct.1h', when: 'above', threshold: '20' },
    { metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '20' },
    { metric: 'floor_runup_pct.1h', when: 'above', threshold: '20' },
    { metric: 'floor_change_pct.1h', when: 'above', threshold: '20' },
    { metric: 'sale_discount_pct.1d', when: 'below', threshold: '-20' },
    { ...LOW, for: '1m' },
    { ...LOW, confirm: { times: 1, of: 2 } },
  ])('an outlier does not affect the rule %j', async (rule) => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    world.answers.lowest = () => ({
      kind: 'ok',
      value: { time: start - HOUR, price: eth('70'), tokenIds: ['1'] },
    });
    const series = Array.from({ length: 120 }, (_, index): [Instant, string] => [
      start + (index - 60) * 2 * MINUTE,
      index === 62 ? '41' : '75',
    ]);
    floors(world, ...series);
    await put(world, rule);

    await minutes(world, 90);

    expect(sent(world)).toEqual([]);
  });

  it('an outlier neither ends an episode nor causes a reminder', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    const start = world.now();
    floors(world, [start, '50'], [start + 3 * MINUTE, '90'], [start + 8 * MINUTE, '51']);
    await put(world, { ...LOW, repeat: { reminder: '5m' } });

    await minutes(world, 7);

    expect(sent(world)).toEqual(['fired 50']);
  });
});
