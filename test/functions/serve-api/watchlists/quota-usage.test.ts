import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManageWatchlistsPorts } from '#functions/serve-api/watchlists/ports.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { listUsageOf } from '#shared/domain/watchlists/quota-usage.ts';
import { aRuleBody } from '#test/support/builders.ts';
import { runsOf } from '#test/support/extent.ts';
import { ANY, world } from './world.ts';

const MOST = LIMITS.tenant.watchlists;

const contractsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `eth:0x${index.toString(16).padStart(40, '0')}`);

/** A tenant with this number of lists. */
async function withLists(count: number, given: Partial<ManageWatchlistsPorts> = {}) {
  const made = world(given);
  for (let index = 0; index < count; index += 1) {
    await made.ask('POST', { body: { id: `list-${index}`, name: 'One of many' } });
  }
  const create = (id: string) => made.ask('POST', { body: { id, name: 'One more' } });
  return { ...made, create };
}

describe('the lists of a tenant', () => {
  it('the limit of lists holds under concurrent creations', async () => {
    const { create, ask } = await withLists(MOST - 5);

    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create(`new-${index}`)),
    );

    const { body } = await ask('GET', { query: { limit: '100' } });
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(body.watchlists).toHaveLength(MOST);
    for (const { status, body: problem } of answers.filter(({ status }) => status !== 201)) {
      expect([status, problem.type]).toEqual([409, 'urn:floorwatch:problem:quota_exceeded']);
      expect(problem.detail).toContain(`at most ${MOST} watchlists`);
    }
  });

  it('a list over the limit is refused without a write, and accepted once another list is deleted', async () => {
    const { create, ask, table, sent } = await withLists(MOST);
    const [before, messages] = [table.items(), sent.length];

    const refused = await create('new');
    const [after, said] = [table.items(), sent.length];
    await ask('DELETE list-7', ANY);
    const made = [await create('new'), await create('list-7')];

    expect([refused.status, after, said]).toEqual([409, before, messages]);
    expect(made.map(({ status }) => status)).toEqual([201, 409]);
  });

  it('a tenant at the limit may still change a list', async () => {
    const { ask } = await withLists(MOST);

    const put = await ask('PUT list-3', { ...ANY, body: { name: 'Others' } });

    expect(put.status).toBe(200);
  });

  it('the limit of lists is counted for each tenant separately', async () => {
    const { ask } = await withLists(MOST);

    const theirs = await ask('POST', { body: { name: 'Theirs' }, tenant: 'umbrella' });

    expect(theirs.status).toBe(201);
  });
});

it.each([
  { what: 'contracts', lists: 10, contracts: 500, rules: 0, one: 1 },
  { what: 'watches', lists: 10, contracts: 400, rules: 25, one: 1 },
])(
  'the total number of $what on all lists of a tenant is limited',
  async ({ what, lists, contracts, rules, one }) => {
    const { ask, table } = await withLists(0);
    const body = (count: number) => ({
      name: 'Large',
      contracts: contractsOf(count),
      rules: Array.from({ length: rules }, (_, index) => aRuleBody({ id: `rule-${index}` })),
    });
    const statuses: number[] = [];
    for (let index = 0; index < lists; index += 1) {
      statuses.push((await ask(`PUT list-${index}`, { body: body(contracts) })).status);
    }
    const before = table.items();

    const refused = await ask('PUT more', { body: body(one) });

    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(refused.body.detail).toMatch(new RegExp(`at most \\d+ ${what} in a tenant, found \\d+`));
    expect(table.items()).toEqual(before);
  },
);

it('the counted usage equals the contents of the lists after events in any order', async () => {
  const change = fc.record({
    list: fc.constantFrom('a', 'b'),
    contracts: fc.option(fc.nat({ max: 3 })),
    isKnown: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(change, { minLength: 2, maxLength: 5 }),
      async (scheduler, changes) => {
        const { ports, watchlists, quotaUsage } = world();
        const { getQuotaUsage, getWatchlist, commitChange } = ports;
        const turn = scheduler.scheduleFunction(async () => {});
        const inTurn =
          <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
          async (...args: Args) => {
            await turn();
            return await call(...args);
          };
        const { ask } = world({
          ...ports,
          getQuotaUsage: inTurn(getQuotaUsage),
          getWatchlist: inTurn(getWatchlist),
          commitChange: inTurn(commitChange),
        });
        const check = async () => {
          const { lists } = await quotaUsage.get('acme');
          for (const id of ['a', 'b']) {
            const list = await watchlists.get({ tenant: 'acme', id });
            const kept = lists.find((listUsage) => listUsage.list === id);
            expect(kept).toEqual(listUsageOf(list));
          }
        };

        const done = Promise.all(
          changes.map(({ list, contracts, isKnown }) =>
            contracts === null
              ? ask(`DELETE ${list}`, ANY)
              : ask(`PUT ${list}`, {
                  ...(isKnown ? ANY : {}),
                  body: { name: 'x', contracts: contractsOf(contracts) },
                }),
          ),
        );
        let isDone = false;
        const ended = done.finally(() => {
          isDone = true;
        });
        while (!isDone) {
          // Pending work may schedule its next task in the meantime.
          if (scheduler.count() === 0) await setImmediate();
          else await scheduler.waitNext(1);
          await check();
        }
        await ended;
      },
    ),
    runsOf(150),
  );
});
