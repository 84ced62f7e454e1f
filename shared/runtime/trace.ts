import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/**
 * Does work in the name of what has begun it: the request id of a tick or of an HTTP request. Every
 * line that is logged meanwhile carries it, and every message that is sent.
 */
export function withTrace<Result>(trace: string, work: () => Result): Result {
  return traces.run(trace, work);
}

/** What has begun the work that is under way. */
export function currentTrace(): string | undefined {
  return traces.getStore();
}
