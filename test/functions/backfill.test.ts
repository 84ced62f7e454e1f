import { describe, expect, it, vi } from 'vitest';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { FloorPage, FloorQuery, Outcome } from '#shared/domain/market/upstream.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { pollOnce } from '#test/support/poll-once.ts';
import { createWorld, type World } from '#test/support/world.ts';

const PAGE = 100;

/**
 * A provider with pages of floors, newest first: hourly floors for 30 days, daily floors for 60.
 */
function vendorPage(start: Instant, { interval, cursor = '0' }: FloorQuery): FloorPage {
  const days = Number(interval.slice(0, -1));
  const step = days > 30 ? DAY : HOUR;
  const from = Number(cursor);
  const all = Array.from({ length: (days * DAY) / step }, (_, index) => ({
    time: start - index * step,
    price: eth('60'),
    currency: 'eth',
    marketplaces: [],
  }));
  const rest = from + PAGE < all.length ? { cursor: String(from + PAGE) } : {};
  return { points: all.slice(from, from + PAGE), ...rest };
}

/** Polls a contract once. Returns the requests, and the number of reserved calls. */
async function poll(
  world: World,
  answer: (query: FloorQuery) => Outcome<FloorPage> | Promise<Outcome<FloorPage>>,
): Promise<{ readonly asked: readonly string[]; readonly reservations: number }> {
  const cached = await world.stores.contracts.get(PUNKS);
  if (cached === undefined) throw new Error('no contract');
  const ports = world.ports.poll;
  const reserveCalls = vi.fn(ports.reserveCalls);
  const asked: string[] = [];
  const floorHistory = async (_contract: unknown, query: FloorQuery) => {
    asked.push([query.interval, query.cursor ?? ''].join(' ').trim());
    return answer(query);
  };
  const upstream = { ...ports.upstream, floorHistory };
  await pollOnce(world, { record: cached, pollPorts: { reserveCalls, upstream } });
  return { asked, reservations: reserveCalls.mock.calls.length };
}

async function watching(metric: string): Promise<World> {
  const world = createWorld();
  const rules = [{ id: 'fall', metric, when: 'above', threshold: '10' }];
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
  await world.drain();
  world.pass(HOUR);
  return world;
}

const pastOf = async ({ stores }: World) => (await stores.contracts.get(PUNKS))?.past;
const hoursOf = ({ table }: World) =>
  table.items().filter(({ pk, sk }) => pk.startsWith('HISTORY#') && sk.startsWith('floor#H#'));

