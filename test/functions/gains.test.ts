import { expect, it } from 'vitest';
import { APES, eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const PROFIT = { id: 'profit', metric: 'gain', when: 'above', threshold: '9' } as const;
const LOSS = { id: 'loss', metric: 'gain_pct', when: 'below', threshold: '-20' } as const;
const HIGH = { id: 'high', metric: 'floor_price', when: 'above', threshold: '14' } as const;
const HELD = { amount: 3, cost: { price: '12.5' } };

/** A list with these holdings, in a stack that polls each minute. */
async function stack(contracts: readonly object[], rules: readonly object[] = [PROFIT]) {
  const world = createWorld({ cadenceMinutes: 1 });
  const put = async (members: readonly object[]) => {
    const body = { id: 'mine', name: 'Mine', rules, contracts: members };
    await world.putList(body as Parameters<World['putList']>[0]);
  };
  const floorIs = async (price: string, usd?: string) => {
    const money = usd === undefined ? {} : { usd: eth(usd) };
    const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [{ ...point, ...money }] });
    for (let minute = 0; minute < 2; minute += 1) await world.tick();
  };
  await put(contracts);
  return { world, put, floorIs };
}

const news = ({ published }: World) => [
  ...new Map(
    published.map(({ alert }) => [alert.id, `${alert.rule} ${alert.kind}: ${alert.value}`]),
  ).values(),
];
const said = ({ published }: World, kind: string) =>
  published.find(({ alert }) => alert.kind === kind)?.alert;

it('a rule on a gain fires and recovers, with the floor, the cost and the amount in its messages', async () => {
  const { world, floorIs } = await stack([{ contract: APES, name: 'Apes', ...HELD }]);

  for (const price of ['12', '15.4', '15.5', '15.6', '15.4']) await floorIs(price, '50000');

  expect(news(world)).toEqual(['profit fired: 9', 'profit recovered: 8.7']);
  expect([said(world, 'fired')?.title, said(world, 'recovered')?.title]).toEqual([
    'Apes total gain above +9 ETH: +9 ETH',
    expect.stringContaining('Resolved: Apes total gain above +9 ETH: now +8.7 ETH'),
  ]);
  expect(said(world, 'recovered')).toMatchObject({ unit: 'eth', extreme: '9.3', previous: '9.3' });
  expect(said(world, 'fired')?.facts.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Condition: total gain at or above +9 ETH',
    'Was: +8.7 ETH',
    'Floor price: 15.5 ETH',
    'Cost: 12.5 ETH',
    'Tokens held: 3',
    'Distance: at +9 ETH',
  ]);
});

it('a rule on a loss in percent fires relative to the cost of each contract', async () => {
  const members = [
    { contract: APES, name: 'Apes', cost: { price: '15' } },
    { contract: PUNKS, name: 'Punks', cost: { price: '10' } },
  ];
  const { world, floorIs } = await stack(members, [LOSS]);

  for (const price of ['15', '12', '11.99', '9']) await floorIs(price);

  expect(news(world)).toEqual(['loss fired: -20']);
  expect(said(world, 'fired')).toMatchObject({
    ...{ contract: APES, unit: '%', title: 'Apes gain below −20%: −20%' },
  });
});

it('a gain in dollars changes with the dollar price of the same floor', async () => {
  const cost = { price: '40000', unit: 'usd' };
  const { world, floorIs } = await stack([{ contract: APES, name: 'Apes', amount: 2, cost }]);

  await floorIs('10', '39000');
  await floorIs('10', '40004.5');

  expect(said(world, 'fired')).toMatchObject({
    title: 'Apes total gain above +$9.00: +$9.00',
    ...{ unit: 'usd', value: '9', previous: '-2000' },
  });
});

it('an edit of a holding closes the episodes of gain rules, but not those of other rules', async () => {
  const { world, put, floorIs } = await stack([{ contract: APES, ...HELD }], [PROFIT, HIGH]);
  for (const price of ['13', '16']) await floorIs(price);
  expect(news(world)).toEqual(expect.arrayContaining(['profit fired: 10.5', 'high fired: 16']));
  const before = news(world).length;

  await put([{ contract: APES, name: 'Apes', ...HELD }]);
  await floorIs('16.1');
  expect(news(world)).toHaveLength(before);
  await put([{ contract: APES, name: 'Apes', ...HELD, amount: 4 }]);
  await floorIs('16.2');
  await put([{ contract: APES, name: 'Apes', amount: 4 }]);
  await floorIs('16.3');

  expect(news(world).slice(before)).toEqual([
    'profit closed: null',
    'profit fired: 14.8',
    'profit closed: null',
  ]);
});

it('a rule on a gain has watches only on contracts with a cost, and restarts when a cost is added', async () => {
  const { world, put, floorIs } = await stack([{ contract: APES, ...HELD }, { contract: PUNKS }]);
  const watched = async () => {
    const lists = [APES, PUNKS].map((contract) =>
      world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, contract),
    );
    return (await Promise.all(lists)).map((watches) => watches.map(({ generation }) => generation));
  };
  await floorIs('12');
  const first = await watched();

  await put([{ contract: APES }, { contract: PUNKS, ...HELD }]);
  await floorIs('12.1');
  const second = await watched();
  await put([
    { contract: APES, ...HELD },
    { contract: PUNKS, ...HELD },
  ]);
  await floorIs('12.2');

  expect([first, second, await watched()]).toEqual([
    [[1], []],
    [[], [2]],
    [[3], [2]],
  ]);
});
