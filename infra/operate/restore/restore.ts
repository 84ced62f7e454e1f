import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { option, text } from '#infra/command-line/options.ts';
import { openDeployedStack } from '#infra/operate/account/deployed-stack.ts';
import { stageTarget } from '#infra/operate/target.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { type RestoreEvent, restoreTable } from './restore-table.ts';

const Moment = z.union(
  [z.literal('latest'), z.iso.datetime({ offset: true }).transform((text) => new Date(text))],
  'expected a time such as 2026-11-26T01:59:00Z, or latest',
);

const options = z.object({
  ...stageTarget,
  at: option(
    'moment',
    'the time to restore to, such as 2026-11-26T01:59:00Z (to the second), or latest',
    Moment.optional(),
  ),
  table: option('name', 'the table to restore from (default: the table of the stage)', text),
});

export const verb = defineVerb<z.output<typeof options>, RestoreEvent>({
  name: 'restore',
  description:
    "Copies a stage's table, as it was at a point in time in the last 35 days, into a new table. Prints the command that switches the stack to the new table. Does not change the stack or its current table. Without --at, the command only reports the possible times. Repeat the command if it was interrupted.",
  options,
  inWords: (event) => {
    switch (event.event) {
      case 'window':
        return `${event.source} can be restored to any second from ${event.earliest.toISOString()} to ${event.latest.toISOString()} (--at).\n`;
      case 'began':
        return `Creating ${event.table} with the data as of ${event.at.toISOString()}; this takes minutes to hours\n`;
      case 'waiting':
        return { passing: `  ${event.minutes} min` };
      case 'restored':
        return [
          `${event.table} is ready. The stack still uses ${event.source}.\n\n`,
          `Inspect it: npm run operate -- status --stage ${event.stage} --table ${event.table} (or npm run operate -- keys list, with the same options)\n`,
          `Switch the stack to it: npm run operate -- setup --stage ${event.stage} --table ${event.table}\n`,
        ].join('');
    }
  },
  run: async ({ stage, at, ...given }, report) => {
    const stack = openDeployedStack({ stage, ...given });
    // DynamoDB restores only to whole seconds.
    const moment = at instanceof Date ? new Date(Math.floor(at.getTime() / 1000) * 1000) : at;
    await restoreTable(
      { tables: stack.account.tables, wait: setTimeout, report },
      { stage, source: await stack.tableName(), at: moment },
    );
    return 'done';
  },
});
