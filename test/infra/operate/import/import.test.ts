import { expect, it } from 'vitest';
import { verb } from '#infra/operate/import/import.ts';

const FILE = { file: 'a/trades.jsonl', kind: 'trades' } as const;
const COUNTS = { lines: 9, written: 4, unchanged: 1, before: 2, leftOut: 1, bad: 1 };
const PLAIN = { lines: 9, written: 8, unchanged: 1, before: 0, leftOut: 0, bad: 0 };

it('an import prints the counts of a file and of each kind, without zeros', () => {
  const file = verb.inWords({ event: 'file', ...FILE, ...COUNTS });
  const end = verb.inWords({
    ...{ event: 'end', milliseconds: 12_345 },
    totals: { trades: COUNTS, tokens: PLAIN },
  });

  expect([file, end]).toEqual([
    `a/trades.jsonl: 9 lines, 4 written, 1 unchanged, 2 loaded earlier, 1 not paid in ETH, 1 bad
`,
    `Imported in 12.3 s:
  tokens  9 lines, 8 written, 1 unchanged
  trades  9 lines, 4 written, 1 unchanged, 2 loaded earlier, 1 not paid in ETH, 1 bad
`,
  ]);
});

it('an import prints bad lines, and files without any line, to stderr', () => {
  const { file } = FILE;

  expect(verb.inWords({ event: 'bad_line', file, line: 71, reason: 'expected JSON' })).toEqual({
    aside: 'a/trades.jsonl:71: expected JSON\n',
  });
  expect(verb.inWords({ event: 'empty', file })).toEqual({
    aside: 'a/trades.jsonl: warning: the file has no lines\n',
  });
});
