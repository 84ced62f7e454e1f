import type { Printer } from '#infra/command-line/printer.ts';
import { DATA_KINDS, type DataKind } from './data-files.ts';
import type { ImportReport, LineCounts, Progress } from './import-data.ts';

/** The output of `npm run import`. */
export type Report = ImportReport & {
  readonly end: (totals: ReadonlyMap<DataKind, LineCounts>, milliseconds: number) => void;
};

/** JSON lines, for programs; bad lines are plain text on stderr. */
export function reportInJson({ line, writeError }: Printer): Report {
  return {
    bad: ({ path }, number, reason) => writeError(`${path}:${number}: ${reason}\n`),
    empty: ({ path }) => writeError(`${path}: ${EMPTY}\n`),
    progress: () => {},
    file: ({ path, kind }, counts) => line({ event: 'file', file: path, kind, ...counts }),
    end: (totals, milliseconds) =>
      line({ event: 'end', milliseconds, ...Object.fromEntries(totals) }),
  };
}

/** Plain text, for people: a bar on a terminal, elsewhere a line for each tenth of the bytes. */
export function reportInWords({ write, writeError, isTerminal }: Printer): Report {
  let tenths = 0;
  const above = (text: string) => `${isTerminal ? CLEAR_LINE : ''}${text}`;
  return {
    bad: ({ path }, number, reason) => writeError(above(`${path}:${number}: ${reason}\n`)),
    empty: ({ path }) => writeError(above(`${path}: ${EMPTY}\n`)),
    progress: (progress) => {
      if (isTerminal) {
        writeError(above(bar(progress)));
        return;
      }
      const reached = Math.floor(10 * shareOf(progress));
      if (reached > tenths) writeError(`${reached * 10} %\n`);
      tenths = reached;
    },
    file: ({ path }, counts) => {
      if (isTerminal) writeError(CLEAR_LINE);
      write(`${path}: ${inWords(counts)}\n`);
    },
    end: (totals, milliseconds) => {
      const lines = DATA_KINDS.flatMap((kind) => {
        const counts = totals.get(kind);
        return counts === undefined ? [] : [`  ${kind}  ${inWords(counts)}\n`];
      });
      write(`Imported in ${(milliseconds / 1000).toFixed(1)} s:\n${lines.join('')}`);
    },
  };
}

const EMPTY = 'warning: the file has no lines';
const CLEAR_LINE = '\r\u001b[K';
const BAR_LENGTH = 30;

function bar(progress: Progress): string {
  const share = shareOf(progress);
  const full = '█'.repeat(Math.round(share * BAR_LENGTH)).padEnd(BAR_LENGTH, '░');
  const { file, lines } = progress;
  return `${full} ${Math.floor(share * 100)} %  ${file.kind}, line ${lines}`;
}

function shareOf({ bytesRead, bytes }: Progress): number {
  return bytes === 0 ? 1 : bytesRead / bytes;
}

function inWords({ lines, written, unchanged, before, leftOut, bad }: LineCounts): string {
  const reported = [
    `${lines} lines`,
    `${written} written`,
    `${unchanged} unchanged`,
    ...(before > 0 ? [`${before} loaded before`] : []),
    ...(leftOut > 0 ? [`${leftOut} not paid in ETH`] : []),
    ...(bad > 0 ? [`${bad} bad`] : []),
  ];
  return reported.join(', ');
}
