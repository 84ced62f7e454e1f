import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import type { DueStore } from '#shared/stores/due-store.ts';
import type { PostIntentStore } from '#shared/stores/post-intent-store.ts';

export type WakeWorkPorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly getCursors: DueStore['cursors'];
  readonly noteCursors: DueStore['noteCursors'];
  readonly dueTimers: DueStore['dueFromCursors'];
  readonly channelsDue: DueStore['channelsDue'];
  readonly getPostIntent: PostIntentStore['get'];
  readonly putPostIntent: PostIntentStore['putAfterCheck'];
  readonly removePostIntent: PostIntentStore['remove'];
  /** Whether a destination's inbox has alerts that may be sent now. */
  readonly hasWaiting: (destinationId: DestinationId) => Promise<boolean>;
  readonly sendToLists: (messages: readonly Outgoing<JobId>[]) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};
