import { describe, expect, it } from 'vitest';
import { APES, aWatchlistBody, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const at = (contract: string) => ({ path: { watchlist: 'punks', contract } });
const CONTRACT = 'PUT /v1/watchlists/{watchlist}/contracts/{contract}';
const held = { amount: 3, cost: { price: '12.5', unit: 'eth' } };

/** A list with the Punks and this holding. */
async function listWith(member: object) {
  const made = world();
  const body = aWatchlistBody({ contracts: [{ contract: PUNKS, ...member }] });
  return { ...made, made: await made.ask('POST', { body }) };
}

describe('the holding of a contract', () => {
  it.each([
    ['in the currency of its chain', { price: '12.50' }, { price: '12.5', unit: 'eth' }],
    ['in a wrapped currency', { price: '12.5', unit: 'WETH' }, { price: '12.5', unit: 'eth' }],
    ['in dollars', { price: '40000', unit: 'usd' }, { price: '40000', unit: 'usd' }],
  ])('a holding is returned with a cost %s', async (_what, cost, answered) => {
    const { ask, made } = await listWith({ amount: 3, cost });

    const read = await ask('GET punks');
    const exported = await ask('GET punks/export');

    const members = [{ contract: PUNKS, amount: 3, cost: answered }];
    expect(made).toMatchObject({ status: 201 });
    expect([made.body.contracts, read.body.contracts]).toEqual([members, members]);
    expect(exported.body.contracts).toEqual(members);
  });

  it('a holding is added, replaced and removed with its contract', async () => {
    const { ask } = await listWith(held);

    const added = await ask('POST punks/contracts', { body: { contract: APES, ...held } });
    const named = await ask(CONTRACT, { ...at(APES), ...ANY, body: { name: 'Apes', amount: 1 } });
    const bare = await ask(CONTRACT, { ...at(APES), ...ANY, body: {} });

    expect([added, named, bare].map(({ body }) => body.contract)).toEqual([
      { contract: APES, ...held },
      { contract: APES, name: 'Apes', amount: 1 },
      { contract: APES },
    ]);
  });

  it('writing the same holding again changes nothing', async () => {
    const { ask } = await listWith(held);

    const again = await ask(CONTRACT, { ...at(PUNKS), ...ANY, body: held });

    expect(again.body.revision).toBe(1);
  });

  it.each([
    ['/amount', { amount: 0 }, 'expected at least 1'],
    ['/amount', { amount: 1.5 }, 'expected a whole number'],
    ['/amount', { amount: '3' }, 'expected a whole number'],
    ['/amount', { amount: 1_000_001 }, 'expected at most 1000000'],
    ['/cost/price', { cost: { price: '0' } }, 'expected a price above 0'],
    ['/cost/price', { cost: { price: '-1' } }, 'expected a price above 0'],
    ['/cost/price', { cost: { price: 12.5 } }, 'expected a string'],
    ['/cost/price', { cost: { price: '1e3' } }, 'expected a decimal number'],
    ['/cost/price', { cost: {} }, 'expected a string'],
    ['/cost/unit', { cost: { price: '1', unit: 'pol' } }, 'expected "eth", the currency of'],
    ['/cost/unit', { cost: { price: '1', unit: 'gold' } }, 'expected a currency'],
    ['/cost/each', { cost: { price: '1', each: true } }, ''],
  ])('a holding is refused at %s: %j', async (pointer, body, detail) => {
    const { ask } = await listWith({});

    const refused = await ask(CONTRACT, { ...at(PUNKS), ...ANY, body });

    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, detail: expect.stringContaining(detail) }] },
    });
  });

  it('a holding is refused for a contract that the wallet manages', async () => {
    const { ask } = await listWith({});
    const contracts = [{ contract: APES, by: 'wallet', cost: { price: '1' } }];

    const refused = await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts }) });

    expect(refused).toMatchObject({
      status: 400,
      body: {
        errors: [{ pointer: '/contracts/0/cost', detail: expect.stringContaining('omit "by"') }],
      },
    });
  });

  it.each([
    ['the gain', { metric: 'gain', when: 'above', threshold: '5' }, '/rules/0/metric'],
    [
      'the gain in percent',
      { metric: 'gain_pct', when: 'below', threshold: '-20' },
      '/rules/0/metric',
    ],
    [
      'a gain among several conditions',
      {
        all: [
          { metric: 'floor_price', when: 'above', threshold: '1' },
          { metric: 'gain', when: 'above', threshold: '5' },
        ],
      },
      '/rules/0/all/1/metric',
    ],
  ])('a new rule on %s needs a contract with a cost', async (_what, rule, pointer) => {
    const { ask } = await listWith({});
    const on = [PUNKS];
    const contracts = [PUNKS, { contract: APES, ...held }];

    const refused = await ask('PUT punks', { ...ANY, body: aWatchlistBody({ rules: [rule] }) });
    const elsewhere = await ask('PUT punks', {
      ...{ ...ANY, body: aWatchlistBody({ contracts, rules: [{ ...rule, on }] }) },
    });
    const taken = await ask('PUT punks', {
      ...{ ...ANY, body: aWatchlistBody({ contracts, rules: [rule] }) },
    });

    const errors = [{ pointer, detail: expect.stringContaining('a contract with a cost') }];
    expect([refused, elsewhere]).toMatchObject([
      { status: 400, body: { errors } },
      { status: 400, body: { errors } },
    ]);
    expect(taken.status).toBe(200);
  });

  it('the cost of a holding may be removed while a rule uses it, and the rule then has no watch', async () => {
    const rules = [{ id: 'profit', metric: 'gain', when: 'above', threshold: '5' }];
    const contracts = [{ contract: PUNKS, ...held }];
    const { ask } = await listWith(held);
    await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts, rules }) });

    const bare = await ask(CONTRACT, { ...at(PUNKS), ...ANY, body: {} });
    const watch = await ask('GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}', {
      path: { watchlist: 'punks', contract: PUNKS, rule: 'profit' },
    });

    expect(bare).toMatchObject({ status: 200, body: { restarted: ['profit'] } });
    expect(watch).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('add a "cost" to the contract in the list') },
    });
  });

  it('a new rule on the value of the list needs a contract with an amount', async () => {
    const { ask } = await listWith({});
    const rules = [{ metric: 'list_value', when: 'below', threshold: '100' }];
    const write = (given: object) =>
      ask('PUT punks', { ...ANY, body: aWatchlistBody({ rules, ...given }) });

    const refused = await write({});
    const taken = await write({ contracts: [{ contract: PUNKS, amount: 2 }] });

    const detail = expect.stringContaining('add "amount": 1 to the contracts');
    const errors = [{ pointer: '/rules/0/metric', detail }];
    expect(refused).toMatchObject({ status: 400, body: { errors } });
    expect(taken.status).toBe(200);
  });

  it('the value of a list with several currencies is watched only in dollars', async () => {
    const { ask } = await listWith({});
    const onPolygon = APES.replace('eth:', 'polygon:');
    const contracts = [PUNKS, onPolygon].map((contract) => ({ contract, amount: 1 }));
    const rule = { metric: 'list_value', when: 'below', threshold: '100' };
    const write = (given: object) =>
      ask('PUT punks', {
        ...ANY,
        body: aWatchlistBody({ contracts, rules: [{ ...rule, ...given }] }),
      });

    const inOwn = await write({});
    const inDollars = await write({ unit: 'usd' });

    const detail = 'expected "usd": the list holds tokens with floors in eth and pol';
    const errors = [{ pointer: '/rules/0/unit', detail: expect.stringContaining(detail) }];
    expect(inOwn).toMatchObject({ status: 400, body: { errors } });
    expect(inDollars.status).toBe(200);
  });

  it('a changed amount restarts rules on the value of the list, but a changed cost does not', async () => {
    const rules = [{ id: 'less', metric: 'list_value', when: 'below', threshold: '100' }];
    const { ask } = await listWith(held);
    const contracts = [{ contract: PUNKS, ...held }];
    await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts, rules }) });

    const dearer = await ask(CONTRACT, {
      ...at(PUNKS),
      ...ANY,
      body: { amount: 3, cost: { price: '13' } },
    });
    const bought = await ask(CONTRACT, { ...at(PUNKS), ...ANY, body: { amount: 4 } });

    expect([dearer, bought].map(({ body }) => body.restarted)).toEqual([[], ['less']]);
  });

  it('a changed holding restarts only the rules that use it', async () => {
    const gain = { id: 'profit', metric: 'gain', when: 'above', threshold: '5' };
    const low = { id: 'low', metric: 'floor_price', when: 'below', threshold: '5' };
    const contracts = [{ contract: PUNKS, ...held }];
    const { ask } = await listWith(held);
    await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts, rules: [gain, low] }) });

    const named = await ask(CONTRACT, { ...at(PUNKS), ...ANY, body: { ...held, name: 'Punks' } });
    const bought = await ask(CONTRACT, { ...at(PUNKS), ...ANY, body: { ...held, amount: 4 } });

    expect([named, bought].map(({ body }) => body.restarted)).toEqual([[], ['profit']]);
  });

  it('a dry run shows differences of a holding in words', async () => {
    const { ask } = await listWith(held);
    const contracts = [{ contract: PUNKS, cost: { price: '11' } }];

    const dry = await ask('PUT punks', {
      ...{ body: aWatchlistBody({ contracts }), query: { dryRun: 'true' } },
    });

    expect(dry.body.differences).toEqual([
      {
        ...{ part: 'contract', name: PUNKS, how: 'changed' },
        members: [
          { member: 'cost', before: 'price 12.5, unit eth', after: 'price 11, unit eth' },
          { member: 'amount', before: '3', after: null },
        ],
      },
    ]);
  });
});
