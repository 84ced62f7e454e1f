import { describe, expect, it } from 'vitest';
import { type ContractKey, ratioKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import { eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, type World } from '#test/support/world.ts';

const AZUKI: ContractKey = 'eth:0xed5af388653567af2f388e6224dc7c4b3241c544';
const RATIO = ratioKey(PUNKS, [AZUKI]) ?? PUNKS;
const tenfold = { id: 'tenfold', on: RATIO, metric: 'floor_ratio', when: 'below', threshold: '10' };

/** A list with two collections and their ratio, which is polled each minute. */
async function comparing(...rules: readonly object[]) {
  const world: World = createWorld({
    ...{ cadenceMinutes: 1, limits: someLimits({ costs: evenCosts(1) }) },
  });
  const contracts = [PUNKS, AZUKI, RATIO];
  await world.putList({ id: 'mine', name: 'Mine', contracts, rules: rules as never });
  // The first minute applies the list. Polls begin in the second minute.
  await world.tick();
  return {
    world,
    /** From now on the provider reports these floors, and earlier floors of 50 and 4. */
    floorsAre: (punks: string, azuki: string, earlier: Instant) => {
      world.answers.floor = (contract, time) => {
        const [now, before] = contract === PUNKS ? [punks, '50'] : [azuki, '4'];
        const floor = { currency: 'eth', marketplaces: ['opensea'] };
        return {
          kind: 'ok',
          value: [
            { ...floor, time: earlier, price: eth(before) },
            { ...floor, time, price: eth(now) },
          ],
        };
      };
    },
    /** One minute in which the provider reports these floors. A poll without a floor times out. */
    minuteWith: async (punks: string | undefined, azuki: string | undefined) => {
      world.answers.floor = (contract, time) => {
        const price = contract === PUNKS ? punks : azuki;
        return price === undefined
          ? { kind: 'failed', reason: 'timeout' }
          : {
              kind: 'ok',
              value: [{ time, price: eth(price), currency: 'eth', marketplaces: ['opensea'] }],
            };
      };
      await world.tick();
    },
    recorded: async () =>
      (await world.stores.history.between(RATIO, 'floor', 0, world.now())).map(({ price }) =>
        formatDecimal(price),
      ),
    health: async () => seriesHealth('floor', await world.stores.contracts.get(RATIO)),
    sent: () =>
      world.published
        .filter(({ destinationId }) => destinationId === 'stack-topic')
        .map(({ alert }) => `${alert.rule} ${alert.kind} ${alert.value}`),
  };
}

describe('the ratio of two floors', () => {
  it('a ratio rule fires and recovers in the minute in which either floor changes', async () => {
    const { minuteWith, recorded, sent } = await comparing(tenfold);

    await minuteWith('50', '4');
    await minuteWith('50', '5');
    await minuteWith('51', '5');

    expect(sent()).toEqual(['tenfold fired 10', 'tenfold recovered 10.2']);
    expect(await recorded()).toEqual(['12.5', '10', '10.2']);
  });

  it('a ratio causes no calls in addition to those of its floors', async () => {
    const { world, minuteWith } = await comparing(tenfold);

    await minuteWith('50', '4');
    await minuteWith('50', '5');

    expect(world.log.calls.filter((call) => call === 'upstream.floor')).toHaveLength(4);
  });

  it('a ratio has no new value while one of its floors is missing, and its health has the reason', async () => {
    const { minuteWith, health, sent } = await comparing(tenfold);

    await minuteWith('50', '4');
    await minuteWith('39', undefined);

    expect(await health()).toMatchObject({ state: 'stale', code: 'not_derived_floors' });
    expect(sent()).toEqual([]);
  });

  it('a ratio does not change with a floor that may be a glitch', async () => {
    const { minuteWith, recorded } = await comparing(tenfold);

    await minuteWith('50', '4');
    await minuteWith('20', '4');
    await minuteWith('50', '4.1');

    expect(await recorded()).toEqual(['12.5', '12.5', '12.195121951219512195']);
  });

  it('a ratio uses an outlier floor as soon as the next floor confirms it', async () => {
    const { minuteWith, sent } = await comparing(tenfold);

    await minuteWith('50', '4');
    await minuteWith('20', '4');
    await minuteWith('21', '4');

    expect(sent()).toEqual(['tenfold fired 5']);
  });
});

it('an alert of a ratio names both collections, and its number has no currency', async () => {
  const { world, minuteWith } = await comparing(tenfold);

  await minuteWith('50', '4');
  await minuteWith('49', '5');

  const [alert] = world.published.map((one) => one.alert);
  expect(alert?.title).toBe(
    'eth:0xb47e3c…3bbb / eth:0xed5af3…c544 floor ratio below 10: 9.8 (−21.6%)',
  );
  expect(alert?.facts).toContainEqual({ name: 'Distance', value: '0.2 (2.0%) below 10' });
});

it('a rule on the change of a ratio uses floors that were recorded before the rule was created', async () => {
  const lagging = { metric: 'relative_change_pct.1h', when: 'below', threshold: '-10' };
  const { world, floorsAre, sent } = await comparing({ id: 'lagging', on: RATIO, ...lagging });
  const hourAgo = world.now() - 70 * MINUTE;
  floorsAre('50', '4', hourAgo);
  await world.tick();
  await world.tick();

  floorsAre('44', '4', hourAgo);
  await world.tick();

  expect(sent()).toEqual(['lagging fired -12']);
});

it('a pending ratio rule is decided only after all floors of the ratio have been polled again', async () => {
  const { world, minuteWith, sent } = await comparing({ ...tenfold, for: '2m' });
  const asked = () => world.log.calls.filter((call) => call === 'upstream.floor').length;

  await minuteWith('50', '4');
  await minuteWith('49', '5');
  await minuteWith('49', undefined);
  await minuteWith('49', undefined);
  expect(sent()).toEqual([]);

  const before = asked();
  await minuteWith('49', '5');
  await minuteWith('49', '5');
  expect(asked()).toBeGreaterThan(before);
  expect(sent()).toEqual(['tenfold fired 9.8']);
});
