import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { ENGINES } from '#test/support/engines.ts';

describe.each(ENGINES)('cadences in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('returns the cadences that were stored last', async () => {
    const store = createCadenceStore(await engine.createTable());

    const before = await store.cadences();
    const contracts = { acme: 20.5, umbrella: 3 };
    const pace = { minutes: 240, twiceFrom: '2026-11-21T12:00:00.000Z eth:0x1' };
    await store.noteCadences({
      stretched: { acme: { minutes: 60 }, umbrella: { minutes: 120 } },
      contracts,
    });
    await store.noteCadences({ stretched: { acme: pace }, capacity: 33, contracts });

    expect([before, await store.cadences()]).toEqual([
      { stretched: {}, contracts: {} },
      { stretched: { acme: pace }, capacity: 33, contracts },
    ]);
  });
});
