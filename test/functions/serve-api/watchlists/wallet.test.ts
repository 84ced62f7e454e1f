import { describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import { APES, aWatchlistBody, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const WALLET = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const OTHER = `0x${'1'.repeat(40)}`;
const BIRDS = `eth:0x${'3'.repeat(40)}` as const;

const held = (...contracts: readonly ContractKey[]): WalletRead => ({
  kind: 'ok',
  holdings: {
    collections: contracts.map((contract) => ({ contract, name: contract.slice(0, 10) })),
    others: 0,
    isCut: false,
  },
});

/**
 * A stack whose provider returns this answer for any wallet. `asked` lists the requested wallets.
 */
function stack(answer: WalletRead = held(APES, BIRDS)) {
  const asked: string[] = [];
  const made = world({
    readWallet: async (_tenant, wallet) => {
      asked.push(wallet);
      return answer;
    },
  });
  return { ...made, asked };
}

const body = (given: object = {}) => ({ body: aWatchlistBody({ wallet: WALLET, ...given }) });
const apes = { contract: APES, name: APES.slice(0, 10), by: 'wallet' };
const birds = { contract: BIRDS, name: BIRDS.slice(0, 10), by: 'wallet' };

describe('a list with a wallet', () => {
  it('GET of a list with a wallet returns the contracts that a person added, and then the collections of the wallet', async () => {
    const { ask, sent } = stack();

    const made = await ask('POST', body());
    const read = await ask('GET punks');

    expect(made).toMatchObject({
      status: 201,
      body: {
        wallet: WALLET,
        walletStatus: { pending: false, leftOut: 0 },
        contracts: [{ contract: PUNKS }, apes, birds],
        forecast: { warnings: [] },
      },
    });
    expect(read.body.contracts).toEqual([{ contract: PUNKS }, apes, birds]);
    expect(sent.map(({ message }) => message)).not.toContainEqual({
      ...{ list: { tenant: 'acme', id: 'punks' }, target: { kind: 'wallet' } },
    });
  });

  it.each([
    ['the provider throttles the call', { kind: 'throttled' }],
    ['the provider fails', { kind: 'failed', reason: 'timeout' }],
    ['the rate limiter permits no call', { kind: 'no_capacity', until: 0 }],
    ['the share of the tenant is used up', { kind: 'share_used_up', retryAfterSeconds: 9 }],
  ] as const)(
    'a list with a wallet is created even if %s, and receives the collections later',
    async (_name, answer) => {
      const { ask, sent } = stack(answer);

      const made = await ask('POST', body());

      expect(made).toMatchObject({
        status: 201,
        body: { walletStatus: { pending: true }, contracts: [{ contract: PUNKS }] },
      });
      expect(made.body.forecast.warnings).toEqual([
        {
          rule: null,
          contract: null,
          text: expect.stringContaining('are added as soon as it does'),
        },
      ]);
      expect(sent.map(({ message }) => message)).toContainEqual({
        ...{ list: { tenant: 'acme', id: 'punks' }, target: { kind: 'wallet' } },
      });
    },
  );

  it('a wallet is refused if the provider does not support wallets', async () => {
    const { ask, table } = stack({ kind: 'unsupported', reason: 'retired' });

    const refused = await ask('POST', body());

    expect(refused).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/wallet',
            detail: expect.stringContaining('list the contracts in "contracts" instead'),
          },
        ],
      },
    });
    expect(table.items()).toEqual([]);
  });

  it.each([
    ['vitalik.eth', 'names such as vitalik.eth are not resolved'],
    [`eth:${WALLET}`, `did you mean "${WALLET}"?`],
    ['0x12', '0x and 40 hex digits'],
  ])('a wallet is refused if it is given as %s', async (wallet, hint) => {
    const { ask, asked } = stack();

    const refused = await ask('POST', body({ wallet }));

    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/wallet', detail: expect.stringContaining(hint) }] },
    });
    expect(asked).toEqual([]);
  });

  it('a list warns if its wallet holds no collections', async () => {
    const { ask } = stack(held());

    const made = await ask('POST', body({ contracts: [] }));

    expect(made.body).toMatchObject({
      contracts: [],
      forecast: { warnings: [{ text: expect.stringContaining('holds no collections') }] },
    });
  });

  it('collections of a wallet join a list up to its limit, and the list reports how many were left out', async () => {
    const many = Array.from(
      { length: LIMITS.watchlist.contracts + 2 },
      (_, index): ContractKey => `eth:0x${(index + 1).toString(16).padStart(40, '0')}`,
    );
    const flow: ContractKey = `flow:0x${'5'.repeat(40)}`;
    const { ask } = stack(held(flow, ...many));

    const made = await ask('POST', body({ rules: [] }));

    expect(made.body.contracts).toHaveLength(LIMITS.watchlist.contracts);
    expect(made.body.walletStatus.leftOut).toBe(4);
    expect(made.body.forecast.warnings).toEqual([
      { rule: null, contract: null, text: expect.stringContaining('4 collections') },
    ]);
  });

  it('a PUT with the same wallet keeps its collections without reading the wallet again', async () => {
    const { ask, asked } = stack();
    await ask('POST', body());

    const same = await ask('PUT punks', { ...ANY, ...body() });
    const more = await ask('PUT punks', { ...ANY, ...body({ contracts: [APES] }) });

    expect(same.body).toMatchObject({ revision: 1, contracts: [{ contract: PUNKS }, apes, birds] });
    expect(more.body).toMatchObject({ revision: 2, contracts: [{ contract: APES }, birds] });
    expect(asked).toEqual([WALLET]);
  });

  it('a PUT that repeats the returned contracts does not turn collections of the wallet into contracts of the owner', async () => {
    const { ask } = stack();
    const made = await ask('POST', body());

    const { contracts } = made.body;
    const same = await ask('PUT punks', { ...ANY, ...body({ contracts }) });
    const without = await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts }) });

    expect(same.body).toMatchObject({ revision: 1, contracts });
    expect(without.body.contracts).toEqual([{ contract: PUNKS }]);
  });

  it('when the wallet of a list changes, its collections are replaced by those of the new wallet', async () => {
    const { ask, asked } = stack();
    await ask('POST', body());

    const without = await ask('PUT punks', { ...ANY, body: aWatchlistBody() });
    const other = await ask('PUT punks', { ...ANY, ...body({ wallet: OTHER }) });

    expect(without.body).toMatchObject({ walletStatus: null, contracts: [{ contract: PUNKS }] });
    expect(without.body).not.toHaveProperty('wallet');
    expect(other.body).toMatchObject({ wallet: OTHER, contracts: [{}, apes, birds] });
    expect(asked).toEqual([WALLET, OTHER]);
  });

  it('an export contains the wallet, and only the contracts that people added', async () => {
    const { ask } = stack();
    await ask('POST', body());

    const { body: exported } = await ask('GET punks/export');
    const again = await ask('PUT punks', { ...ANY, body: exported });
    const copy = await ask('POST', { body: { ...exported, id: 'copy' } });

    expect(exported).toMatchObject({ wallet: WALLET, contracts: [{ contract: PUNKS }] });
    expect(again.body.revision).toBe(1);
    expect(copy.body.contracts).toEqual([{ contract: PUNKS }, apes, birds]);
  });

  it('collections of a wallet can be read one at a time, but not deleted', async () => {
    const { ask } = stack();
    await ask('POST', body());

    const all = await ask('GET punks/contracts');
    const one = await ask('GET /v1/watchlists/{watchlist}/contracts/{contract}', {
      path: { watchlist: 'punks', contract: APES },
    });
    const refused = await ask('DELETE /v1/watchlists/{watchlist}/contracts/{contract}', {
      ...ANY,
      path: { watchlist: 'punks', contract: APES },
    });

    expect(all.body.contracts).toEqual([{ contract: PUNKS }, apes, birds]);
    expect(one.body.contract).toEqual(apes);
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(WALLET) },
    });
  });

  it('a collection of the wallet that a person adds is kept, and a change of rules keeps the other collections', async () => {
    const { ask } = stack();
    await ask('POST', body());

    const added = await ask('POST punks/contracts', { ...ANY, body: { contract: APES } });
    const rule = { metric: 'floor_price', when: 'above', threshold: '90' };
    await ask('POST punks/rules', { ...ANY, body: rule });
    const read = await ask('GET punks');

    expect(added.status).toBe(201);
    expect(read.body.contracts).toEqual([{ contract: PUNKS }, { contract: APES }, birds]);
  });

  it('a dry run reports the collections of a wallet, and writes nothing', async () => {
    const { ask, table } = stack();

    const tried = await ask('PUT punks', { ...body(), query: { dryRun: 'true' } });

    expect(tried.body.edit).toMatchObject({
      wallet: { address: WALLET, leftOut: 0 },
      contracts: { added: [PUNKS, APES, BIRDS] },
    });
    expect(table.items()).toEqual([]);
  });
});
