import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { ChangeJob, ChangeTarget } from '#shared/domain/watchlists/change-job.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const list = { tenant: 'acme', id: 'punks' };
const targets: readonly ChangeTarget[] = [
  { kind: 'contract', contract: PUNKS },
  { kind: 'topic' },
  { kind: 'mutes' },
  { kind: 'expiry', rule: 'floor-60', end: 3 },
];

describe.each(ENGINES)('change jobs in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each(targets)('are read back of kind $kind', async (target) => {
    const jobs = createChangeJobStore(await engine.createTable());
    const job = aJob({ target });

    await jobs.put(job);

    expect(await jobs.get(list, target)).toStrictEqual(job);
  });

  it('stand beside each other, of every kind and list', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const all = [
      ...targets.map((target, version) => aJob({ target, version })),
      aJob({ target: { kind: 'contract', contract: APES }, version: 10 }),
      aJob({ target: { kind: 'expiry', rule: 'floor-60', end: 4 }, version: 11 }),
      aJob({ list: { tenant: 'acme', id: 'punks-2' }, version: 12 }),
      aJob({ list: { tenant: 'beta', id: 'punks' }, version: 13 }),
    ];

    for (const job of all) await jobs.put(job);

    for (const job of all) {
      expect(await jobs.get(job.list, job.target)).toEqual(job);
    }
  });

  it('tell the ends of a list that are yet to come', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const end = { kind: 'expiry', rule: 'floor-60', end: 4 } as const;
    for (const target of [...targets, end]) await jobs.put(aJob({ target }));
    await jobs.put(aJob({ list: { tenant: 'acme', id: 'punks-2' }, target: end }));

    const ends = await jobs.expiries(list);

    expect(ends.map((known) => [known.rule, known.end])).toEqual([
      ['floor-60', 3],
      ['floor-60', 4],
    ]);
  });

  it('are replaced by a newer job of the same target', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const newer = aJob({ revision: 4, version: 2 });

    await jobs.put(aJob({ version: 1 }));
    await jobs.put(newer);

    expect(await jobs.get(list, newer.target)).toEqual(newer);
  });

  it('are never replaced by a job of an earlier revision, which comes late', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const newer = aJob({ revision: 4, version: 2 });
    await jobs.put(newer);

    await expect(jobs.put(aJob({ revision: 3, version: 9 }))).rejects.toThrow(VersionConflictError);

    expect(await jobs.get(list, newer.target)).toEqual(newer);
  });

  it('are made where there is none, and found as they are where another was first', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const first = aJob({ version: 1, escalatedAt: NOON });

    const made = await jobs.make(first);
    const found = await jobs.make(aJob({ version: 2 }));

    expect([made, found]).toEqual([first, first]);
  });

  it('of two rivals for a revision keep the later time, whichever comes last', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    await jobs.put(aJob({ createdAt: NOON + 2, version: 1 }));
    await jobs.put(aJob({ createdAt: NOON + 1, version: 2 }));

    const { target } = aJob();
    expect(await jobs.get(list, target)).toMatchObject({ createdAt: NOON + 2, version: 2 });
  });

  it('are put many at once, the last one of each target', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const all = targets.map((target, version) => aJob({ target, version: version + 1 }));

    await jobs.put(...all, aJob({ target: { kind: 'topic' }, version: 20 }));

    const versions = await Promise.all(targets.map((target) => jobs.get(list, target)));
    expect(versions.map((job) => job?.version)).toEqual([1, 20, 3, 4]);
  });

  it('are taken away by the worker that read the last one, and by no other', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    const [older, newer] = [aJob({ version: 1 }), aJob({ version: 2 })];
    await jobs.put(older);
    await jobs.put(newer);

    await expect(jobs.settle(older)).rejects.toThrow(VersionConflictError);
    await jobs.settle(newer);

    expect(await jobs.get(list, newer.target)).toBeUndefined();
  });

  it('are counted as far as they are contracts of the list', async () => {
    const jobs = createChangeJobStore(await engine.createTable());
    for (const target of targets) await jobs.put(aJob({ target }));
    await jobs.put(aJob({ target: { kind: 'contract', contract: APES } }));
    await jobs.put(aJob({ list: { tenant: 'acme', id: 'punks-2' } }));

    expect(await jobs.countContracts(list)).toBe(2);
    expect(await jobs.countContracts({ tenant: 'acme', id: 'apes' })).toBe(0);
  });

  it.each([{ revision: '3' }, { createdAt: undefined }, { dueAt: undefined }, { version: null }])(
    'with %j are never half-read',
    async (corruption) => {
      const table = await engine.createTable();
      const jobs = createChangeJobStore(table);
      await jobs.put(aJob());
      const key = { pk: 'JOBS#acme#punks', sk: `contract#${PUNKS}` };
      await table.put({ ...(await table.get(key)), ...key, ...corruption });

      await expect(jobs.get(list, aJob().target)).rejects.toThrow();
    },
  );
});

function aJob(given: Partial<ChangeJob> = {}): ChangeJob {
  return {
    list,
    target: { kind: 'contract', contract: PUNKS },
    revision: 3,
    createdAt: NOON,
    dueAt: NOON + 120_000,
    version: 281_474_976_710_655,
    ...given,
  };
}
