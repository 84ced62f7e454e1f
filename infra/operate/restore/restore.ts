import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { option, text } from '#infra/command-line/options.ts';
import { openDeployedStack } from '#infra/operate/account/deployed-stack.ts';
import { stageTarget } from '#infra/operate/target.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { type RestoreEvent, restoreTable } from './restore-table.ts';

const Moment = z.union(
  [z.literal('latest'), z.iso.datetime({ offset: true }).transform((text) => new Date(text))],
  'expected a moment such as 2026-11-26T01:59:00Z, or latest',
);

const options = z.object({
  ...stageTarget,
  at: option(
    'moment',
    'when: such as 2026-11-26T01:59:00Z, to the second, or latest',
    Moment.optional(),
  ),
  table: option('name', "the table to restore from (default: the stage's)", text),
});

export const verb = defineVerb<z.output<typeof options>, RestoreEvent>({
  name: 'restore',
  description:
    'Restores the table of a stage, as it was at a moment of the last 35 days, into a new table. Says how to point the stack at the new table. Does not change the stack or its present table. Without --at it only reports the possible moments. Repeat the command if it was interrupted.',
  options,
  inWords: (event) => {
    switch (event.event) {
      case 'window':
        return `${event.source} can be restored to any second from ${event.earliest.toISOString()} to ${event.latest.toISOString()} (--at).\n`;
      case 'began':
        return `Making ${event.table}, as it was at ${event.at.toISOString()}; this takes from minutes to hours\n`;
      case 'waiting':
        return { passing: `  ${event.minutes} min` };
      case 'restored':
        return [
          `${event.table} is there. The stack still uses ${event.source}.\n\n`,
          `Look into it with --table ${event.table} (npm run operate -- status, keys).\n`,
          `Point the stack at it: npm run operate -- setup --stage ${event.stage} --table ${event.table}\n`,
        ].join('');
    }
  },
  run: async ({ stage, at, ...given }, report) => {
    const stack = openDeployedStack({ stage, ...given });
    // Only whole seconds are there.
    const moment = at instanceof Date ? new Date(Math.floor(at.getTime() / 1000) * 1000) : at;
    await restoreTable(
      { tables: stack.account.tables, wait: setTimeout, report },
      { stage, source: await stack.tableName(), at: moment },
    );
    return 'done';
  },
});
