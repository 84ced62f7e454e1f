import { waitForAll } from './wait-for-all.ts';

/**
 * Processes items in groups of `size`, one group after another. The results have the order of the
 * items.
 */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await waitForAll(items.slice(start, start + size).map(work))));
  }
  return results;
}
