import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { newPostIntent, type PostIntent } from '#shared/domain/channels/post-intent.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { MessagesTo } from './messages-to.ts';

export type ChannelWakerPorts = {
  readonly now: () => Instant;
  /** A number that is unique to each invocation. */
  readonly newVersion: () => number;
  readonly messagesTo: MessagesTo;
  readonly putPostIntent: (intent: PostIntent) => Promise<void>;
  readonly sendToChannels: (messages: readonly Outgoing<ChannelMessage>[]) => Promise<void>;
};

/** Starts the workers of the destinations to which an invocation posts alerts. */
export type ChannelWaker = {
  /** Must be called before an alert is posted to these destinations. */
  readonly announce: (destinationIds: readonly DestinationId[]) => Promise<void>;
  /** Records that an alert was posted to destinations, or that its write has an unknown outcome. */
  readonly note: (alert: string, destinationIds: readonly DestinationId[]) => void;
  /** Sends a message to each destination recorded since the last call. */
  readonly send: () => Promise<void>;
};

export function createChannelWaker(ports: ChannelWakerPorts): ChannelWaker {
  const announced = new Set<DestinationId>();
  const noted = new Map<DestinationId, string>();
  let writes = 0;
  let first: Pick<PostIntent, 'id' | 'since'> | undefined;
  let written: Promise<void> = Promise.resolve();

  return {
    announce: async (destinationIds) => {
      const isNew = destinationIds.some((one) => !announced.has(one));
      for (const one of destinationIds) announced.add(one);
      if (isNew) {
        first ??= { id: String(ports.newVersion()), since: ports.now() };
        writes += 1;
        const intent = newPostIntent(first.id, writes, [...announced], first.since);
        written = written.then(() => ports.putPostIntent(intent));
      }
      await written;
    },

    note: (alert, destinationIds) => {
      for (const one of destinationIds) noted.set(one, alert);
    },

    send: async () => {
      if (noted.size === 0) return;
      const alerts = new Map(noted);
      noted.clear();
      const messages = await ports.messagesTo([...alerts.keys()]);
      await ports.sendToChannels(
        messages.map((message) => ({
          message,
          deduplication: `${message.destinationId} ${alerts.get(message.destinationId)}`,
        })),
      );
    },
  };
}
