import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { ENGINES } from '#test/support/engines.ts';

describe.each(ENGINES)('the cadences in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('are those that were noted last', async () => {
    const store = createCadenceStore(await engine.createTable());

    const before = await store.cadences();
    const contracts = { acme: 20.5, umbrella: 3 };
    await store.noteCadences({ stretched: { acme: 60, umbrella: 120 }, contracts });
    await store.noteCadences({ stretched: { acme: 240 }, capacity: 33, contracts });

    expect([before, await store.cadences()]).toEqual([
      { stretched: {}, contracts: {} },
      { stretched: { acme: 240 }, capacity: 33, contracts },
    ]);
  });
});
