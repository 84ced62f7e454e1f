import { AsyncLocalStorage } from 'node:async_hooks';

const traces = new AsyncLocalStorage<string>();

/**
 * Runs work with a trace: the request id of the tick or the HTTP request that started it. All log
 * lines and messages of the work have this trace.
 */
export function withTrace<Result>(trace: string, work: () => Result): Result {
  return traces.run(trace, work);
}

/** The trace of the current work. */
export function currentTrace(): string | undefined {
  return traces.getStore();
}
