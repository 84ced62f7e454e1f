import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import {
  learn,
  newRateLimiterRecord,
  type RateLimiterRecord,
  reserve,
} from '#shared/domain/polling/rate-limiter.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const key = { pk: 'UPSTREAM', sk: 'RATE_LIMITER#nft-data' };

describe.each(ENGINES)("the rate limiter's record in a table $name", (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('returns a rate limiter without spending before the first write', async () => {
    const rateLimiter = createRateLimiterStore(await engine.createTable(), 'nft-data');

    expect(await rateLimiter.get()).toEqual(newRateLimiterRecord());
  });

  it.each([
    ['only the required members', newRateLimiterRecord()],
    ['every member', aFullRecord()],
    ['no retired operation', { ...aFullRecord(), retired: {} }],
  ])('reads back a rate limiter with %s', async (_, record) => {
    const rateLimiter = createRateLimiterStore(await engine.createTable(), 'nft-data');

    const written = await rateLimiter.put(record);

    expect(written).toStrictEqual({ ...record, version: 1 });
    expect(await rateLimiter.get()).toStrictEqual(written);
  });

  it('removes members that the writer left out of a rate limiter', async () => {
    const rateLimiter = createRateLimiterStore(await engine.createTable(), 'nft-data');
    const { version } = await rateLimiter.put(aFullRecord());

    await rateLimiter.put({ ...newRateLimiterRecord(), version });

    expect(await rateLimiter.get()).toStrictEqual({ ...newRateLimiterRecord(), version: 2 });
  });

  it('stores one rate limiter for each provider', async () => {
    const table = await engine.createTable();
    await createRateLimiterStore(table, 'nft-data').put(aFullRecord());

    expect(await createRateLimiterStore(table, 'opensea').get()).toEqual(newRateLimiterRecord());
  });

  it('rejects the second of two writers that read the same version of a rate limiter', async () => {
    const rateLimiter = createRateLimiterStore(await engine.createTable(), 'nft-data');
    const read = await rateLimiter.put(newRateLimiterRecord());
    const written = await rateLimiter.put({ ...read, nextCallAt: { polling: 1, interface: 0 } });

    await expect(
      rateLimiter.put({ ...read, nextCallAt: { polling: 2, interface: 0 } }),
    ).rejects.toThrow(VersionConflictError);
    await expect(rateLimiter.put(newRateLimiterRecord())).rejects.toThrow(VersionConflictError);

    expect(await rateLimiter.get()).toEqual(written);
  });

  it('reads, charges and updates a rate limiter that another version wrote, and keeps its unknown members', async () => {
    const table = await engine.createTable();
    const rateLimiter = createRateLimiterStore(table, 'nft-data');
    const full = omit(aFullRecord(), 'version');
    const { polling } = full.breakers;
    const spent = { inDay: { ...full.spent.inDay, preview: 7 }, inWeek: { preview: 7 } };
    const strange = {
      ...full,
      pace: { perHour: 7 },
      nextCallAt: { ...full.nextCallAt, preview: 'soon' },
      spent: { ...full.spent, ...spent },
      breakers: { polling: { ...polling, tenant: 'acme' }, preview: 'open' },
      retired: { ...full.retired, teleport: { until: NOON } },
    };
    await table.put({ ...key, ...strange, version: 1 });

    const read = await rateLimiter.get();
    const limits = someLimits();
    const now = NOON + MINUTE;
    const reserved = reserve(read, 'polling', [['floor']], limits, now);
    if (!reserved.granted) throw new Error(reserved.reason);
    await rateLimiter.put(
      learn(reserved.record, 'polling', 'floor', { kind: 'ok' }, true, limits, now),
    );

    expect(reserved.record.breakers).toMatchObject({ polling: { tenant: 'acme', probes: 3 } });
    expect(await table.get(key)).toMatchObject({
      version: 2,
      pace: strange.pace,
      nextCallAt: { preview: 'soon' },
      spent: { inDay: { polling: 5000, preview: 7 }, inWeek: { preview: 7 } },
      breakers: { preview: 'open' },
      retired: strange.retired,
    });
  });

  it.each([
    { spent: { ...aFullRecord().spent, inDay: { polling: '7', interface: 7 } } },
    { spent: { ...aFullRecord().spent, inMonth: { polling: 7 } } },
    { spent: undefined },
    { nextCallAt: 'now' },
    { breakers: { polling: { reason: 'key' } } },
    { breakers: { 'polling:floor': { reason: 'plan' } } },
    { retired: { floor: 'soon' } },
    { version: undefined },
  ])('rejects a stored rate limiter with %j', async (corruption) => {
    const table = await engine.createTable();
    const rateLimiter = createRateLimiterStore(table, 'nft-data');
    await rateLimiter.put(aFullRecord());
    await table.put({ ...(await table.get(key)), ...key, ...corruption });

    await expect(rateLimiter.get()).rejects.toThrow();
  });
});

function aFullRecord(): RateLimiterRecord {
  return {
    version: 0,
    nextCallAt: { polling: NOON + 200, interface: NOON - 3000 },
    spent: {
      day: '2026-11-21',
      inDay: { polling: 4950, interface: 50 },
      inMonth: { polling: 81_000, interface: 700 },
    },
    blockedUntil: NOON + 4000,
    slowed: { callsPerSecond: 5 / 3, at: NOON },
    breakers: {
      polling: { reason: 'quota', openedAt: NOON, probeAt: NOON + 60_000, probes: 2 },
      interface: { reason: 'key', openedAt: NOON, probeAt: NOON + 1, probes: 1 },
      'interface:traits': { reason: 'plan', openedAt: NOON, probeAt: NOON + 1, probes: 1 },
    },
    retired: { lowestprice: NOON + 1, traits: NOON + 2 },
  };
}
