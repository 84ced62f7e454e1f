import { isDeepStrictEqual } from 'node:util';
import { postIntentAfterCheck } from '#shared/domain/channels/post-intent.ts';
import { type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { DueLimits } from '#shared/domain/messages/due-cursors.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { WakeWorkPorts } from './ports.ts';
import { workUntilMinuteEnds } from './work-until-minute-ends.ts';

/** The summary of a tick. */
export type WakeSummary = {
  readonly at: Instant;
  readonly timers: number;
  /** The keys of unreadable items, which are skipped until they are repaired. */
  readonly unreadable: readonly string[];
  /** The due time of the oldest waiting job or channel. */
  readonly overdueSince: Instant | undefined;
};

/** Maximum numbers of timers that one tick reads from each shard. */
const DUE_PER_SHARD: DueLimits = { oldest: 200, behind: 1000 };

/**
 * Sends each list and each channel its due work. A repeated tick sends nothing new, and the next
 * tick compensates for a missed tick.
 */
export async function wakeWork(ports: WakeWorkPorts, signal: AbortSignal): Promise<WakeSummary> {
  const now = ports.now();
  const cursors = await ports.getCursors();
  const due = await ports.dueTimers(now, DUE_PER_SHARD, cursors);
  // Store the cursors before sending, so that the next tick reaches the following timers even if a
  // timer cannot be sent.
  if (!isDeepStrictEqual(due.dueCursors, cursors)) await ports.noteCursors(due.dueCursors);
  await sendTimers(ports, due.timers, Math.floor(now / MINUTE));
  await workUntilMinuteEnds(ports, now, signal);
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

/**
 * Starts, once each, the workers of destinations that due post intents name and whose inboxes have
 * waiting alerts.
 */
async function lookIntoInboxes(
  ports: WakeWorkPorts,
  due: readonly Timer[],
  minute: Minute,
): Promise<void> {
  const ids = due.flatMap((timer) => (timer.kind === 'postIntent' ? [timer.id] : []));
  const all = (await waitForAll(ids.map(ports.getPostIntent))).filter(
    (intent) => intent !== undefined,
  );
  const destinations = [...new Set(all.flatMap((intent) => intent.destinations))];
  const looks = await waitForAll(destinations.map(ports.hasWaiting));
  const waiting = new Set(destinations.filter((_destination, index) => looks[index] === true));
  await ports.sendToChannels(
    [...waiting].map((destinationId) => ({
      message: { destinationId },
      deduplication: `intent ${destinationId} ${minute}`,
    })),
  );
  await waitForAll(
    all.map(async (intent) => {
      const wereWaiting = intent.destinations.some((one) => waiting.has(one));
      const after = postIntentAfterCheck(intent, wereWaiting, ports.now());
      await (after === undefined ? ports.removePostIntent(intent) : ports.putPostIntent(after));
    }),
  );
}
