import { describe, expect, it } from 'vitest';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import { APES, eth, PUNKS } from '#test/support/builders.ts';
import { casesOf, placesIn } from '#test/support/extent.ts';
import { createWorld, type World } from '#test/support/world.ts';

const WALLET = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const MINE = { tenant: 'acme', id: 'mine' };
const BIRDS = contract(3);

function contract(number: number): ContractKey {
  return `eth:0x${number.toString(16).padStart(40, '0')}`;
}

const held = (...contracts: readonly ContractKey[]): WalletRead => ({
  kind: 'ok',
  holdings: {
    collections: contracts.map((one) => ({ contract: one, name: NAMES.get(one) ?? one.slice(-4) })),
    others: 0,
    isCut: false,
  },
});
const NAMES = new Map([
  [APES, 'Apes'],
  [PUNKS, 'Punks'],
  [BIRDS, 'Birds'],
]);

const LOW = { id: 'low', metric: 'floor_price', when: 'below', threshold: '10' } as const;

/** A list with a wallet, in a stack whose first minute has passed. */
async function stack(wallet: WalletRead, body: object = {}) {
  const world = createWorld({ cadenceMinutes: 30 });
  world.answers.wallet = () => wallet;
  await write(world, body);
  await world.tick();
  return world;
}

const write = (world: World, body: object = {}) =>
  world.putList({ id: 'mine', name: 'Mine', wallet: WALLET, rules: [LOW], ...body });

const members = async (world: World) => {
  const list = await world.stores.watchlists.get(MINE);
  return list?.members.map(({ contract: key }) => key);
};
/** The titles of distinct messages. */
const news = (world: World) => {
  const said = world.published.filter(({ alert }) => alert.kind === 'members');
  return [...new Map(said.map(({ alert }) => [alert.id, alert.title])).values()];
};
const passes = async (world: World, time: number) => {
  world.pass(time);
  await world.tick();
};

