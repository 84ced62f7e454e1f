import { expect, it } from 'vitest';
import { createPrinter } from '#infra/command-line/printer.ts';
import { reportInJson, reportInWords } from '#infra/operate/import/report.ts';

const FILE = { kind: 'trades', path: 'a/trades.jsonl', bytes: 100 } as const;
const COUNTS = { lines: 9, written: 4, unchanged: 1, before: 2, leftOut: 1, bad: 1 };
const PLAIN = { lines: 9, written: 8, unchanged: 1, before: 0, leftOut: 0, bad: 0 };

function output(isTerminal = false) {
  const out: string[] = [];
  const error: string[] = [];
  const write = (text: string) => void out.push(text);
  const writeError = (text: string) => void error.push(text);
  return { out, error, ...createPrinter({ write, writeError, isTerminal }) };
}

it('shows people each file and the whole, of what there is none nothing', () => {
  const seen = output();
  const report = reportInWords(seen);

  report.file(FILE, COUNTS);
  report.end(
    new Map([
      ['trades', COUNTS],
      ['tokens', PLAIN],
    ]),
    12_345,
  );

  expect(seen.out.join('')).toBe(`\
a/trades.jsonl: 9 lines, 4 written, 1 unchanged, 2 loaded before, 1 not paid in ETH, 1 bad
Imported in 12.3 s:
  tokens  9 lines, 8 written, 1 unchanged
  trades  9 lines, 4 written, 1 unchanged, 2 loaded before, 1 not paid in ETH, 1 bad
`);
});

it('shows a bar on a terminal, and names bad lines above it', () => {
  const seen = output(true);
  const report = reportInWords(seen);

  report.progress({ file: FILE, lines: 70, bytesRead: 50, bytes: 100 });
  report.bad(FILE, 71, 'expected JSON');
  report.progress({ file: FILE, lines: 90, bytesRead: 100, bytes: 100 });

  expect(seen.error).toEqual([
    `\r\u001b[K${'█'.repeat(15)}${'░'.repeat(15)} 50 %  trades, line 70`,
    '\r\u001b[Ka/trades.jsonl:71: expected JSON\n',
    `\r\u001b[K${'█'.repeat(30)} 100 %  trades, line 90`,
  ]);
});

it('writes a line for each tenth of the way elsewhere', () => {
  const seen = output();
  const report = reportInWords(seen);

  for (let bytesRead = 0; bytesRead <= 100; bytesRead += 4) {
    report.progress({ file: FILE, lines: bytesRead, bytesRead, bytes: 100 });
  }

  expect(seen.error.join('')).toBe('10 %\n20 %\n30 %\n40 %\n50 %\n60 %\n70 %\n80 %\n90 %\n100 %\n');
});

it('is done where there is nothing to read', () => {
  const seen = output(true);

  reportInWords(seen).progress({ file: FILE, lines: 0, bytesRead: 0, bytes: 0 });

  expect(seen.error.join('')).toContain(' 100 % ');
});

it('reports programs the same as JSON lines, and bad lines as it does people', () => {
  const seen = output();
  const report = reportInJson(seen);

  report.bad(FILE, 71, 'expected JSON');
  report.progress({ file: FILE, lines: 70, bytesRead: 50, bytes: 100 });
  report.file(FILE, COUNTS);
  report.end(new Map([['trades', COUNTS]]), 12);

  expect(seen.error).toEqual(['a/trades.jsonl:71: expected JSON\n']);
  expect(seen.out.map((line) => JSON.parse(line))).toEqual([
    { event: 'file', file: 'a/trades.jsonl', kind: 'trades', ...COUNTS },
    { event: 'end', milliseconds: 12, trades: COUNTS },
  ]);
});

it('warns of a file without lines on stderr, for people and for programs', () => {
  const [people, programs] = [output(), output()];

  reportInWords(people).empty(FILE);
  reportInJson(programs).empty(FILE);

  const warning = ['a/trades.jsonl: warning: the file has no lines\n'];
  expect([people, programs].map(({ out, error }) => [out, error])).toEqual([
    [[], warning],
    [[], warning],
  ]);
});
