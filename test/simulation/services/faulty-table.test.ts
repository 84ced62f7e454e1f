import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import type { Table } from '#shared/stores/table.ts';
import { runsOf } from '#test/support/extent.ts';
import { outcomesOf, tableCommands } from '#test/support/table-commands.ts';
import type { Faults } from './faults.ts';
import { createFaultyTable } from './faulty-table.ts';
import type { Invocation } from './sandbox.ts';
import { createStreams } from './streams.ts';
import { createTimeline } from './timeline.ts';

const invocation: Invocation = {
  id: 1,
  function: 'run-contracts',
  startedAt: 0,
  deadline: 0,
  disturbance: undefined,
  isOver: false,
  isDead: false,
  frozenUntil: 0,
};

/** A table with one fault at every call, or without faults. */
const aTable = (fault?: Parameters<Faults['strikes']>[0]) =>
  createFaultyTable({
    timeline: createTimeline(0),
    faults: { strikes: (name) => name === fault, end: () => {}, counts: new Map() },
    schedule: createStreams(1).schedule,
    sandboxes: { call: (_by, _port, effect) => effect() },
    written: () => {},
    met: () => {},
  }).reachedBy(() => invocation);

it('the faulty table behaves like the memory table while no fault occurs', async () => {
  await fc.assert(
    fc.asyncProperty(tableCommands(), async (commands) => {
      const found = await outcomesOf(commands, aTable());
      const expected = await outcomesOf(commands, createMemoryTable());

      expect(found).toEqual(expected);
    }),
    runsOf(200),
  );
});

const item = { pk: 'TENANT#acme', sk: 'QUOTA', version: 1 };

it.each([
  ['put', (table: Table) => table.put(item, 0)],
  ['transact', (table: Table) => table.transact([{ put: item, version: 0 }])],
])('%s throws OutcomeUnknownError whether the write was applied or lost', async (_name, write) => {
  const [applied, lost] = [aTable('writeUnknown'), aTable('writeLost')];

  await expect(write(applied)).rejects.toThrow(OutcomeUnknownError);
  await expect(write(lost)).rejects.toThrow(OutcomeUnknownError);

  expect(await applied.get(item)).toEqual(item);
  expect(await lost.get(item)).toBeUndefined();
});
