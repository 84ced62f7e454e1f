import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import { eth, PUNKS, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, TENANT, type World } from '#test/support/world.ts';

const AZUKI: ContractKey = 'eth:0xed5af388653567af2f388e6224dc7c4b3241c544';
const less = { id: 'less', metric: 'list_value', when: 'below', threshold: '100' };
const fallen = { id: 'fallen', metric: 'list_change_pct.1h', when: 'below', threshold: '-10' };

/** A list that holds two Punks and one Azuki. */
async function holding(
  rule: object,
  amounts: Amounts = { punks: 2, azuki: 1 },
  cadenceMinutes = 1,
) {
  const world: World = createWorld({
    ...{ cadenceMinutes, limits: someLimits({ costs: evenCosts(1) }) },
  });
  const write = async ({ punks, azuki }: Amounts) => {
    const contracts = [
      { contract: PUNKS, amount: punks },
      { contract: AZUKI, amount: azuki },
    ];
    await world.putList({ id: 'bag', name: 'My bag', contracts, rules: [rule] });
  };
  await write(amounts);
  // The first minute applies the list. Polls begin in the second minute.
  await world.tick();
  const valueKey = async () => {
    const list = await world.stores.watchlists.get({ tenant: TENANT, id: 'bag' });
    return list?.value?.contract ?? PUNKS;
  };
  return {
    world,
    write,
    valueKey,
    /** Runs a minute with these floors in ETH; undefined is an answer without a floor. */
    minuteWith: async (punks: string | undefined, azuki: string | undefined) => {
      world.answers.floor = (contract, time) => {
        const price = contract === PUNKS ? punks : azuki;
        if (price === undefined) return { kind: 'empty' };
        return { kind: 'ok', value: [{ ...FLOOR, time, price: eth(price) }] };
      };
      await world.tick();
    },
    recorded: async () => {
      const points = await world.stores.history.between(await valueKey(), 'floor', 0, world.now());
      return points.map(({ price }) => formatDecimal(price));
    },
    health: async () => seriesHealth('floor', await world.stores.contracts.get(await valueKey())),
    sent: () =>
      world.published
        .filter(({ destinationId }) => destinationId === 'stack-topic')
        .map(({ alert }) => `${alert.rule} ${alert.kind} ${alert.value}`),
  };
}

type Amounts = { readonly punks: number; readonly azuki: number };
const FLOOR = { currency: 'eth', marketplaces: ['opensea'] } as const;

