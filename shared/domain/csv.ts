/** The columns of a table in order: their names and their cells. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;
type Cell = string | number | boolean | null;

/** Formats a table according to RFC 4180, with the names of the columns in the first line. */
export function csvOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => textOf(cell(row)))),
  ];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? escapeFormula(cell) : String(cell);
}

function quoted(text: string): string {
  return PLAIN.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

const PLAIN = /^[\w.:~/?-]*$/;

/**
 * Prevents spreadsheets from interpreting a text as a formula: an apostrophe is inserted before
 * each character that starts a formula, at the beginning of the text and after separators at which
 * spreadsheets may split it. Decimals are unchanged, even if they start with a minus sign.
 */
function escapeFormula(text: string): string {
  return DECIMAL.test(text) ? text : text.replaceAll(FORMULA, "'");
}

const DECIMAL = /^-?\d+(\.\d+)?$/;
const FORMULA = /(?<=^|[;\t\r\n])(?=\s*[=+\-@\t\r＝＋－＠])/g;
