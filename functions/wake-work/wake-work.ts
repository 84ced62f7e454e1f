import { isDeepStrictEqual } from 'node:util';
import { hintsAfterLook } from '#shared/domain/channels/hints.ts';
import { type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { DueLimits } from '#shared/domain/messages/due-cursors.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { WakeWorkPorts } from './ports.ts';
import { stayForChannels } from './stay-for-channels.ts';

/** What a tick sent. */
export type WakeSummary = {
  readonly at: Instant;
  readonly timers: number;
  /** The keys of unreadable items: they are skipped until they are repaired. */
  readonly unreadable: readonly string[];
  /** Since when the longest waiting job or channel is due. */
  readonly overdueSince: Instant | undefined;
};

/** Timers of a shard in one tick. */
const DUE_PER_SHARD: DueLimits = { oldest: 200, behind: 1000 };

/**
 * Sends each list and each channel its due work. A repeated tick sends nothing new, and the next one
 * makes up for a missed one.
 */
export async function wakeWork(ports: WakeWorkPorts, signal: AbortSignal): Promise<WakeSummary> {
  const now = ports.now();
  const cursors = await ports.getCursors();
  const due = await ports.dueTimers(now, DUE_PER_SHARD, cursors);
  // If a timer cannot be sent, the next tick must still reach the timers behind it.
  if (!isDeepStrictEqual(due.dueCursors, cursors)) await ports.noteCursors(due.dueCursors);
  await sendTimers(ports, due.timers, Math.floor(now / MINUTE));
  await stayForChannels(ports, now, signal);
  const { timers, unreadable, overdueSince } = due;
  return { at: now, timers: timers.length, unreadable, overdueSince };
}

function deduplicationOf(timer: Timer, minute: Minute): string {
  return `due ${JSON.stringify(timer)} ${minute}`;
}

async function sendTimers(
  ports: WakeWorkPorts,
  due: readonly Timer[],
  minute: Minute,
): Promise<void> {
  const toLists: Outgoing<JobId>[] = [];
  const toChannels: Outgoing<ChannelMessage>[] = [];
  for (const timer of due) {
    const deduplication = deduplicationOf(timer, minute);
    if (timer.kind === 'channel') {
      toChannels.push({ message: { destinationId: timer.destinationId }, deduplication });
    } else if (timer.kind === 'job') {
      toLists.push({ message: timer.job, deduplication });
    }
  }
  await ports.sendToLists(toLists);
  await ports.sendToChannels(toChannels);
  await lookIntoInboxes(ports, due, minute);
}

/** Sends the destinations of hints in whose inboxes alerts wait, each once. */
async function lookIntoInboxes(
  ports: WakeWorkPorts,
  due: readonly Timer[],
  minute: Minute,
): Promise<void> {
  const ids = due.flatMap((timer) => (timer.kind === 'hints' ? [timer.id] : []));
  const all = (await waitForAll(ids.map(ports.getHints))).filter((hints) => hints !== undefined);
  const destinations = [...new Set(all.flatMap((hints) => hints.destinations))];
  const looks = await waitForAll(destinations.map(ports.hasWaiting));
  const waiting = new Set(destinations.filter((_destination, index) => looks[index] === true));
  await ports.sendToChannels(
    [...waiting].map((destinationId) => ({
      message: { destinationId },
      deduplication: `hints ${destinationId} ${minute}`,
    })),
  );
  await waitForAll(
    all.map(async (hints) => {
      const wereWaiting = hints.destinations.some((one) => waiting.has(one));
      const after = hintsAfterLook(hints, wereWaiting, ports.now());
      await (after === undefined ? ports.removeHints(hints) : ports.putHints(after));
    }),
  );
}
