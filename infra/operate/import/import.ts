import { argv, exit, stderr, stdout } from 'node:process';
import { UsageError } from '#infra/operate/usage-error.ts';
import { createFloorArchive } from '#shared/stores/history-store.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { openArchiveTable } from './archive-table.ts';
import { importData } from './import-data.ts';
import { help, readImportOptions } from './import-options.ts';
import { reportInJson, reportInWords } from './report.ts';

/** `npm run import`; `help` lists its exit codes. */
async function start(): Promise<number> {
  const options = readImportOptions(argv.slice(2));
  if (!options) {
    stdout.write(help);
    return 0;
  }
  const output = {
    write: (text: string) => stdout.write(text),
    writeError: (text: string) => stderr.write(text),
    isTerminal: stderr.isTTY,
  };
  const report = options.json ? reportInJson(output) : reportInWords(output);
  const table = await openArchiveTable(options);
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
    options.directory,
  );
  report.end(totals, performance.now() - begin);
  return [...totals.values()].some(({ bad }) => bad > 0) ? 3 : 0;
}

try {
  exit(await start());
} catch (error) {
  const isUsage = error instanceof UsageError;
  stderr.write(`${isUsage ? error.message : String(error)}\n`);
  exit(isUsage ? 2 : 1);
}
