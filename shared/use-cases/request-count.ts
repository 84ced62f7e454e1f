import { AsyncLocalStorage } from 'node:async_hooks';
import type { Skipped, SkipReason } from '#shared/domain/market/skipped.ts';

type Counts = { requests: number; skipped: Skipped };

/** Calls of one provider run side by side, and each may make any number of requests. */
const counts = new AsyncLocalStorage<Counts>();

/** Does some work, and returns how many requests it made of a provider, and which records it skipped. */
export async function countingRequests<Value>(
  work: () => Promise<Value>,
): Promise<Readonly<Counts> & { readonly value: Value }> {
  const count: Counts = { requests: 0, skipped: {} };
  const value = await counts.run(count, work);
  return { value, ...count };
}

/** Notes that a request is made of a provider; for whoever counts. */
export function noteRequest(): void {
  const count = counts.getStore();
  if (count !== undefined) count.requests += 1;
}

/** Notes that a record of an answer is skipped; for whoever counts. */
export function noteSkipped(reason: SkipReason): void {
  const count = counts.getStore();
  if (count === undefined) return;
  count.skipped = { ...count.skipped, [reason]: (count.skipped[reason] ?? 0) + 1 };
}
