import { defined } from '#shared/domain/defined.ts';
import type { ReadPage, Unreadable } from '#shared/domain/unreadable.ts';

/** So many reads make a page at most, the later ones of so many entries each. */
const MOST_READS = 10;
const ENTRIES_A_READ = 100;

export type FilledPage<Entry> = ReadPage<Entry> & {
  /** Whether the page has room, and more entries may exist. */
  readonly stoppedShort: boolean;
};

type PageAsked<Entry> = {
  readonly limit: number;
  readonly after: string | undefined;
  /** The place of an entry, behind which a page begins. */
  readonly placeOf: (entry: Entry) => string;
};

/**
 * A page of the entries that are asked for among all: reads on until the page is full or the end is
 * reached, as far as a bounded number of reads goes.
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
