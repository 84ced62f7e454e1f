/** The columns of a table, in their order: each by its name, and what stands in it. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;
type Cell = string | number | boolean | null;

/** A table by RFC 4180, its first line the names of the columns. */
export function csvOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => textOf(cell(row)))),
  ];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? inert(cell) : String(cell);
}

function quoted(text: string): string {
  return PLAIN.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

const PLAIN = /^[\w.:~/?-]*$/;

/**
 * A text that no spreadsheet takes for a formula: an apostrophe stands before what begins like one,
 * also behind characters that separate cells elsewhere. A decimal is none, whatever its sign.
 */
function inert(text: string): string {
  return DECIMAL.test(text) ? text : text.replaceAll(FORMULA, "'");
}

const DECIMAL = /^-?\d+(\.\d+)?$/;
const FORMULA = /(?<=^|[;\t\r\n])(?=\s*[=+\-@\t\r＝＋－＠])/g;
