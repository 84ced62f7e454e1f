import { describe, expect, it } from 'vitest';
import { csvOf } from '#shared/domain/csv.ts';

type Row = { readonly words: string | null; readonly value: string | number | boolean };
const COLUMNS = { words: ({ words }: Row) => words, value: ({ value }: Row) => value };

/** Reads a file by the grammar of RFC 4180, and by nothing else. */
function cellsOf(csv: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]];
  const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  while (FIELD.lastIndex < csv.length) {
    const at = FIELD.lastIndex;
    const field = FIELD.exec(csv);
    if (field === null) throw new Error(`no field at ${at}: ${csv.slice(at, at + 40)}`);
    const [, escaped, plain = '', end] = field;
    lines.at(-1)?.push(escaped?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n' && FIELD.lastIndex < csv.length) lines.push([]);
  }
  return lines;
}

describe('a table as CSV', () => {
  it('is read back by the grammar of RFC 4180, whatever its texts hold', () => {
    const words = ['plain', 'a "quote"', 'a, comma', 'two\r\nlines', ' space ', 'Ωmega 🟢', ''];

    const csv = csvOf(
      COLUMNS,
      words.map((text) => ({ words: text, value: true })),
    );

    expect(cellsOf(csv)).toEqual([['words', 'value'], ...words.map((text) => [text, 'true'])]);
    expect(csv.endsWith('\r\n')).toBe(true);
  });

  it('has its names also without rows, and nothing where there is no value', () => {
    expect(csvOf(COLUMNS, [])).toBe('words,value\r\n');
    expect(csvOf(COLUMNS, [{ words: null, value: 7 }])).toBe('words,value\r\n,7\r\n');
  });

  it.each(['0.000000000000000001', '-5.2', '123456789012345678901234567890.5', '-0'])(
    'leaves the exact amount %s as it is',
    (value) => {
      expect(cellsOf(csvOf(COLUMNS, [{ words: '', value }]))[1]).toEqual(['', value]);
    },
  );

  // The beginnings that OWASP names, and those behind a separator of other locales.
  it.each([
    ...['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '＋1', '－1', '＠A'],
    ...['-1e5', '--1', '-', '=HYPERLINK("https://evil.example")', 'Apes;=1', 'Apes\n=1', 'x;\t@a'],
  ])('keeps %j from being a formula', (words) => {
    const [, [cell = ''] = []] = cellsOf(csvOf(COLUMNS, [{ words, value: 1 }]));

    for (const part of cell.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
    expect(cell.replaceAll("'", '')).toBe(words);
  });
});
