import type { Printer } from '#infra/command-line/printer.ts';
import type { RestoreReport } from './restore-table.ts';

/** JSON lines, for programs. */
export function reportInJson({ line }: Printer): RestoreReport {
  return {
    window: (source, window) => line({ event: 'window', source, ...window }),
    began: (table, at) => line({ event: 'began', table, at }),
    waiting: () => {},
    restored: (table, source) => line({ event: 'restored', table, source }),
  };
}

/** Plain text, for people. */
export function reportInWords({ write }: Printer, stage: string): RestoreReport {
  let dots = 0;
  return {
    window: (source, { earliest, latest }) =>
      write(
        `${source} can be restored to any second from ${earliest.toISOString()} to ${latest.toISOString()} (--at).\n`,
      ),
    began: (table, at) =>
      write(
        `Making ${table}, as it was at ${at.toISOString()}; this takes from minutes to hours\n`,
      ),
    waiting: () => {
      dots += 1;
      // A check every 10 s: six dots make a line for each minute.
      write(dots % 6 === 0 ? '.\n' : '.');
    },
    restored: (table, source) => {
      write(`${dots % 6 === 0 ? '' : '\n'}${table} is there. The stack still uses ${source}.\n\n`);
      write(`Look into it with --table ${table} (npm run status, npm run keys).\n`);
      write(`Point the stack at it: npm run setup -- --stage ${stage} --table ${table}\n`);
    },
  };
}
