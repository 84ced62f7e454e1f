import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option, text } from '#infra/command-line/options.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { createStageTables } from '#infra/operate/account/stage-tables.ts';
import { readDeployedStack, StageName, settingsOption } from '#infra/operate/stack-option.ts';
import { openDeployedTable } from '#infra/operate/stack-table.ts';
import { reportInJson, reportInWords } from './report.ts';
import { restoreTable } from './restore-table.ts';

const Moment = z.union(
  [z.literal('latest'), z.iso.datetime({ offset: true }).transform((text) => new Date(text))],
  'expected a moment such as 2026-11-26T01:59:00Z, or latest',
);

const read = createReader({
  name: 'npm run restore --',
  description:
    'Restores the table of a stage, as it was at a moment of the last 35 days, into a new table. Says how to point the stack at the new table. Does not change the stack or its present table. Without --at it only reports the possible moments. Repeat the command if it was interrupted.',
  options: z.object({
    stage: option('name', 'the stage', StageName),
    at: option(
      'moment',
      'when: such as 2026-11-26T01:59:00Z, to the second, or latest',
      Moment.optional(),
    ),
    table: option('name', "the table to restore from (default: the stage's)", text),
    settings: settingsOption,
    json: flag('JSON lines: window, began, restored'),
  }),
});

await runCommand(read, async ({ stage, at, table, settings, json }, printer) => {
  const stack = readDeployedStack(stage, settings);
  const { client, name: source } = await openDeployedTable(stack, table);
  const ports = {
    tables: createStageTables(client),
    wait: setTimeout,
    report: json ? reportInJson(printer) : reportInWords(printer, stage),
  };
  // Only whole seconds are there.
  const moment = at instanceof Date ? new Date(Math.floor(at.getTime() / 1000) * 1000) : at;
  await restoreTable(ports, { stage, source, at: moment });
});
