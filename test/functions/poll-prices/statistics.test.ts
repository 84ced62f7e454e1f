import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { STATISTICS, type StatisticsSeries } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Refusal, Statistics } from '#shared/domain/market/upstream.ts';
import { newestOf } from '#shared/domain/polling/contract-record.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, type World } from '#test/support/world.ts';

const volume = (value: string) => ({ value: eth(value), unit: 'eth' });
const sales = (value: string) => ({ value: eth(value), unit: 'sales' });
const aboveThirty = { id: 'volume', metric: 'volume.1d', when: 'above', threshold: '30' };
const noSale = { id: 'quiet', metric: 'sales.1d', when: 'below', threshold: '0.5' };
const average = { id: 'average', metric: 'average_price.1d', when: 'below', threshold: '1' };

/**
 * A stack that polls OpenSea each minute. By default a second provider does not have the contract.
 */
async function watching(
  rules: readonly object[],
  other: (world: World) => ReturnType<World['answers']['floor']> = () => ({ kind: 'not_found' }),
  provider: Provider = 'alchemy',
) {
  const world: World = createWorld({
    ...{ cadenceMinutes: 1, limits: someLimits({ provider: 'opensea', costs: evenCosts(1) }) },
    others: [
      {
        limits: someLimits({ provider, costs: evenCosts(0) }),
        upstream: {
          floorHistory: async () => {
            noteRequest();
            const outcome = other(world);
            if (outcome.kind !== 'ok') return outcome;
            const { value } = outcome;
            return { kind: 'ok', value: 'points' in value ? value : { points: value } };
          },
        },
      },
    ],
  });
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: rules as never });
  // The first minute applies the list. Polls begin in the second minute.
  await world.tick();
  return {
    world,
    /** A minute in which OpenSea answers with a floor of 65 ETH and these statistics. */
    minuteWith: async (statistics: Statistics | undefined) => {
      world.answers.floor = (_contract, time) => ({
        kind: 'ok',
        value: {
          points: [{ time, price: eth('65'), currency: 'eth', marketplaces: ['opensea'] }],
          ...(statistics && { statistics }),
        },
      });
      await world.tick();
    },
    /** A minute in which OpenSea gives no floor. */
    minuteOf: async (refusal: Refusal | { readonly kind: 'empty' }) => {
      world.answers.floor = () => refusal;
      await world.tick();
    },
    recorded: async (series: StatisticsSeries) =>
      (await world.stores.history.between(PUNKS, series, 0, world.now())).map(
        ({ price, currency }) => `${formatDecimal(price)} ${currency}`,
      ),
    health: async (series: StatisticsSeries) =>
      seriesHealth(series, await world.stores.contracts.get(PUNKS)),
    sent: () =>
      world.published
        .filter(({ destinationId }) => destinationId === 'stack-topic')
        .map(({ alert }) => `${alert.rule} ${alert.kind} ${alert.value}`),
  };
}

describe('statistics', () => {
  it('statistics are recorded and evaluated with the floor, without additional calls', async () => {
    const { world, minuteWith, recorded, sent } = await watching([aboveThirty, noSale]);

    await minuteWith({ 'volume.1d': volume('24.1'), 'sales.1d': sales('3') });
    await minuteWith({ 'volume.1d': volume('32.5'), 'sales.1d': sales('0') });
    await minuteWith({ 'volume.1d': volume('12'), 'sales.1d': sales('4') });

    expect(sent().toSorted()).toEqual([
      ...['quiet fired 0', 'quiet recovered 4', 'volume fired 32.5', 'volume recovered 12'],
    ]);
    expect(await recorded('volume.1d')).toEqual(['24.1 eth', '32.5 eth', '12 eth']);
    expect(await recorded('sales.1d')).toEqual(['3 sales', '0 sales', '4 sales']);
    expect(world.log.calls.filter((call) => call === 'upstream.floor')).toHaveLength(3);
    expect(world.log.calls).not.toContain('upstream.lowest');
  });

  it('statistics that no rule reads are not recorded', async () => {
    const { minuteWith, recorded } = await watching([aboveThirty]);

    await minuteWith({ 'volume.1d': volume('24.1'), 'sales.1d': sales('3') });

    const read = await Promise.all(STATISTICS.map(recorded));
    expect(read.flat()).toEqual(['24.1 eth']);
  });

  it('the average price is the volume divided by the number of sales, and missing while nothing is sold', async () => {
    const { minuteWith, sent } = await watching([average]);

    await minuteWith({ 'volume.1d': volume('6'), 'sales.1d': sales('5') });
    await minuteWith({ 'volume.1d': volume('0'), 'sales.1d': sales('0') });
    await minuteWith({ 'volume.1d': volume('4'), 'sales.1d': sales('5') });

    expect(sent()).toEqual(['average fired 0.8']);
  });

  it.each([
    ['an answer without them', undefined],
    ['an answer with other statistics', { 'volume.7d': volume('24.1') }],
  ])('statistics are reported as unsupported after %s', async (_what, statistics) => {
    const { minuteWith, health, recorded } = await watching([aboveThirty]);

    await minuteWith(statistics);

    expect(await health('volume.1d')).toMatchObject({
      ...{ state: 'waiting', code: 'unsupported_retired' },
    });
    expect(await recorded('volume.1d')).toEqual([]);
  });

  it('statistics keep their last value while nothing is listed', async () => {
    const { minuteWith, minuteOf, health, recorded } = await watching([aboveThirty]);

    await minuteWith({ 'volume.1d': volume('24.1') });
    await minuteOf({ kind: 'empty' });

    expect(await recorded('volume.1d')).toEqual(['24.1 eth']);
    expect(await health('volume.1d')).toMatchObject({ state: 'stale', code: 'not_ready' });
  });
});

it('statistics are missing while only a fallback provider reports the floor', async () => {
  const fallback = (world: World): ReturnType<World['answers']['floor']> => ({
    kind: 'ok',
    value: {
      points: [{ time: world.now(), price: eth('64'), currency: 'eth', marketplaces: [] }],
      statistics: { 'volume.1d': volume('99') },
    },
  });
  const noData = { alert: '10m' };
  const { world, minuteWith, minuteOf, health, recorded, sent } = await watching(
    [{ ...aboveThirty, noData }],
    fallback,
  );

  await minuteWith({ 'volume.1d': volume('24.1') });
  for (let minute = 0; minute < 12; minute += 1) {
    await minuteOf({ kind: 'failed', reason: 'server_error' });
  }

  const record = await world.stores.contracts.get(PUNKS);
  expect(record && newestOf(record, 'floor')).toMatchObject({ price: eth('64') });
  expect(record?.series['volume.1d']?.noDataSince).toBeGreaterThan(world.now() - 13 * MINUTE);
  expect(await health('volume.1d')).toMatchObject({ code: 'failed_server_error' });
  expect(await recorded('volume.1d')).toEqual(['24.1 eth']);
  expect(sent()).toEqual([expect.stringMatching(/^volume stale /)]);
});
