import { describe, expect, it } from 'vitest';
import { csvOf } from '#shared/domain/csv.ts';

type Row = { readonly words: string | null; readonly value: string | number | boolean };
const COLUMNS = { words: ({ words }: Row) => words, value: ({ value }: Row) => value };

/** Parses CSV strictly by the grammar of RFC 4180. */
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

describe('CSV tables', () => {
  it('writes CSV that the grammar of RFC 4180 reads back, whatever the texts contain', () => {
    const words = ['plain', 'a "quote"', 'a, comma', 'two\r\nlines', ' space ', 'Ωmega 🟢', ''];

    const csv = csvOf(
      COLUMNS,
      words.map((text) => ({ words: text, value: true })),
    );

    expect(cellsOf(csv)).toEqual([['words', 'value'], ...words.map((text) => [text, 'true'])]);
    expect(csv.endsWith('\r\n')).toBe(true);
  });

  it('writes the CSV header even without rows, and an empty field for null', () => {
    expect(csvOf(COLUMNS, [])).toBe('words,value\r\n');
    expect(csvOf(COLUMNS, [{ words: null, value: 7 }])).toBe('words,value\r\n,7\r\n');
  });

  it.each(['0.000000000000000001', '-5.2', '123456789012345678901234567890.5', '-0'])(
    'writes the exact amount %s into CSV unchanged',
    (value) => {
      expect(cellsOf(csvOf(COLUMNS, [{ words: '', value }]))[1]).toEqual(['', value]);
    },
  );

  // The formula prefixes that OWASP lists, also after the field separators of other locales.
  it.each([
    ...['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '＋1', '－1', '＠A'],
    ...['-1e5', '--1', '-', '=HYPERLINK("https://evil.example")', 'Apes;=1', 'Apes\n=1', 'x;\t@a'],
  ])('escapes %j in CSV so that no spreadsheet treats it as a formula', (words) => {
    const [, [cell = ''] = []] = cellsOf(csvOf(COLUMNS, [{ words, value: 1 }]));

    for (const part of cell.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
    expect(cell.replaceAll("'", '')).toBe(words);
  });
});
