import { describe, expect, it, vi } from 'vitest';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { FloorPage, FloorQuery, Outcome } from '#shared/domain/market/upstream.ts';
import { partsOf } from '#shared/domain/polling/contract-record.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const { signal } = new AbortController();
const PAGE = 100;

/** A vendor that tells hours of thirty days and days of sixty, newest first, in pages. */
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

/** Polls a contract once; tells what the vendor was asked and how many leases were taken. */
async function poll(
  world: World,
  answer: (query: FloorQuery) => Outcome<FloorPage>,
): Promise<{ readonly asked: readonly string[]; readonly leases: number }> {
  const hint = await world.stores.contracts.get(PUNKS);
  if (hint === undefined) throw new Error('no contract');
  const ports = world.runContractsPorts();
  const leaseCalls = vi.fn(ports.leaseCalls);
  const asked: string[] = [];
  const floorHistory = async (_contract: unknown, query: FloorQuery) => {
    asked.push([query.interval, query.cursor ?? ''].join(' ').trim());
    return answer(query);
  };
  const parts = partsOf(hint).map(([part]) => part);
  await runContracts(
    { ...ports, leaseCalls, upstream: { ...ports.upstream, floorHistory } },
    { kind: 'poll', contract: PUNKS, parts, hint, cadenceMinutes: 5 },
    signal,
  );
  return { asked, leases: leaseCalls.mock.calls.length };
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

describe('the past of a contract', () => {
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
    'is asked for as far as %s looks back, a lease for each page',
    async (metric, span, pages, hours) => {
      const world = await watching(metric);
      const start = world.now();

      const { asked, leases } = await poll(world, (query) => ({
        kind: 'ok',
        value: vendorPage(start, query),
      }));

      expect(asked).toEqual(pages);
      expect(leases).toBe(pages.length);
      expect(await pastOf(world)).toEqual({ known: span });
      expect(hoursOf(world)).toHaveLength(hours);
    },
  );

  it('is never judged', async () => {
    const world = await watching('floor_runup_pct.24h');
    const start = world.now();
    const before = (await world.stores.contracts.get(PUNKS))?.seq ?? 0;

    await poll(world, (query) => {
      const { points } = vendorPage(start, query);
      const jagged = points.map((point, index) => ({
        ...point,
        price: eth(index % 2 === 0 ? '60' : '90'),
      }));
      return { kind: 'ok', value: { points: jagged } };
    });

    const [watch] = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
    expect((await world.stores.contracts.get(PUNKS))?.seq).toBe(before + 1);
    expect([watch?.state, watch?.outbox]).toEqual(['ok', []]);
  });

  it('stays wanted where a page fails, and is tried again with the next poll', async () => {
    const world = await watching('floor_drawdown_pct.7d');
    const start = world.now();
    const failing = (query: FloorQuery): Outcome<FloorPage> =>
      query.cursor === undefined
        ? { kind: 'ok', value: vendorPage(start, query) }
        : { kind: 'failed', reason: 'timeout' };

    await poll(world, failing);
    const wanted = await pastOf(world);
    const again = await poll(world, (query) => ({ kind: 'ok', value: vendorPage(start, query) }));

    expect(wanted).toEqual({ wanted: 7 * DAY });
    expect(again.asked).toEqual(['30d', '30d 100']);
    expect(await pastOf(world)).toEqual({ known: 7 * DAY });
  });

  it('that begins within the window is all that there is', async () => {
    const world = await watching('floor_drawdown_pct.30d');
    const start = world.now();

    const { asked } = await poll(world, (query) => ({
      kind: 'ok',
      value: { points: vendorPage(start, query).points.slice(0, 5) },
    }));

    expect(asked).toEqual(['30d', '60d']);
    expect(await pastOf(world)).toEqual({ known: 30 * DAY });
  });
});
