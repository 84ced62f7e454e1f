import type { Range } from '#shared/stores/table.ts';

/**
 * The characters on whose order JavaScript and DynamoDB disagree: JavaScript sorts surrogates
 * before the characters from U+E000 to U+FFFF, DynamoDB after them.
 */
const OUT_OF_ORDER = /[\ud800-\uffff]/g;

/**
 * Maps a text to one that JavaScript sorts as DynamoDB sorts the original, by its bytes in UTF-8.
 */
export function inByteOrder(text: string): string {
  return text.replace(OUT_OF_ORDER, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\ue000' ? 0x2000 : -0x800)),
  );
}

/** The inverse of `inByteOrder`. */
export function asWritten(sortable: string): string {
  return sortable.replace(OUT_OF_ORDER, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\uf800' ? 0x800 : -0x2000)),
  );
}

/**
 * Rejects the same ranges as DynamoDB, and a page that starts outside of its range. All arguments
 * are in byte order.
 */
export function expectRange({ from, to }: Range, after: string | undefined): void {
  if (from === '' || from > to) throw new RangeError(`no range: from "${from}" to "${to}"`);
  if (after === undefined) return;
  if (after < from || after > to) throw new RangeError(`"${after}" is outside of the range`);
}
