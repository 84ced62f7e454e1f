import { expect, it } from 'vitest';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';
import { world } from './world.ts';

const rules = [{ metric: 'floor_price', when: 'below', threshold: '60' }];

it('usage reports the resources and requests of a tenant, with their limits', async () => {
  const { ask, table } = world();
  await ask('POST ', { body: { name: 'Punks', contracts: [PUNKS, APES], rules } });
  await ask('POST ', { body: { name: 'Apes', contracts: [APES], rules } });
  await createUsageStore(table, 'api').put('acme', { version: 0, usedUntil: NOON + 30_000 });

  const { status, body } = await ask('GET /v1/usage');

  expect([status, body]).toEqual([
    200,
    {
      watchlists: { used: 2, limit: 100 },
      contracts: { used: 3, limit: 5000 },
      watches: { used: 3, limit: 100_000 },
      requests: {
        api: { unitsPerMinute: 1200, left: 600, allAt: '2026-11-21T12:00:30.000Z' },
        nftData: { unitsPerMinute: 600, left: 600, allAt: '2026-11-21T12:00:00.000Z' },
      },
    },
  ]);
});

it('usage does not include other tenants', async () => {
  const { ask } = world();
  await ask('POST ', { body: { name: 'Punks', contracts: [PUNKS], rules } });

  const { body } = await ask('GET /v1/usage', { tenant: 'other' });

  expect(body).toMatchObject({ watchlists: { used: 0 }, contracts: { used: 0 } });
});
