import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { RunContractsPorts } from './ports.ts';

/** Milliseconds that must be left to ask once more: 8 s for the answer, 6 s for an evaluation. */
const TIME_TO_STOP = 14 * SECOND;

/** Whether there is time for a call in that slot, which may be seconds away. */
export function hasTimeFor(
  slot: Instant,
  { remainingTime, now }: Pick<RunContractsPorts, 'remainingTime' | 'now'>,
): boolean {
  return remainingTime() - (slot - now()) >= TIME_TO_STOP;
}
