import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { emptyOutbox } from './empty-outbox.ts';
import { notifyWatchers } from './notify-watchers.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/**
 * Handles the messages of one invocation. When many watches of a list fire at once, their outboxes
 * are emptied side by side: the list is read once for all of them, and each destination gets one
 * message.
 */
export function notifyTogether(
  ports: NotifyWatchersPorts,
): (message: ListMessage) => Promise<void> {
  const documents = {
    getWatchlist: oncePerList(ports.getWatchlist),
    getMutes: oncePerList(ports.getMutes),
  };
  const hints = new Map<string, Outgoing<ChannelMessage>>();
  let underWay = 0;
  const gathering = {
    ...ports,
    sendToChannels: async (messages: readonly Outgoing<ChannelMessage>[]) => {
      for (const hint of messages) hints.set(hint.message.destinationId, hint);
    },
  };
  return async (message) => {
    if (message.kind !== 'watch') return await notifyWatchers(ports, message);
    underWay += 1;
    try {
      await emptyOutbox(gathering, message, documents);
    } finally {
      underWay -= 1;
      if (underWay === 0) await send(ports, hints);
    }
  };
}

/** What a message is about: outboxes of different watches have nothing to do with one another. */
export function subjectOf(message: ListMessage): string | undefined {
  return message.kind === 'watch' ? `${message.contract} ${message.rule}` : undefined;
}

/** A hint that is not sent costs time only: the timer of its destination stands for it. */
async function send(
  { sendToChannels, report }: NotifyWatchersPorts,
  hints: Map<string, Outgoing<ChannelMessage>>,
): Promise<void> {
  const all = [...hints.values()];
  hints.clear();
  if (all.length === 0) return;
  try {
    await sendToChannels(all);
  } catch (error) {
    report('hints_not_sent', { destinations: all.length, error });
  }
}
