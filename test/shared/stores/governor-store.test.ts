import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import {
  type GovernorRecord,
  learn,
  lease,
  newGovernorRecord,
} from '#shared/domain/polling/governor.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const key = { pk: 'UPSTREAM', sk: 'GOVERNOR#nft-data' };

describe.each(ENGINES)('the governor in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('begins with nothing spent', async () => {
    const governor = createGovernorStore(await engine.createTable(), 'nft-data');

    expect(await governor.get()).toEqual(newGovernorRecord());
  });

  it.each([
    ['the members that it always has', newGovernorRecord()],
    ['every member', aFullRecord()],
    ['no call retired', { ...aFullRecord(), retired: {} }],
  ])('is read back with %s', async (_, record) => {
    const governor = createGovernorStore(await engine.createTable(), 'nft-data');

    const written = await governor.put(record);

    expect(written).toStrictEqual({ ...record, version: 1 });
    expect(await governor.get()).toStrictEqual(written);
  });

  it('loses what the writer took away', async () => {
    const governor = createGovernorStore(await engine.createTable(), 'nft-data');
    const { version } = await governor.put(aFullRecord());

    await governor.put({ ...newGovernorRecord(), version });

    expect(await governor.get()).toStrictEqual({ ...newGovernorRecord(), version: 2 });
  });

  it('is of one provider: what was spent at another stops no call', async () => {
    const table = await engine.createTable();
    await createGovernorStore(table, 'nft-data').put(aFullRecord());

    expect(await createGovernorStore(table, 'opensea').get()).toEqual(newGovernorRecord());
  });

  it('is written by one of two writers that read the same version', async () => {
    const governor = createGovernorStore(await engine.createTable(), 'nft-data');
    const read = await governor.put(newGovernorRecord());
    const written = await governor.put({ ...read, nextSlotAt: { polling: 1, interface: 0 } });

    await expect(
      governor.put({ ...read, nextSlotAt: { polling: 2, interface: 0 } }),
    ).rejects.toThrow(VersionConflictError);
    await expect(governor.put(newGovernorRecord())).rejects.toThrow(VersionConflictError);

    expect(await governor.get()).toEqual(written);
  });

  it('is read and led by this version with members of another, which it keeps', async () => {
    const table = await engine.createTable();
    const governor = createGovernorStore(table, 'nft-data');
    const full = omit(aFullRecord(), 'version');
    const { polling } = full.breakers;
    const spent = { inDay: { ...full.spent.inDay, preview: 7 }, inWeek: { preview: 7 } };
    const strange = {
      ...full,
      pace: { perHour: 7 },
      nextSlotAt: { ...full.nextSlotAt, preview: 'soon' },
      spent: { ...full.spent, ...spent },
      breakers: { polling: { ...polling, tenant: 'acme' }, preview: 'open' },
      retired: { ...full.retired, teleport: { until: NOON } },
    };
    await table.put({ ...key, ...strange, version: 1 });

    const read = await governor.get();
    const limits = someLimits();
    const now = NOON + MINUTE;
    const leased = lease(read, 'polling', [['floor']], limits, now);
    if (!leased.granted) throw new Error(leased.reason);
    await governor.put(learn(leased.record, 'polling', 'floor', { kind: 'ok' }, true, limits, now));

    expect(leased.record.breakers).toMatchObject({ polling: { tenant: 'acme', probes: 3 } });
    expect(await table.get(key)).toMatchObject({
      version: 2,
      pace: strange.pace,
      nextSlotAt: { preview: 'soon' },
      spent: { inDay: { polling: 5000, preview: 7 }, inWeek: { preview: 7 } },
      breakers: { preview: 'open' },
      retired: strange.retired,
    });
  });

  it.each([
    { spent: { ...aFullRecord().spent, inDay: { polling: '7', interface: 7 } } },
    { spent: { ...aFullRecord().spent, inMonth: { polling: 7 } } },
    { spent: undefined },
    { nextSlotAt: 'now' },
    { breakers: { polling: { reason: 'key' } } },
    { breakers: { 'polling:floor': { reason: 'plan' } } },
    { retired: { floor: 'soon' } },
    { version: undefined },
  ])('with %j is never half-read', async (corruption) => {
    const table = await engine.createTable();
    const governor = createGovernorStore(table, 'nft-data');
    await governor.put(aFullRecord());
    await table.put({ ...(await table.get(key)), ...key, ...corruption });

    await expect(governor.get()).rejects.toThrow();
  });
});

function aFullRecord(): GovernorRecord {
  return {
    version: 0,
    nextSlotAt: { polling: NOON + 200, interface: NOON - 3000 },
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
