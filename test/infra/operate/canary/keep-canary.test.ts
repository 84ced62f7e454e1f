import { describe, expect, it } from 'vitest';
import { deleteWatchlist } from '#functions/serve-api/watchlists/change-watchlist.ts';
import { keepCanary } from '#infra/operate/canary/keep-canary.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { learn } from '#shared/domain/polling/rate-limiter.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { BY, own } from '#test/support/own.ts';
import { createWorld } from '#test/support/world.ts';

const CADENCE = 30;
const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:canary-of-floorwatch-prod';
const LIST = { tenant: 'floorwatch', id: 'canary' };

/** A stack, and the setup step that creates or repairs its canary. */
function aStack(given: Parameters<typeof createWorld>[0] = {}) {
  const world = createWorld({ cadenceMinutes: CADENCE, ...given });
  const { table, now } = world;
  return Object.assign(world, {
    keep: (queue: string) => keepCanary({ table, now, cadenceMinutes: CADENCE, queue }),
    list: () => world.stores.watchlists.get(LIST),
    /**
     * Lets time pass, with a tick per cadence, and returns the canary's messages with their hours
     * since the start.
     */
    live: async (milliseconds: number) => {
      const began = now();
      const came: string[] = [];
      while (now() - began < milliseconds) {
        const known = world.published.length;
        await world.tick();
        for (const { destinationId, alert } of world.published.slice(known)) {
          if (destinationId !== 'back') continue;
          came.push(`${Math.floor((now() - began) / HOUR)} h: ${alert.rule} ${alert.kind}`);
        }
        world.pass((CADENCE - 1) * MINUTE);
      }
      return came;
    },
  });
}

describe('the canary of a stack', () => {
  it('the canary alert arrives as soon as its list exists, and then each midnight', async () => {
    const stack = aStack();
    await stack.keep(QUEUE);

    // The run starts at noon.
    const came = await stack.live(3 * DAY);

    expect(came.toSorted()).toEqual([
      '0 h: low fired',
      ...['12 h: high fired', '12 h: low recovered'],
      ...['36 h: high recovered', '36 h: low fired'],
      ...['60 h: high fired', '60 h: low recovered'],
    ]);
  });

  it('the canary alert arrives even if the provider denies all calls, because the canary needs no calls', async () => {
    const stack = aStack();
    const { rateLimiter } = stack.stores;
    const { limits } = stack.ports.poll;
    const denied = { kind: 'denied', reason: 'key' } as const;
    const known = await rateLimiter.get();
    await rateLimiter.put(learn(known, 'polling', 'floor', denied, false, limits, stack.now()));
    await stack.keep(QUEUE);

    const came = await stack.live(DAY);

    expect(came.length).toBeGreaterThan(2);
    expect(stack.log.calls.filter((name) => name.startsWith('upstream.'))).toEqual([]);
  });

  it('the canary uses no budget of tenants and sends no alerts to operators', async () => {
    const stack = aStack({ operatorAlerts: 'all' });
    await stack.keep(QUEUE);
    await stack.live(DAY);

    const { contracts, stretched } = await stack.stores.cadences.cadences();
    expect([contracts, stretched]).toEqual([{}, {}]);
    expect((await stack.stores.rateLimiter.get()).spent.inDay).toEqual({
      polling: 0,
      interface: 0,
    });
    expect(new Set(stack.published.map(({ destinationId }) => destinationId))).toEqual(
      new Set(['back']),
    );
  });

  it('setup leaves a correct canary list unchanged, and repairs a changed or deleted one', async () => {
    const stack = aStack();
    await stack.keep(QUEUE);
    const made = await stack.list();

    await stack.keep(QUEUE);
    const left = await stack.list();
    await stack.keep(`${QUEUE}2`);
    const moved = await stack.list();
    await deleteWatchlist(stack.ports.manage, BY, own({ ...moved, ...LIST } as Watchlist));
    await stack.keep(QUEUE);

    expect(left).toEqual(made);
    expect(moved?.channels).toEqual([{ id: 'back', kind: 'sqs', queue: `${QUEUE}2` }]);
    expect(await stack.list()).toMatchObject({ deleted: false, channels: made?.channels });
  });

  it('the canary list appears in the audit log as a change by setup', async () => {
    const stack = aStack();
    await stack.keep(QUEUE);

    const { entries } = await stack.stores.changes.ofTenant(
      'floorwatch',
      stack.now(),
      10,
      undefined,
    );

    expect(entries).toMatchObject([
      { by: { name: 'npm run operate -- setup' }, kind: 'watchlist_created', watchlist: 'canary' },
    ]);
  });
});
