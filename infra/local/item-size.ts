/**
 * The size of an item in bytes as DynamoDB counts it: names and texts in UTF-8, numbers by their
 * digits, lists and maps with three bytes plus one per entry.
 */
export function itemSize(item: object): number {
  return membersOf(item).reduce(
    (sum, [name, value]) => sum + bytesOf(name) + valueSizeOf(value),
    0,
  );
}

function valueSizeOf(value: unknown): number {
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value === 'number') return numberSizeOf(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, entry) => sum + valueSizeOf(entry) + 1, 3);
  }
  return 3 + itemSize(value) + membersOf(value).length;
}

/** One byte for every two significant digits, plus one. */
function numberSizeOf(value: number): number {
  const digits = String(Math.abs(value))
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
}

function membersOf(item: object): readonly (readonly [string, unknown])[] {
  return Object.entries(item).filter(([, value]) => value !== undefined);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
