import type { SkipReason } from '#shared/domain/market/skipped.ts';
import { noteSkipped } from '#shared/use-cases/request-count.ts';

const NOT_READABLE: ReadonlySet<SkipReason> = new Set(['no_time', 'unreadable']);

/**
 * Reads the records of a page one by one. `read` returns a value, the reason to skip the record, or
 * undefined if the record is outside the request. Skipped records are counted.
 *
 * Returns undefined if no record of the page is readable, because the page then has an unknown
 * format.
 */
export function readRecords<Value extends object>(
  records: readonly unknown[],
  read: (record: unknown) => Value | SkipReason | undefined,
): readonly Value[] | undefined {
  const values: Value[] = [];
  let isReadable = records.length === 0;
  for (const record of records) {
    const found = read(record);
    if (typeof found === 'string') noteSkipped(found);
    isReadable ||= typeof found !== 'string' || !NOT_READABLE.has(found);
    if (typeof found === 'object') values.push(found);
  }
  return isReadable ? values : undefined;
}
