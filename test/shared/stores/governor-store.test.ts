import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GovernorRecord, newGovernorRecord } from '#shared/domain/polling/governor.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { NOON } from '#test/support/builders.ts';
import { EMBEDDED_ENGINES } from '#test/support/tables.ts';

const key = { pk: 'UPSTREAM', sk: 'GOVERNOR' };

describe.each(EMBEDDED_ENGINES)('the governor in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('begins with nothing spent', async () => {
    const governor = createGovernorStore(await engine.createTable());

    expect(await governor.get()).toEqual(newGovernorRecord());
  });

  it.each([
    ['the members that it always has', newGovernorRecord()],
    ['every member', aFullRecord()],
    ['no call retired', { ...aFullRecord(), retired: {} }],
  ])('is read back with %s', async (_, record) => {
    const governor = createGovernorStore(await engine.createTable());

    const written = await governor.put(record);

    expect(written).toStrictEqual({ ...record, version: 1 });
    expect(await governor.get()).toStrictEqual(written);
  });

  it('loses what the writer took away', async () => {
    const governor = createGovernorStore(await engine.createTable());
    const { version } = await governor.put(aFullRecord());

    await governor.put({ ...newGovernorRecord(), version });

    expect(await governor.get()).toStrictEqual({ ...newGovernorRecord(), version: 2 });
  });

  it('is written by one of two who read the same version', async () => {
    const governor = createGovernorStore(await engine.createTable());
    const read = await governor.put(newGovernorRecord());
    const written = await governor.put({ ...read, nextSlotAt: { polling: 1, interface: 0 } });

    await expect(
      governor.put({ ...read, nextSlotAt: { polling: 2, interface: 0 } }),
    ).rejects.toThrow(VersionConflictError);
    await expect(governor.put(newGovernorRecord())).rejects.toThrow(VersionConflictError);

    expect(await governor.get()).toEqual(written);
  });

  it('knows the cadence that was noted last, apart from its record', async () => {
    const governor = createGovernorStore(await engine.createTable());

    const before = await governor.cadence();
    await governor.noteCadence(30);
    await governor.noteCadence(47.5);

    expect([before, await governor.cadence()]).toEqual([undefined, 47.5]);
    expect(await governor.get()).toEqual(newGovernorRecord());
  });

  it.each([
    { spent: { ...aFullRecord().spent, inDay: { polling: '7', interface: 7 } } },
    { spent: { ...aFullRecord().spent, inMonth: { polling: 7 } } },
    { spent: undefined },
    { nextSlotAt: 'now' },
    { breakers: { polling: { reason: 'key' } } },
    { retired: { teleport: NOON } },
    { version: undefined },
  ])('with %j is never half-read', async (corruption) => {
    const table = await engine.createTable();
    const governor = createGovernorStore(table);
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
    },
    retired: { lowestprice: NOON + 1, traits: NOON + 2 },
  };
}
