import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Hints } from '#shared/domain/channels/hints.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { DueCursors, DueLimits } from '#shared/domain/messages/due-cursors.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';

export type WakeWorkPorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly getCursors: () => Promise<DueCursors>;
  readonly noteCursors: (cursors: DueCursors) => Promise<void>;
  /** The oldest due timers of each shard, and some of the timers behind its cursor. */
  readonly dueTimers: (
    until: Instant,
    most: DueLimits,
    dueCursors: DueCursors,
  ) => Promise<{
    readonly timers: readonly Timer[];
    readonly dueCursors: DueCursors;
    /** Since when the oldest timer is due. */
    readonly overdueSince: Instant | undefined;
    readonly unreadable: readonly string[];
  }>;
  /** The destinations that are due until then; of each shard the oldest, so many. */
  readonly channelsDue: (
    until: Instant,
    perShard: number,
  ) => Promise<readonly { readonly destinationId: DestinationId; readonly dueAt: Instant }[]>;
  readonly getHints: (id: string) => Promise<Hints | undefined>;
  readonly putHints: (hints: Hints) => Promise<void>;
  readonly removeHints: (hints: Hints) => Promise<void>;
  /** Whether alerts wait in the inbox of a destination that may be sent now. */
  readonly hasWaiting: (destinationId: DestinationId) => Promise<boolean>;
  readonly sendToLists: (messages: readonly Outgoing<JobId>[]) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};
