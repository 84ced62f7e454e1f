import { describe, expect, it } from 'vitest';
import { DAY, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const LOW = { id: 'low', metric: 'floor_price', when: 'below', threshold: '10' } as const;
const iso = (instant: Instant) => new Date(instant).toISOString();

function floors(world: World, ...points: readonly (readonly [time: Instant, price: string])[]) {
  world.answers.floor = (_contract, now) => ({
    kind: 'ok',
    value: points
      .filter(([time]) => time <= now)
      .map(([time, price]) => ({ time, price: eth(price), currency: 'eth', marketplaces: [] })),
  });
}

const put = (world: World, rule: object, channels: readonly object[] = []) =>
  world.putList({
    id: 'mine',
    name: 'Mine',
    contracts: [PUNKS],
    rules: [{ ...LOW, ...rule }],
    channels: channels as never,
  });
const minutes = async (world: World, count: number) => {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
};
const said = (world: World, destinationId = 'stack-topic') =>
  world.published.filter((one) => one.destinationId === destinationId).map(({ alert }) => alert);
const kinds = (world: World, destinationId?: string) =>
  said(world, destinationId).map(({ kind }) => kind);

describe('the end of a rule', () => {
  it.each(Array.from({ length: 6 }, (_, phase) => phase * 5))(
    'a crossing just before the end of a rule fires if the rule ends %d minutes after a poll',
    async (phase) => {
      const world = createWorld({ cadenceMinutes: 30 });
      const start = world.now() + 60 * MINUTE;
      const end = start + phase * MINUTE;
      floors(world, [start - 120 * MINUTE, '11'], [end - 5 * MINUTE, '9'], [end + 1, '8']);
      await put(world, { expiresAt: iso(end) });

      await minutes(world, 60 + phase + 6);

      expect(said(world).map(({ kind, value, dataTime }) => [kind, value, dataTime])).toEqual([
        ['fired', '9', iso(end - 5 * MINUTE)],
        ['closed', null, iso(end)],
        ['expired', null, iso(end)],
      ]);
    },
  );

  it('the end of a rule is reported after the next answer of the provider, or after a day without one', async () => {
    const world = createWorld({ cadenceMinutes: 30 });
    const end = world.now() + 40 * MINUTE;
    floors(world, [world.now() - MINUTE, '11']);
    await put(world, { expiresAt: iso(end) });
    await minutes(world, 35);
    world.answers.floor = () => ({ kind: 'failed', reason: 'timeout' });

    await minutes(world, 30);
    const before = kinds(world);
    world.pass(DAY);
    await minutes(world, 2);

    expect([before, kinds(world)]).toEqual([[], ['expired']]);
    expect(said(world)[0]?.facts).toContainEqual({
      name: 'Final evaluation missing',
      value: '1 contract, because the data provider has not responded since the rule expired',
    });
  });

  it('the end of a rule is reported right after the first answer that arrives after the end', async () => {
    const world = createWorld({ cadenceMinutes: 10 });
    floors(world, [world.now() - MINUTE, '11']);
    const answer = world.answers.floor;
    let answeredAt = 0;
    world.answers.floor = (contract, now, request) => {
      answeredAt = now;
      return answer(contract, now, request);
    };
    const end = world.now() + 25 * MINUTE;
    await put(world, { expiresAt: iso(end) });

    await minutes(world, 24);
    const before = kinds(world);
    while (answeredAt < end) await world.tick();
    await world.tick();

    expect([before, kinds(world)]).toEqual([[], ['expired']]);
  });
});

describe('an open episode whose rule ends', () => {
  const PAGER = {
    id: 'pager',
    kind: 'webhook',
    url: 'http://127.0.0.1:9999/hook',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  };
  const firing = async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floors(world, [world.now() - MINUTE, '9']);
    await put(world, {}, [PAGER]);
    await minutes(world, 2);
    expect(kinds(world, 'pager')).toEqual(['fired']);
    return world;
  };

  it.each([
    ['its rule was changed', (world: World) => put(world, { threshold: '8' }, [PAGER])],
    ['its rule was paused', (world: World) => put(world, { enabled: false }, [PAGER])],
    [
      'its rule no longer applies',
      (world: World) => put(world, { id: 'other', threshold: '1' }, [PAGER]),
    ],
    ['its rule no longer applies', (world: World) => world.deleteList('mine')],
  ])(
    'each receiver of an open episode gets an alert that closes the episode: %s',
    async (why, edit) => {
      const world = await firing();

      await edit(world);
      await minutes(world, 4);

      expect(kinds(world, 'pager')).toEqual(['fired', 'closed']);
      expect(said(world, 'pager').at(-1)?.title).toMatch(new RegExp(`^Closed: .* \\(${why}\\)$`));
      expect(kinds(world)).toEqual(['fired', 'closed']);
    },
  );

  it('the episode of a rule that reports no recoveries is closed without an alert', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floors(world, [world.now() - MINUTE, '9']);
    await put(world, { notifyRecovery: false }, [PAGER]);
    await minutes(world, 2);

    await put(world, { id: 'other', threshold: '1' }, [PAGER]);
    await minutes(world, 4);

    expect(kinds(world, 'pager')).toEqual(['fired']);
    expect(world.table.items().filter(({ sk }) => sk.endsWith('#low'))).toEqual([]);
  });

  it('the channels of a deleted list are kept for a day', async () => {
    const world = await firing();
    const channels = async () =>
      (await world.stores.watchlists.get({ tenant: 'acme', id: 'mine' }))?.channels.length;

    await world.deleteList('mine');
    await minutes(world, 4);
    const before = await channels();
    world.pass(DAY);
    await minutes(world, 6);

    expect([before, await channels()]).toEqual([1, 0]);
    const left = world.table.items().filter(({ sk }) => /^(CHANNEL#mine|JOB)#/.test(sk));
    expect(left).toEqual([]);
  });
});
