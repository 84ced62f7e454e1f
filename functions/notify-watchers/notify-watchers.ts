import { HOUR } from '#shared/domain/market/instant.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import { type PendingTarget, settleIfDone } from '#shared/domain/watching/pending.ts';
import type { WatchlistId } from '#shared/domain/watching/watchlist.ts';
import { announceExpiry } from './announce-expiry.ts';
import { deliverAlert } from './deliver-alert.ts';
import { emptyOutbox } from './empty-outbox.ts';
import type { NotifyWatchersPorts } from './ports.ts';
import { releaseHeld } from './release-held.ts';

/** Handles one message of a watchlist's actor. */
export async function notifyWatchers(
  ports: NotifyWatchersPorts,
  message: ListMessage,
): Promise<void> {
  const list = { tenant: message.tenant, id: message.list };
  switch (message.kind) {
    case 'watch':
      return await emptyOutbox(ports, message);
    case 'alert':
      return await deliverAlert(ports, { ...message, watchlist: message.list });
    case 'topic':
      return await bringTopicInLine(ports, list);
    case 'expiry':
      return await announceExpiry(ports, list, message.rule, message.revision);
    case 'unmute':
      return await releaseHeld(ports, list);
  }
}

/** Who was taken off a list before confirming is taken off after it: SNS lets it lapse in days. */
async function lookAgain(
  ports: NotifyWatchersPorts,
  list: WatchlistId,
  revision: number,
): Promise<void> {
  const notedAt = ports.now();
  const version = ports.newVersion();
  const target = { kind: 'topic' as const };
  await ports.notePending({ list, target, revision, notedAt, dueAt: notedAt + HOUR, version });
}

async function bringTopicInLine(ports: NotifyWatchersPorts, id: WatchlistId): Promise<void> {
  const target: PendingTarget = { kind: 'topic' };
  const pending = await ports.getPending(id, target);
  const list = await ports.getWatchlist(id);
  const channels = list?.channels ?? [];
  const emails = channels.flatMap((channel) => (channel.kind === 'email' ? [channel.to] : []));
  const { strangersMayConfirm } = await ports.subscribeToList(id, emails);
  if (strangersMayConfirm) return await lookAgain(ports, id, list?.revision ?? 0);
  await settleIfDone(ports.settlePending, pending, list?.revision ?? 0, ports.now());
}