describe('the collections of a wallet', () => {
  it('collections of a wallet join its list as soon as the provider reports them, and rules apply to them', async () => {
    const world = await stack(held(APES, PUNKS));

    expect(await members(world)).toEqual([APES, PUNKS]);
    expect(news(world)).toEqual(['Watchlist "mine": 2 collections added']);
    const watches = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, APES);
    expect(watches).toMatchObject([{ rule: 'low', presentation: { name: 'Apes' } }]);
  });

  it('collections of a wallet are updated once a day, with one message about additions and removals', async () => {
    const world = await stack(held(APES, PUNKS));

    world.answers.wallet = () => held(PUNKS, BIRDS);
    await passes(world, DAY - 2 * MINUTE);
    const early = await members(world);
    await passes(world, 2 * MINUTE);
    await passes(world, DAY + MINUTE);

    expect(early).toEqual([APES, PUNKS]);
    expect(await members(world)).toEqual([PUNKS, BIRDS]);
    expect(news(world)).toEqual([
      'Watchlist "mine": 2 collections added',
      'Watchlist "mine": 1 collection added, 1 collection removed',
    ]);
    const facts = world.published.findLast(({ alert }) => alert.kind === 'members')?.alert.facts;
    expect(facts).toEqual([
      { name: 'Added', value: 'Birds' },
      { name: 'Removed', value: 'Apes' },
      { name: 'Wallet', value: WALLET },
    ]);
  });

  it('collections of a wallet have the number of held tokens, and a changed number sends no message', async () => {
    const amountOf = (amount?: number): WalletRead => ({
      kind: 'ok',
      holdings: {
        collections: [{ contract: APES, name: 'Apes', ...defined({ amount }) }],
        ...{ others: 0, isCut: false },
      },
    });
    const world = await stack(amountOf(2));
    const held: unknown[] = [];
    const note = async () => {
      const list = await world.stores.watchlists.get(MINE);
      held.push(list?.members.map(({ amount, holdingSince }) => ({ amount, holdingSince })));
    };
    await note();

    for (const amount of [3, 3, 9_000_000, undefined]) {
      world.answers.wallet = () => amountOf(amount);
      await passes(world, DAY + MINUTE);
      await note();
    }

    expect(held).toEqual([
      [{ amount: 2, holdingSince: undefined }],
      [{ amount: 3, holdingSince: 3 }],
      [{ amount: 3, holdingSince: 3 }],
      [{ amount: 1_000_000, holdingSince: 4 }],
      [{ amount: undefined, holdingSince: 5 }],
    ]);
    expect(news(world)).toEqual(['Watchlist "mine": 1 collection added']);
  });

  it('when a collection leaves the wallet, its episodes are closed, and it sends no further alerts', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    world.answers.floor = (_contract, now) => ({
      kind: 'ok',
      value: [{ time: now, price: eth('9'), currency: 'eth', marketplaces: [] }],
    });
    world.answers.wallet = () => held(APES, PUNKS);
    await write(world);
    for (let minute = 0; minute < 3; minute += 1) await world.tick();

    world.answers.wallet = () => held(PUNKS);
    await passes(world, DAY);
    for (let minute = 0; minute < 3; minute += 1) await world.tick();

    const ofApes = world.published
      .filter(
        ({ destinationId, alert }) => destinationId === 'stack-topic' && alert.contract === APES,
      )
      .map(({ alert }) => alert.kind);
    expect(ofApes).toEqual(['fired', 'closed']);
  });

  it('contracts that a person added remain, even if the wallet loses them', async () => {
    const world = await stack(held(APES, PUNKS), { contracts: [APES] });

    world.answers.wallet = () => held(PUNKS);
    await passes(world, DAY);

    expect(await members(world)).toEqual([APES, PUNKS]);
    expect(news(world)).toEqual(['Watchlist "mine": 1 collection added']);
  });

  it('collections of a wallet remain when the list is edited, and leave when the wallet is removed', async () => {
    const world = await stack(held(APES, PUNKS));

    await write(world, { contracts: [BIRDS], name: 'Other' });
    const edited = await members(world);
    await write(world, { contracts: [BIRDS], wallet: undefined });
    const after = await members(world);
    await passes(world, 2 * DAY);

    expect([edited, after]).toEqual([[BIRDS, APES, PUNKS], [BIRDS]]);
    expect(await world.stores.jobs.get(MINE, { kind: 'wallet' })).toBeUndefined();
  });

  it('the collections of a new wallet replace those of the old wallet', async () => {
    const world = await stack(held(APES));

    world.answers.wallet = (address) => (address === WALLET ? held(APES) : held(BIRDS));
    await write(world, { wallet: `0x${'1'.repeat(40)}` });
    await world.tick();

    expect(await members(world)).toEqual([BIRDS]);
  });

  it('collections of a wallet remain if the provider throttles the request, and are requested again an hour later', async () => {
    const world = await stack(held(APES));

    world.answers.wallet = () => ({ kind: 'throttled' });
    await passes(world, DAY);
    world.answers.wallet = () => held(APES, BIRDS);
    await passes(world, 50 * MINUTE);
    const early = await members(world);
    await passes(world, 10 * MINUTE);

    expect([early, await members(world)]).toEqual([[APES], [APES, BIRDS]]);
    expect(world.reports).toContainEqual({
      event: 'wallet_not_read',
      fields: { tenant: 'acme', list: 'mine', wallet: WALLET, why: 'throttled' },
    });
  });

  it('an empty answer removes the collections of a wallet only if the answer a day later is empty too', async () => {
    const world = await stack(held(APES, PUNKS));

    world.answers.wallet = () => held();
    await passes(world, DAY);
    for (let hour = 1; hour <= 23; hour += 1) await passes(world, HOUR);
    const doubted = await members(world);
    await passes(world, HOUR);

    expect([doubted, await members(world)]).toEqual([[APES, PUNKS], []]);
    expect(news(world)).toContain('Watchlist "mine": 2 collections removed');
  });

  it('collections of a wallet remain if they are reported again after an empty answer', async () => {
    const world = await stack(held(APES));

    world.answers.wallet = () => held();
    await passes(world, DAY);
    world.answers.wallet = () => held(APES);
    await passes(world, HOUR);
    world.answers.wallet = () => held();
    await passes(world, DAY);
    await passes(world, HOUR);

    expect(await members(world)).toEqual([APES]);
  });

  it('an answer that lacks most collections of a wallet removes them only if the next answer lacks them too', async () => {
    const world = await stack(held(APES, PUNKS, BIRDS));

    world.answers.wallet = () => held(BIRDS);
    await passes(world, DAY);
    const doubted = await members(world);
    await passes(world, HOUR);

    expect([doubted, await members(world)]).toEqual([[APES, PUNKS, BIRDS], [BIRDS]]);
  });

  it('collections of a wallet are not removed if the answer was truncated', async () => {
    const world = await stack(held(APES, PUNKS));

    world.answers.wallet = () => {
      const read = held(BIRDS);
      return read.kind === 'ok' ? { ...read, holdings: { ...read.holdings, isCut: true } } : read;
    };
    await passes(world, DAY);

    expect(await members(world)).toEqual([APES, PUNKS, BIRDS]);
  });

  it('the audit log names the wallet as the author of its changes', async () => {
    const world = await stack(held(APES));

    const { entries } = await world.stores.changes.ofTenant('acme', world.now(), 10, undefined);

    expect(entries[0]).toMatchObject({
      by: { id: 'wallet', name: WALLET },
      kind: 'watchlist_changed',
      revision: 2,
      edit: { contracts: { added: [APES], changed: [], removed: [] } },
    });
  });

  it('collections of a wallet are added and reported once, even if a run crashes at any call', async () => {
    const { calls } = (await stack(held(APES, PUNKS))).log;
    for (const call of casesOf(placesIn(calls), 20)) {
      const world = createWorld({ cadenceMinutes: 30 });
      world.answers.wallet = () => held(APES, PUNKS);
      world.log.killAfter = call;
      await write(world);
      for (let minute = 0; minute < 5; minute += 1) await world.tick();

      expect([call, await members(world), news(world)]).toEqual([
        call,
        [APES, PUNKS],
        ['Watchlist "mine": 2 collections added'],
      ]);
    }
  });
});
