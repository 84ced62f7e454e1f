import process from 'node:process';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { argument, flag } from '#infra/command-line/options.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { readTable, tableOptions } from '#infra/operate/stack-option.ts';
import { openStackTable } from '#infra/operate/stack-table.ts';
import { createFloorArchive } from '#shared/stores/history-store.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { importData } from './import-data.ts';
import { reportInJson, reportInWords } from './report.ts';

const BAD_LINES = 3;

const read = createReader({
  name: 'npm run import --',
  description:
    'Loads floors, trades and tokens into the archive. Writes only new or changed records. A repetition resumes an interrupted import. Bad lines are reported on stderr as file:line: reason, and skipped.',
  options: z.object({
    directory: argument(
      'holds the files floors, trades and tokens (.jsonl or .jsonl.gz), itself or in folders',
      z.string(),
    ),
    ...tableOptions,
    json: flag('JSON lines: file, end'),
  }),
  exitCodes: `0 all loaded, ${BAD_LINES} all but bad lines loaded, 2 a mistake that you can correct, 1 failure`,
});

await runCommand(read, async ({ directory, json, ...given }, printer) => {
  const report = (json ? reportInJson : reportInWords)(printer);
  const { table } = await openStackTable(readTable(given));
  const begin = performance.now();
  const totals = await importData(
    {
      archive: {
        ...createFloorArchive(table),
        ...createTradeArchive(table),
        ...createTokenArchive(table),
      },
      progress: createImportStore(table),
      now: Date.now,
      report,
    },
    directory,
  );
  report.end(totals, performance.now() - begin);
  if ([...totals.values()].some(({ bad }) => bad > 0)) process.exitCode = BAD_LINES;
});
