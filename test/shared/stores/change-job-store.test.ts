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

describe.each(ENGINES)('notes of what is pending in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each(targets)('are read back of kind $kind', async (target) => {
    const pending = createChangeJobStore(await engine.createTable());
    const note = aNote({ target });

    await pending.note(note);

    expect(await pending.get(list, target)).toStrictEqual(note);
  });

  it('stand beside each other, of every kind and list', async () => {
    const pending = createChangeJobStore(await engine.createTable());
    const notes = [
      ...targets.map((target, version) => aNote({ target, version })),
      aNote({ target: { kind: 'contract', contract: APES }, version: 10 }),
      aNote({ target: { kind: 'expiry', rule: 'floor-60', end: 4 }, version: 11 }),
      aNote({ list: { tenant: 'acme', id: 'punks-2' }, version: 12 }),
      aNote({ list: { tenant: 'beta', id: 'punks' }, version: 13 }),
    ];

    for (const note of notes) await pending.note(note);

    for (const note of notes) {
      expect(await pending.get(note.list, note.target)).toEqual(note);
    }
  });

  it('tell the ends of a list that are yet to come', async () => {
    const pending = createChangeJobStore(await engine.createTable());
    const end = { kind: 'expiry', rule: 'floor-60', end: 4 } as const;
    for (const target of [...targets, end]) await pending.note(aNote({ target }));
    await pending.note(aNote({ list: { tenant: 'acme', id: 'punks-2' }, target: end }));

    const ends = await pending.expiries(list);

    expect(ends.map((known) => [known.rule, known.end])).toEqual([
      ['floor-60', 3],
      ['floor-60', 4],
    ]);
  });

  it('are replaced by a newer note of the same target', async () => {
    const pending = createChangeJobStore(await engine.createTable());
    const newer = aNote({ revision: 4, version: 2 });

    await pending.note(aNote({ version: 1 }));
    await pending.note(newer);

    expect(await pending.get(list, newer.target)).toEqual(newer);
  });

  it('are taken away by who read the last one, and by no other', async () => {
    const pending = createChangeJobStore(await engine.createTable());
    const [older, newer] = [aNote({ version: 1 }), aNote({ version: 2 })];
    await pending.note(older);
    await pending.note(newer);

    await expect(pending.settle(older)).rejects.toThrow(VersionConflictError);
    await pending.settle(newer);

    expect(await pending.get(list, newer.target)).toBeUndefined();
    await expect(pending.settle(newer)).rejects.toThrow(VersionConflictError);
  });

  it('are counted as far as they are contracts of the list', async () => {
    const pending = createChangeJobStore(await engine.createTable());
    for (const target of targets) await pending.note(aNote({ target }));
    await pending.note(aNote({ target: { kind: 'contract', contract: APES } }));
    await pending.note(aNote({ list: { tenant: 'acme', id: 'punks-2' } }));

    expect(await pending.countContracts(list)).toBe(2);
    expect(await pending.countContracts({ tenant: 'acme', id: 'apes' })).toBe(0);
  });

  it.each([{ revision: '3' }, { createdAt: undefined }, { dueAt: undefined }, { version: null }])(
    'with %j are never half-read',
    async (corruption) => {
      const table = await engine.createTable();
      const pending = createChangeJobStore(table);
      await pending.note(aNote());
      const key = { pk: 'TENANT#acme', sk: `JOB#punks#contract#${PUNKS}` };
      await table.put({ ...(await table.get(key)), ...key, ...corruption });

      await expect(pending.get(list, aNote().target)).rejects.toThrow();
    },
  );
});

function aNote(given: Partial<ChangeJob> = {}): ChangeJob {
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
