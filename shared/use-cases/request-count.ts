import { AsyncLocalStorage } from 'node:async_hooks';
import type { Skipped, SkipReason } from '#shared/domain/market/skipped.ts';

type Counts = { requests: number; skipped: Skipped };

/** Calls to a provider run concurrently, and each may make several requests. */
const counts = new AsyncLocalStorage<Counts>();

/** Runs work and counts the requests and the skipped records of a provider. */
export async function countingRequests<Value>(
  work: () => Promise<Value>,
): Promise<Readonly<Counts> & { readonly value: Value }> {
  const count: Counts = { requests: 0, skipped: {} };
  const value = await counts.run(count, work);
  return { value, ...count };
}

/** Counts a request to a provider. */
export function noteRequest(): void {
  const count = counts.getStore();
  if (count !== undefined) count.requests += 1;
}

/** Counts a skipped record. */
export function noteSkipped(reason: SkipReason): void {
  const count = counts.getStore();
  if (count === undefined) return;
  count.skipped = { ...count.skipped, [reason]: (count.skipped[reason] ?? 0) + 1 };
}
