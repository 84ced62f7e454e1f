import { SECOND } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';

/**
 * Milliseconds for one answer, however many calls it takes: as long as one call of another provider.
 * What waits for all parts of a contract must not lose a floor to slow sales.
 */
export const ANSWER_DEADLINE = 8 * SECOND;

/** An answer of several calls that is late is none, as one call would be. */
export async function within<Value>(
  deadlineMs: number,
  signal: AbortSignal,
  work: (inTime: AbortSignal) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    // A look-up that several answers share ends with the deadline of the first.
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (isLate) return { kind: 'failed', reason: 'timeout' };
    throw error;
  }
}
