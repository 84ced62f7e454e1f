import { AsyncLocalStorage } from 'node:async_hooks';

/** Calls of one provider run side by side, and each may make any number of requests. */
const counts = new AsyncLocalStorage<{ requests: number }>();

/** Does some work, and returns how many requests it made of a provider. */
export async function countingRequests<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly requests: number }> {
  const count = { requests: 0 };
  const value = await counts.run(count, work);
  return { value, requests: count.requests };
}

/** Notes that a request is made of a provider; for whoever counts. */
export function noteRequest(): void {
  const count = counts.getStore();
  if (count !== undefined) count.requests += 1;
}
