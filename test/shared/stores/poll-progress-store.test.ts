import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const FIRST: PollProgress = { version: 0, tickedAt: NOON, polledUntil: 7, again: [PUNKS] };
const CLAIMED: PollProgress = {
  ...{ ...FIRST, claim: { until: 8, expiresAt: NOON + MINUTE }, fallback: 'alchemy' },
  spending: { day: '2026-11-21', inDay: new Map([['acme', 1.5]]), inMonth: new Map([['acme', 2]]) },
};

describe.each(ENGINES)('the progress of polls in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  const stores = async () => {
    const table = await engine.createTable();
    const rateLimiter = createRateLimiterStore(table, 'alchemy');
    return { table, rateLimiter, progress: createPollProgressStore(table) };
  };

  it('returns no poll progress before the first write, and the written progress afterwards', async () => {
    const { progress } = await stores();

    const before = await progress.get();
    const written = await progress.put(CLAIMED);

    expect(before).toBeUndefined();
    expect(written).toEqual({ ...CLAIMED, version: 1 });
    expect(await progress.get()).toEqual(written);
  });

  it('rejects the second of two passes that read the same version of the progress', async () => {
    const { progress } = await stores();
    const read = await progress.put(FIRST);
    const written = await progress.put({ ...read, polledUntil: 8 });

    await expect(progress.put({ ...read, polledUntil: 9 })).rejects.toThrow(VersionConflictError);

    expect(await progress.get()).toEqual(written);
  });

  it('writes the progress of polls and the charge of the rate limiter together or not at all', async () => {
    const { progress, rateLimiter } = await stores();
    const charged = { ...newRateLimiterRecord(), nextCallAt: { polling: NOON, interface: 0 } };
    const charge = { provider: 'alchemy', rateLimiter: charged } as const;

    const claimed = await progress.put(CLAIMED, charge);
    const late = progress.put({ ...claimed, polledUntil: 9 }, charge);
    await expect(late).rejects.toThrow(VersionConflictError);

    expect(await progress.get()).toEqual(claimed);
    expect(await rateLimiter.get()).toEqual({ ...charged, version: 1 });
  });

  it('rejects corrupt progress of polls', async () => {
    const { table, progress } = await stores();
    const corrupt = { version: 1, tickedAt: NOON, polledUntil: 'noon', again: [] };
    await table.put({ pk: 'DISPATCH#0', sk: 'PROGRESS', ...corrupt });

    await expect(progress.get()).rejects.toThrow();
  });
});