describe('the floor history from before a contract was watched', () => {
  it.each([
    ['floor_drawdown_pct.6h', 6 * HOUR, ['30d'], 100],
    ['floor_drawdown_pct.24h', DAY, ['30d'], 100],
    ['floor_drawdown_pct.7d', 7 * DAY, ['30d', '30d 100'], 200],
    [
      'floor_drawdown_pct.30d',
      30 * DAY,
      ['30d', ...[1, 2, 3, 4, 5, 6, 7].map((page) => `30d ${page * PAGE}`), '60d'],
      720 + 30,
    ],
  ])(
    'the floor history is fetched as far back as %s requires, with a reserved call for each page',
    async (metric, span, pages, hours) => {
      const world = await watching(metric);
      const start = world.now();

      const { asked, reservations } = await poll(world, (query) => ({
        kind: 'ok',
        value: vendorPage(start, query),
      }));

      expect(asked).toEqual(pages);
      expect(reservations).toBe(pages.length);
      expect(await pastOf(world)).toMatchObject({ known: span });
      expect(await pastOf(world)).not.toHaveProperty('requested');
      expect(hoursOf(world)).toHaveLength(hours);
    },
  );

  it('the floor history is fetched again after a period without floor polls', async () => {
    const world = await watching('floor_drawdown_pct.6h');
    const start = world.now();
    const answer = (query: FloorQuery) => ({
      kind: 'ok' as const,
      value: vendorPage(start, query),
    });
    await poll(world, answer);
    const put = async (metric: string) => {
      const rules = [{ id: 'fall', metric, when: 'above', threshold: '10' }];
      await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
      await world.drain();
    };

    await put('lowest_price.1d');
    const meanwhile = await pastOf(world);
    await put('floor_drawdown_pct.6h');

    expect([meanwhile, await pastOf(world)]).toEqual([undefined, { requested: 6 * HOUR }]);
  });

  it('a backfill does not mark the floor history as fetched if the last floor rule is removed in the meantime', async () => {
    const world = await watching('floor_drawdown_pct.6h');
    const start = world.now();

    await poll(world, async (query) => {
      const rules = [{ id: 'fall', metric: 'lowest_price.1d', when: 'above', threshold: '10' }];
      await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
      await world.drain();
      return { kind: 'ok', value: vendorPage(start, query) };
    });

    expect(hoursOf(world)).not.toHaveLength(0);
    expect(await pastOf(world)).toBeUndefined();
  });

  it('floors of a backfill are not evaluated', async () => {
    const world = await watching('floor_runup_pct.24h');
    const start = world.now();
    const before = (await world.stores.contracts.get(PUNKS))?.timeline.seq ?? 0;

    await poll(world, (query) => {
      const { points } = vendorPage(start, query);
      const jagged = points.map((point, index) => ({
        ...point,
        price: eth(index % 2 === 0 ? '60' : '80'),
      }));
      return { kind: 'ok', value: { points: jagged } };
    });

    const [watch] = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
    expect((await world.stores.contracts.get(PUNKS))?.timeline.seq).toBe(before + 1);
    expect([watch?.state, watch?.alerts]).toEqual(['ok', 0]);
  });

  it('a backfill continues with the next poll after a failed page', async () => {
    const world = await watching('floor_drawdown_pct.7d');
    const start = world.now();
    const failing = (query: FloorQuery): Outcome<FloorPage> =>
      query.cursor === undefined
        ? { kind: 'ok', value: vendorPage(start, query) }
        : { kind: 'failed', reason: 'timeout' };

    await poll(world, failing);
    const requested = await pastOf(world);
    const again = await poll(world, (query) => ({ kind: 'ok', value: vendorPage(start, query) }));

    expect(requested).toEqual({
      requested: 7 * DAY,
      since: start - 99 * HOUR,
      next: { interval: '30d', cursor: '100' },
    });
    expect(again.asked).toEqual(['30d', '30d 100']);
    expect(await pastOf(world)).toEqual({ known: 7 * DAY, since: start - 199 * HOUR });
  });

  it('a floor history that begins within the window counts as complete', async () => {
    const world = await watching('floor_drawdown_pct.30d');
    const start = world.now();

    const { asked } = await poll(world, (query) => ({
      kind: 'ok',
      value: { points: vendorPage(start, query).points.slice(0, 5) },
    }));

    expect(asked).toEqual(['30d', '60d']);
    expect(await pastOf(world)).toEqual({ known: 30 * DAY });
  });

  it('a floor history that ends with an empty page counts as complete', async () => {
    const world = await watching('floor_drawdown_pct.7d');
    const start = world.now();

    const { asked } = await poll(world, (query) => {
      const points = vendorPage(start, query).points.slice(0, 72);
      return query.cursor === undefined
        ? { kind: 'ok', value: { points, cursor: '100' } }
        : { kind: 'empty' };
    });

    expect(asked).toEqual(['30d', '30d 100']);
    expect(await pastOf(world)).toEqual({ known: 7 * DAY });
  });

  it('a backfill starts over if its cursor has expired', async () => {
    const world = await watching('floor_drawdown_pct.7d');
    const start = world.now();
    const saying = (outcome: Outcome<never>) => (query: FloorQuery) =>
      query.cursor === undefined
        ? { kind: 'ok' as const, value: vendorPage(start, query) }
        : outcome;

    await poll(world, saying({ kind: 'failed', reason: 'timeout' }));
    await poll(world, saying({ kind: 'failed', reason: 'bad_request' }));
    const forgotten = await pastOf(world);
    const again = await poll(world, (query) => ({ kind: 'ok', value: vendorPage(start, query) }));

    expect(forgotten).not.toHaveProperty('next');
    expect(again.asked).toEqual(['30d', '30d 100']);
    expect(await pastOf(world)).toMatchObject({ known: 7 * DAY });
  });

  it('a backfill call is skipped if its reserved time is too late for the function to receive the answer', async () => {
    const world = await watching('floor_drawdown_pct.7d');
    const start = world.now();
    const { stores } = world;
    const cached = await stores.contracts.get(PUNKS);
    const ports = world.ports.poll;
    const asked: FloorQuery[] = [];
    const floorHistory = async (_contract: unknown, query: FloorQuery) => {
      asked.push(query);
      return { kind: 'ok' as const, value: vendorPage(start, query) };
    };
    let reservations = 0;
    const reserveCalls: typeof ports.reserveCalls = async (ways) => {
      reservations += 1;
      const reservation = await ports.reserveCalls(ways);
      if (!reservation.granted || reservations === 1) return reservation;
      const calls = reservation.calls.map(
        (call) => call && { ...call, callAt: call.callAt + 10_000 },
      );
      return { ...reservation, calls };
    };

    const upstream = { ...ports.upstream, floorHistory };
    const pollPorts = { reserveCalls, remainingTime: () => 15_000, upstream };
    await pollOnce(world, { record: cached, series: ['floor'], pollPorts });

    expect([asked.length, reservations]).toEqual([1, 2]);
  });
});