describe('the value of a list', () => {
  it('a rule on a list value fires and recovers in the minute in which the floor of a held collection changes', async () => {
    const { minuteWith, recorded, sent } = await holding(less);

    await minuteWith('50', '4');
    await minuteWith('48', '4');
    await minuteWith('48', '4.5');

    expect(sent()).toEqual(['less fired 100', 'less recovered 100.5']);
    expect(await recorded()).toEqual(['104', '100', '100.5']);
  });

  it('a list value causes no calls in addition to those of its floors', async () => {
    const { world, minuteWith } = await holding(less);

    await minuteWith('50', '4');
    await minuteWith('48', '4');

    expect(world.log.calls.filter((call) => call === 'upstream.floor')).toHaveLength(4);
  });

  it('a list value is missing while a poll of a held collection fails, and its health has the reason', async () => {
    const { world, minuteWith, health, sent } = await holding(less);

    await minuteWith('50', '4');
    world.answers.floor = (contract, time) =>
      contract === PUNKS
        ? { kind: 'ok', value: [{ ...FLOOR, time, price: eth('40') }] }
        : { kind: 'failed', reason: 'timeout' };
    await world.tick();

    expect(await health()).toMatchObject({ state: 'stale', code: 'not_derived_floors' });
    expect(sent()).toEqual([]);
  });

  it('whether a list value is late depends on the cadence of its floors, not on the cadence of the passes', async () => {
    const { world } = await holding(less, { punks: 2, azuki: 1 }, 5);
    const pollWith = async (punks: string, ageMinutes: number) => {
      world.answers.floor = (contract) => {
        const time = world.now() - ageMinutes * MINUTE;
        const price = eth(contract === PUNKS ? punks : '4');
        return { kind: 'ok', value: [{ ...FLOOR, time, price }] };
      };
      for (let minute = 0; minute < 5; minute += 1) await world.tick();
    };

    await pollWith('50', 90);
    // A provider may be an hour behind.
    await pollWith('48', 65);
    world.pass(HOUR);
    await pollWith('50', 75);

    const late = world.published.flatMap(({ destinationId, alert }) =>
      destinationId === 'stack-topic' ? [`${alert.kind} ${alert.late}`] : [],
    );
    expect(late).toEqual(['fired false', 'recovered true']);
  });

  it('a list value omits a collection that never had a floor', async () => {
    const { minuteWith, recorded, sent } = await holding(less);

    await minuteWith('50', undefined);
    await minuteWith('48', undefined);

    expect(await recorded()).toEqual(['100', '96']);
    expect(sent()).toEqual(['less fired 100']);
  });

  it('a list value does not change with a floor that may be a glitch', async () => {
    const { minuteWith, sent } = await holding(less);

    await minuteWith('50', '4');
    await minuteWith('20', '4');
    await minuteWith('50', '4.1');

    expect(sent()).toEqual([]);
  });

  it('reordering the contracts of a list does not change the stored tokens of its list value', async () => {
    const { world, minuteWith, valueKey } = await holding(less);
    await minuteWith('50', '4');
    const before = await world.stores.contracts.get(await valueKey());

    const contracts = [
      { contract: AZUKI, amount: 1 },
      { contract: PUNKS, amount: 2 },
    ];
    const rules: object[] = [less, fallen];
    await world.putList({ id: 'bag', name: 'My bag', contracts, rules });
    await world.drain();
    const after = await world.stores.contracts.get(await valueKey());

    expect(before?.held).toHaveLength(2);
    expect(after?.held).toEqual(before?.held);
    expect(after?.thresholdIndexes).toHaveLength(2);
  });

  it('changed amounts restart a rule on the list value without an alert about the earlier value', async () => {
    const { minuteWith, write, valueKey, sent } = await holding(less);
    await minuteWith('50', '4');
    const before = await valueKey();

    await write({ punks: 1, azuki: 1 });
    await minuteWith('50', '4');
    await minuteWith('50', '4');
    await minuteWith('60', '4');
    await minuteWith('72', '4');
    await minuteWith('86', '4');
    await minuteWith('97', '4');

    expect(await valueKey()).not.toBe(before);
    expect(sent()).toEqual(['less fired 54', 'less recovered 101']);
  });
});

it('an alert about a list value has the name of the list', async () => {
  const { world, minuteWith } = await holding(less);

  await minuteWith('50', '4');
  await minuteWith('47', '4');

  const [alert] = world.published.map((one) => one.alert);
  expect(alert?.title).toBe('My bag value below 100 ETH: 98 ETH (−5.7%)');
});

it('a rule on the change of a list value uses floors that were recorded before the rule was created', async () => {
  const { world, sent } = await holding(fallen);
  const hourAgo = world.now() - 70 * MINUTE;
  const floorsAre = (punks: string, earlier: Instant) => {
    world.answers.floor = (contract, time) => ({
      kind: 'ok',
      value: [
        { ...FLOOR, time: earlier, price: eth(contract === PUNKS ? '50' : '4') },
        { ...FLOOR, time, price: eth(contract === PUNKS ? punks : '4') },
      ],
    });
  };
  floorsAre('50', hourAgo);
  await world.tick();
  await world.tick();

  floorsAre('44.8', hourAgo);
  await world.tick();

  expect(sent()).toEqual(['fallen fired -10']);
});
