import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const FIRST: PollProgress = { version: 0, tickedAt: NOON, polledUntil: 7, again: [PUNKS] };
const CLAIMED: PollProgress = {
  ...{ ...FIRST, claim: { until: 8, expiresAt: NOON + MINUTE }, standsIn: 'alchemy' },
  spending: { day: '2026-11-21', inDay: new Map([['acme', 1.5]]), inMonth: new Map([['acme', 2]]) },
};

describe.each(ENGINES)('progress of polls in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  const stores = async () => {
    const table = await engine.createTable();
    const governor = createGovernorStore(table, 'alchemy');
    return { table, governor, progress: createPollProgressStore(table) };
  };

  it('is nothing at first, then what was written', async () => {
    const { progress } = await stores();

    const before = await progress.get();
    const written = await progress.put(CLAIMED);

    expect(before).toBeUndefined();
    expect(written).toEqual({ ...CLAIMED, version: 1 });
    expect(await progress.get()).toEqual(written);
  });

  it('is written by one of two passes that have read the same version', async () => {
    const { progress } = await stores();
    const read = await progress.put(FIRST);
    const written = await progress.put({ ...read, polledUntil: 8 });

    await expect(progress.put({ ...read, polledUntil: 9 })).rejects.toThrow(VersionConflictError);

    expect(await progress.get()).toEqual(written);
  });

  it('is claimed together with the charge, or not at all', async () => {
    const { progress, governor } = await stores();
    const charged = { ...newGovernorRecord(), nextSlotAt: { polling: NOON, interface: 0 } };
    const charge = { provider: 'alchemy', governor: charged } as const;

    const claimed = await progress.put(CLAIMED, charge);
    const late = progress.put({ ...claimed, polledUntil: 9 }, charge);
    await expect(late).rejects.toThrow(VersionConflictError);

    expect(await progress.get()).toEqual(claimed);
    expect(await governor.get()).toEqual({ ...charged, version: 1 });
  });

  it('that is corrupt is never half-read', async () => {
    const { table, progress } = await stores();
    const corrupt = { version: 1, tickedAt: NOON, polledUntil: 'noon', again: [] };
    await table.put({ pk: 'DISPATCH#0', sk: 'PROGRESS', ...corrupt });

    await expect(progress.get()).rejects.toThrow();
  });
});
