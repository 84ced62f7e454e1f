import { SECOND } from '#shared/domain/market/instant.ts';

/**
 * Milliseconds for one answer, however many calls it takes: as long as one call of another provider.
 * What waits for all parts of a contract must not lose a floor to slow sales.
 */
export const ANSWER_DEADLINE = 8 * SECOND;

const LATE = { kind: 'failed', reason: 'timeout' } as const;

/** An answer of several calls that is late is none, as one call would be. */
export async function within<Answer>(
  deadlineMs: number,
  signal: AbortSignal,
  work: (inTime: AbortSignal) => Promise<Answer>,
): Promise<Answer | typeof LATE> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    // A look-up that several answers share ends with the deadline of the first.
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (isLate) return LATE;
    throw error;
  }
}
