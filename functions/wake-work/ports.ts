import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import type { DueStore } from '#shared/stores/due-store.ts';
import type { HintStore } from '#shared/stores/hint-store.ts';

export type WakeWorkPorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly getCursors: DueStore['cursors'];
  readonly noteCursors: DueStore['noteCursors'];
  readonly dueTimers: DueStore['dueFromCursors'];
  readonly channelsDue: DueStore['channelsDue'];
  readonly getHints: HintStore['get'];
  readonly putHints: HintStore['putAfterLook'];
  readonly removeHints: HintStore['remove'];
  /** Whether alerts wait in the inbox of a destination that may be sent now. */
  readonly hasWaiting: (destinationId: DestinationId) => Promise<boolean>;
  readonly sendToLists: (messages: readonly Outgoing<JobId>[]) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};
