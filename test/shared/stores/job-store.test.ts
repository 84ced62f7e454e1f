import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Job, JobTarget } from '#shared/domain/watchlists/job.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';
import { puttingInto } from '#test/support/putting.ts';

const list = { tenant: 'acme', id: 'punks' };
const targets: readonly JobTarget[] = [
  { kind: 'apply' },
  { kind: 'topic' },
  { kind: 'mutes' },
  { kind: 'expiry', rule: 'floor-60', end: 3 },
];

describe.each(ENGINES)('jobs in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each(targets)('reads back a job of kind $kind', async (target) => {
    const table = await engine.createTable();
    const [jobs, putting] = [createJobStore(table), puttingInto(table)];
    const job = aJob({ target });

    await putting.jobs(job);

    expect(await jobs.get(list, target)).toStrictEqual(job);
  });

  it('stores the jobs of every kind and list separately', async () => {
    const table = await engine.createTable();
    const [jobs, putting] = [createJobStore(table), puttingInto(table)];
    const all = [
      ...targets.map((target, version) => aJob({ target, version })),
      aJob({ target: { kind: 'expiry', rule: 'floor-60', end: 4 }, version: 11 }),
      aJob({ list: { tenant: 'acme', id: 'punks-2' }, version: 12 }),
      aJob({ list: { tenant: 'beta', id: 'punks' }, version: 13 }),
    ];

    for (const job of all) await putting.jobs(job);

    for (const job of all) {
      expect(await jobs.get(job.list, job.target)).toEqual(job);
    }
  });

  it('lists the jobs of one kind for one list', async () => {
    const table = await engine.createTable();
    const [jobs, putting] = [createJobStore(table), puttingInto(table)];
    const end = { kind: 'expiry', rule: 'floor-60', end: 4 } as const;
    for (const target of [...targets, end]) await putting.jobs(aJob({ target }));
    await putting.jobs(aJob({ list: { tenant: 'acme', id: 'punks-2' }, target: end }));

    const ends = await jobs.ofKind(list, 'expiry');

    expect(ends.map(({ target }) => target)).toEqual([{ ...end, end: 3 }, end]);
  });

  it('creates a job once: the second writer gets the job of the first', async () => {
    const table = await engine.createTable();
    const [jobs, _putting] = [createJobStore(table), puttingInto(table)];
    const first = aJob({ version: 1, escalatedAt: NOON });

    const made = await jobs.make(first);
    const found = await jobs.make(aJob({ version: 2 }));

    expect([made, found]).toEqual([first, first]);
  });

  it('deletes a job only for a worker that read the stored version', async () => {
    const table = await engine.createTable();
    const [jobs, putting] = [createJobStore(table), puttingInto(table)];
    const [older, newer] = [aJob({ version: 1 }), aJob({ version: 2 })];
    await putting.jobs(older);
    await putting.jobs(newer);

    await expect(jobs.settle(older)).rejects.toThrow(VersionConflictError);
    await jobs.settle(newer);

    expect(await jobs.get(list, newer.target)).toBeUndefined();
  });

  it('counts the contracts to which the newest revision of a list has not been applied yet', async () => {
    const table = await engine.createTable();
    const [jobs, putting] = [createJobStore(table), puttingInto(table)];
    await putting.jobs(...targets.map((target) => aJob({ target })));
    const note = { revision: 3, at: NOON };
    const counts = [await jobs.countContracts(list)];
    for (const applied of [
      { ...note, contract: PUNKS, revision: 2 },
      { ...note, contract: PUNKS, at: NOON - 1 },
      { ...note, contract: PUNKS },
      { ...note, contract: APES, revision: 4 },
    ]) {
      await jobs.noteApplied(list, applied);
      counts.push(await jobs.countContracts(list));
    }

    expect(counts).toEqual([2, 2, 2, 1, 0]);
    expect(await jobs.appliedTo(list)).toHaveLength(2);
    expect(await jobs.countContracts({ tenant: 'acme', id: 'apes' })).toBe(0);
  });

  it.each([{ revision: '3' }, { createdAt: undefined }, { dueAt: undefined }, { version: null }])(
    'rejects a stored job with %j',
    async (corruption) => {
      const table = await engine.createTable();
      const jobs = createJobStore(table);
      await puttingInto(table).jobs(aJob());
      const key = { pk: 'JOBS#acme#punks', sk: 'apply' };
      await table.put({ ...(await table.get(key)), ...key, ...corruption });

      await expect(jobs.get(list, aJob().target)).rejects.toThrow();
    },
  );
});

function aJob(given: Partial<Job> = {}): Job {
  return {
    list,
    target: { kind: 'apply' },
    contracts: [PUNKS, APES],
    revision: 3,
    createdAt: NOON,
    dueAt: NOON + 120_000,
    version: 281_474_976_710_655,
    ...given,
  };
}
