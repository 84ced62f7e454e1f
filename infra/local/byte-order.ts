import type { Range } from '#shared/stores/table.ts';

/** Halves of surrogate pairs, and the characters that JavaScript sorts behind them and DynamoDB before. */
const OUT_OF_ORDER = /[\ud800-\uffff]/g;

/** A text that JavaScript sorts as DynamoDB sorts the given one: by its bytes in UTF-8. */
export function inByteOrder(text: string): string {
  return text.replace(OUT_OF_ORDER, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\ue000' ? 0x2000 : -0x800)),
  );
}

/** The text that `inByteOrder` was given. */
export function asWritten(sortable: string): string {
  return sortable.replace(OUT_OF_ORDER, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\uf800' ? 0x800 : -0x2000)),
  );
}

/** Refuses a range that DynamoDB refuses, and a page that starts outside of its range. All are in byte order. */
export function expectRange({ from, to }: Range, after: string | undefined): void {
  if (from === '' || from > to) throw new RangeError(`no range: from "${from}" to "${to}"`);
  if (after === undefined) return;
  if (after < from || after > to) throw new RangeError(`"${after}" is outside of the range`);
}
