import { SECOND } from '#shared/domain/market/instant.ts';

/**
 * The deadline in milliseconds for an answer that takes several calls. It equals the deadline of a
 * single call of other providers. All series of a contract are stored together, so slow sales must
 * not delay the floor.
 */
export const ANSWER_DEADLINE = 8 * SECOND;

const LATE = { kind: 'failed', reason: 'timeout' } as const;

/** Aborts an answer of several calls at the deadline, with the same outcome as a late call. */
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
    // A look-up that several answers share is aborted at the deadline of the first one.
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (isLate) return LATE;
    throw error;
  }
}