/** The provider reports hourly floors, a hundred in each answer. */
describe('floors from the time of an outage', () => {
  type Rules = Parameters<World['putList']>[0]['rules'];

  /**
   * The alerts after a five-day outage of the provider. `priceAt` gets the hours since the
   * start.
   */
  async function afterAnOutage(
    rules: Rules,
    priceAt: (hour: number) => number,
    { pages = 'all' }: { readonly pages?: 'all' | 'first' } = {},
  ): Promise<readonly string[]> {
    const world = createWorld({ cadenceMinutes: 30 });
    const begun = world.now();
    let isDown = false;
    world.answers.floor = (_contract, now, { cursor = '0' }) => {
      if (isDown) return { kind: 'denied', reason: 'quota' };
      if (pages === 'first' && cursor !== '0') return { kind: 'failed', reason: 'timeout' };
      const from = Number(cursor);
      const points = Array.from({ length: PAGE }, (_, index) => {
        const time = now - (now % HOUR) - (from + index) * HOUR;
        const price = eth(priceAt((time - begun) / HOUR).toFixed(6));
        return { time, price, currency: 'eth', marketplaces: [] };
      });
      return { kind: 'ok', value: { points, cursor: String(from + PAGE) } };
    };
    await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules });
    for (let minute = 0; minute < 120; minute += 1) await world.tick();
    isDown = true;
    world.pass(5 * DAY);
    isDown = false;
    for (let minute = 0; minute < 70; minute += 1) await world.tick();
    const reported = world.published.map(
      ({ alert }) => `${alert.kind} ${alert.rule} ${alert.value}`,
    );
    return [...new Set(reported)];
  }

  const MOVES: Rules = [
    { id: 'change', metric: 'floor_change_pct.24h', when: 'below', threshold: '-30' },
    { id: 'drawdown', metric: 'floor_drawdown_pct.24h', when: 'above', threshold: '30' },
    { id: 'steep', metric: 'floor_change_pct.7d', when: 'below', threshold: '-30' },
  ];
  /** The largest drop within one day is 18.2%. */
  const falling = (hour: number) => Math.max(60, 100 - Math.max(0, hour - 2) * (40 / 72));

  it.each(['all', 'first'] as const)(
    'prices that fell slowly during an outage do not fire a rule on a one-day drop (pages of history: %s)',
    async (pages) => {
      const reported = await afterAnOutage(MOVES, falling, { pages });

      expect(reported.map((text) => text.split(' ', 2))).toEqual([['fired', 'steep']]);
    },
  );

  it('floors from the time of an outage end a pending state, even if there are too many to evaluate each of them', async () => {
    // A floor that was low for only three hours.
    const dipping = (hour: number) => (hour >= 1 && hour < 4 ? 50 : 70);
    const reported = await afterAnOutage(
      [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60', for: '6h' }],
      dipping,
    );

    expect(reported).toEqual([]);
  });
});
