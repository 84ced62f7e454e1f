import { describe, expect, it } from 'vitest';
import { pollPrices } from '#functions/poll-prices/poll-prices.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { createWorld, type World } from '#test/support/world.ts';

const { signal } = new AbortController();
const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
const EVERY_MINUTE = { cadenceMinutes: 1 };

/** From now on the provider reports this floor, with the present time. */
function floorIs(world: World, price: string): void {
  const time = world.now();
  const value = [{ time, price: parseDecimal(price) ?? 0n, currency: 'eth', marketplaces: [] }];
  world.answers.floor = () => ({ kind: 'ok', value });
}

/** A list whose rule fires below 60, with one channel in addition to the channels of operators. */
async function watching(world: World): Promise<void> {
  floorIs(world, '65');
  await world.putList({
    id: 'mine',
    name: 'Mine',
    contracts: [PUNKS],
    rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60' }],
    channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
  });
  for (let minute = 0; minute < 3; minute += 1) await world.tick();
}

const reportsOf = ({ reports }: World, event: string) =>
  reports.flatMap((report) => (report.event === event ? [report.fields] : []));

describe('events for operators', () => {
  it('each alert is logged by id when it is created and when it is sent', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);

    floorIs(world, '59');
    await world.tick();

    const [alert] = world.published.map((published) => published.alert.id);
    const place = { tenant: 'acme', list: 'mine', rule: 'low', contract: PUNKS };
    expect(reportsOf(world, 'alerts_made')).toEqual([{ ...place, alerts: [alert] }]);
    const sending = { notification: alert, alerts: 1, late: 0, failures: 0 };
    expect(reportsOf(world, 'message_sent')).toEqual(
      ['stack-topic', 'stack-slack', 'acme#mine#desk'].map((destinationId) =>
        expect.objectContaining({ ...sending, destinationId }),
      ),
    );
  });

  it('a slow delivery is logged as late, but not if its channel had failed before', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    world.answers.channel = (destinationId) => {
      if (destinationId === 'desk') return { kind: 'failed', reason: 'down' };
      world.pass(MINUTE + 1);
      return { kind: 'sent' };
    };

    floorIs(world, '59');
    await world.tick();
    world.answers.channel = () => ({ kind: 'sent' });
    for (let minute = 0; minute < 10; minute += 1) await world.tick();

    const sent = reportsOf(world, 'message_sent').map(({ destinationId, late, failures }) => ({
      ...{ destinationId, late, failures },
    }));
    expect(sent).toEqual([
      { destinationId: 'stack-topic', late: 1, failures: 0 },
      { destinationId: 'stack-slack', late: 1, failures: 0 },
      { destinationId: 'acme#mine#desk', late: 0, failures: 1 },
    ]);
  });

  it('alerts that a channel will not receive are logged', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    world.answers.channel = (destinationId) =>
      destinationId === 'desk' ? { kind: 'failed', reason: 'down' } : { kind: 'sent' };

    floorIs(world, '59');
    await world.tick();
    world.pass(25 * HOUR);
    await world.tick();

    expect(reportsOf(world, 'alerts_given_up')).toEqual([
      { destinationId: 'acme#mine#desk', alerts: 1, reason: 'down' },
    ]);
  });
});

describe('a tick', () => {
  it('a tick measures the age of data, and the number of contracts without data', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    const reported = world.now();
    floorIs(world, '64');
    await world.tick();
    world.answers.floor = () => ({ kind: 'failed', reason: 'timeout' });
    await world.tick();
    world.pass(2 * HOUR);

    const { dataAge, at } = await pollPrices(world.ports.poll, signal);

    expect(dataAge).toEqual({ freshest: reported, oldest: reported, watched: 1, silent: 1 });
    expect(at).toBe(world.now());
  });

  it('a tick measures how long the upstream has denied service', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    const before = await pollPrices(world.ports.poll, signal);
    world.answers.floor = () => ({ kind: 'denied', reason: 'quota' });
    await world.tick();
    const denied = world.now() - 1;
    world.pass(10 * MINUTE);

    const { deniedSince } = await pollPrices(world.ports.poll, signal);

    expect(before.deniedSince).toBeUndefined();
    expect(deniedSince).toBe(denied);
  });

  it('a tick measures how long the upstream has denied an operation that polls need', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    world.answers.floor = () => ({ kind: 'denied', reason: 'plan' });
    await world.tick();
    const denied = world.now() - 1;
    world.pass(10 * MINUTE);

    const { deniedSince } = await pollPrices(world.ports.poll, signal);

    expect(deniedSince).toBe(denied);
  });

  it('a tick records once that a due price series has no data while the provider denies its operation', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    const record = await world.stores.rateLimiter.get();
    const [openedAt, probeAt] = [world.now(), world.now() + HOUR];
    const breakers = { 'polling:floor': { reason: 'plan', openedAt, probeAt, probes: 6 } };
    await world.stores.rateLimiter.put({ ...record, breakers });
    const polls: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      world.pass(MINUTE);
      polls.push((await pollPrices(world.ports.poll, signal)).polls);
      await world.drain();
    }

    const known = await world.stores.contracts.get(PUNKS);
    expect(polls).toEqual([1, 0, 0]);
    expect(known?.series.floor?.noDataSince).toBe(openedAt + MINUTE);
  });

  it('a tick sends no polls for a denied operation except its retries', async () => {
    const world = createWorld(EVERY_MINUTE);
    await watching(world);
    world.answers.floor = () => ({ kind: 'denied', reason: 'plan' });
    const polls: number[] = [];
    for (let minute = 0; minute < 8; minute += 1) {
      world.pass(MINUTE);
      polls.push((await pollPrices(world.ports.poll, signal)).polls);
      await world.drain();
    }

    expect(polls).toEqual([1, 1, 0, 1, 0, 0, 0, 1]);
  });
});
