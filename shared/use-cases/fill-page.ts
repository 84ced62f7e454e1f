import { defined } from '#shared/domain/defined.ts';
import type { ReadPage, Unreadable } from '#shared/domain/unreadable.ts';

/** Maximum number of reads for a page, and the entries of each read after the first. */
const MOST_READS = 10;
const ENTRIES_A_READ = 100;

export type FilledPage<Entry> = ReadPage<Entry> & {
  /** Whether the page has room although more entries may exist. */
  readonly stoppedShort: boolean;
};

type PageAsked<Entry> = {
  readonly limit: number;
  readonly after: string | undefined;
  /** The sort key of an entry, after which the next page begins. */
  readonly placeOf: (entry: Entry) => string;
};

/**
 * A page of the selected entries. Reads until the page is full, the end is reached, or the maximum
 * number of reads is made.
 */
export async function fillPage<Entry>(
  read: (limit: number, after: string | undefined) => Promise<ReadPage<Entry>>,
  select: (entries: readonly Entry[]) => Promise<readonly Entry[]>,
  { limit, after, placeOf }: PageAsked<Entry>,
): Promise<FilledPage<Entry>> {
  const entries: Entry[] = [];
  const unreadable: Unreadable[] = [];
  let place = after;
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const page = await read(reads === 1 ? limit : ENTRIES_A_READ, place);
    unreadable.push(...page.unreadable);
    entries.push(...(await select(page.entries)).slice(0, limit - entries.length));
    const last = entries.at(-1);
    const isFull = entries.length === limit && last !== undefined;
    place = isFull && last !== page.entries.at(-1) ? placeOf(last) : page.next;
    if (place === undefined) return { entries, unreadable, stoppedShort: false };
    if (isFull) return { entries, unreadable, stoppedShort: false, next: place };
  }
  return { entries, unreadable, stoppedShort: true, ...defined({ next: place }) };
}
