import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { WakeWorkPorts } from './ports.ts';

/** Milliseconds between two looks. */
const LOOKED_AGAIN_AFTER = 10 * SECOND;
/** Milliseconds after its begin at which a tick leaves the rest to the next. */
const STAYED_FOR = 50 * SECOND;
/** Milliseconds: while a channel is due within these, more may be due soon. */
const SOON = 2 * MINUTE;
/** Of each shard, in one look. */
const CHANNELS_PER_SHARD = 1000;

/**
 * Sends channels their messages when they are due within the minute: a grouped message to people is
 * not to wait for the next tick. Costs one reading while no channel has anything to do.
 */
export async function stayForChannels(
  { now, sleepUntil, channelsDue, sendToChannels }: WakeWorkPorts,
  begun: Instant,
  signal: AbortSignal,
): Promise<void> {
  const end = begun + STAYED_FOR;
  const sent = new Set<string>();
  for (let look = begun + LOOKED_AGAIN_AFTER; look <= end; look += LOOKED_AGAIN_AFTER) {
    if (look <= now()) continue;
    if ((await channelsDue(look + SOON, 1)).length === 0) return;
    await sleepUntil(look, signal);
    const due = (await channelsDue(look, CHANNELS_PER_SHARD)).flatMap(
      ({ destinationId, dueAt }) => {
        const deduplication = `due ${destinationId} ${dueAt}`;
        // What was due before was sent by the tick itself, or by an earlier look.
        if (dueAt <= begun || sent.has(deduplication)) return [];
        sent.add(deduplication);
        return [{ message: { destinationId }, deduplication }];
      },
    );
    await sendToChannels(due);
  }
}
