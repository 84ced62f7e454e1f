import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { outcomesOf, tableCommands } from '#test/support/table-commands.ts';
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

const aCalmTable = () =>
  createFaultyTable({
    timeline: createTimeline(0),
    faults: { strikes: () => false, end: () => {}, counts: new Map() },
    schedule: createStreams(1).schedule,
    sandboxes: { call: (_by, _port, effect) => effect() },
    written: () => {},
    met: () => {},
  }).reachedBy(() => invocation);

it('reports what the table in memory reports while no fault strikes', async () => {
  await fc.assert(
    fc.asyncProperty(tableCommands(), async (commands) => {
      const found = await outcomesOf(commands, aCalmTable());
      const expected = await outcomesOf(commands, createMemoryTable());

      expect(found).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
