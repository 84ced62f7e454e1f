import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PollPricesPorts } from './ports.ts';

/** Milliseconds that one more call needs: 8 s for its answer, and 2 s to store it. */
const TIME_TO_STOP = 10 * SECOND;

/** Whether there is time for a call at its planned time, which may be seconds away. */
export function hasTimeFor(
  callAt: Instant,
  { remainingTime, now }: Pick<PollPricesPorts, 'remainingTime' | 'now'>,
): boolean {
  return remainingTime() - (callAt - now()) >= TIME_TO_STOP;
}
