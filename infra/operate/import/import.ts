import * as z from 'zod';
import { argument } from '#infra/command-line/options.ts';
import { openStack } from '#infra/operate/stack.ts';
import { tableTarget } from '#infra/operate/target.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { createFloorArchive } from '#shared/stores/history-store.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { DATA_KINDS } from './data-files.ts';
import { type ImportEvent, importData, type LineCounts } from './import-data.ts';

const options = z.object({
  directory: argument(
    'the folder with the files floors, trades and tokens (.jsonl or .jsonl.gz); subfolders are included',
    z.string(),
  ),
  ...tableTarget,
});

export const verb = defineVerb<z.output<typeof options>, ImportEvent>({
  name: 'import',
  description:
    'Loads floors, trades and tokens into the archive. Writes only new or changed records. Bad lines are reported as file:line: reason, and skipped. Repeat the command to resume an interrupted import.',
  options,
  found: 'skipped bad lines and loaded all others',
  inWords: (event) => {
    switch (event.event) {
      case 'bad_line':
        return { aside: `${event.file}:${event.line}: ${event.reason}\n` };
      case 'empty':
        return { aside: `${event.file}: warning: the file has no lines\n` };
      case 'progress':
        return { passing: `${event.percent}%  ${event.file}, line ${event.line}` };
      case 'file':
        return `${event.file}: ${countsInWords(event)}\n`;
      case 'end': {
        const { milliseconds, totals } = event;
        const lines = DATA_KINDS.flatMap((kind) => {
          const counts = totals[kind];
          return counts === undefined ? [] : [`  ${kind}  ${countsInWords(counts)}\n`];
        });
        return `Imported in ${(milliseconds / 1000).toFixed(1)} s:\n${lines.join('')}`;
      }
    }
  },
  run: async ({ directory, ...given }, report) => {
    const table = await (await openStack(given)).table();
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
    report({ event: 'end', milliseconds: Math.round(performance.now() - begin), totals });
    return Object.values(totals).some(({ bad }) => bad > 0) ? 'found' : 'done';
  },
});

function countsInWords({ lines, written, unchanged, before, leftOut, bad }: LineCounts): string {
  const reported = [
    `${lines} lines`,
    `${written} written`,
    `${unchanged} unchanged`,
    ...(before > 0 ? [`${before} loaded earlier`] : []),
    ...(leftOut > 0 ? [`${leftOut} not paid in ETH`] : []),
    ...(bad > 0 ? [`${bad} bad`] : []),
  ];
  return reported.join(', ');
}
