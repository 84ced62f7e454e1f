import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { WakeWorkPorts } from './ports.ts';

/** Milliseconds between two checks. */
const LOOKED_AGAIN_AFTER = 10 * SECOND;
/** Milliseconds after its start at which a tick leaves the remaining work to the next tick. */
const STAYED_FOR = 50 * SECOND;
/** Checks continue while some channel is due within this many milliseconds. */
const SOON = 2 * MINUTE;
/** Maximum number of channels of each shard in one check. */
const CHANNELS_PER_SHARD = 1000;

/**
 * Starts the workers of channels that become due within the minute, so that grouped messages to
 * people need not wait for the next tick. Costs one read if no channel has work.
 */
export async function workUntilMinuteEnds(
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
        // Earlier timers were already sent, by the tick itself or by an earlier check.
        if (dueAt <= begun || sent.has(deduplication)) return [];
        sent.add(deduplication);
        return [{ message: { destinationId }, deduplication }];
      },
    );
    await sendToChannels(due);
  }
}
