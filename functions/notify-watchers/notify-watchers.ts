import type { Alert } from '#shared/domain/alerting/alert.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import { retryingConflicts } from '#shared/domain/version-conflict.ts';
import { type PendingTarget, settleIfDone } from '#shared/domain/watching/pending.ts';
import type { Watch, WatchId } from '#shared/domain/watching/watch.ts';
import {
  generationOf,
  type Watchlist,
  type WatchlistId,
} from '#shared/domain/watching/watchlist.ts';
import { announceExpiry } from './announce-expiry.ts';
import { createAlert, deliverAlert } from './deliver-alert.ts';
import type { NotifyWatchersPorts } from './ports.ts';

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
  }
}

/**
 * Takes over the alerts in a watch's outbox: each becomes an item of its own, with all who must
 * get it, before it leaves the outbox. Alerts of a rule or member that is gone are dropped.
 */
async function emptyOutbox(ports: NotifyWatchersPorts, id: WatchId): Promise<void> {
  const taken = await retryingConflicts(async () => {
    const watch = await ports.getWatch(id);
    if (watch === undefined || watch.outbox.length === 0) return [];
    const list = await ports.getWatchlist({ tenant: id.tenant, id: id.list });
    const standing =
      list === undefined ? [] : watch.outbox.filter((alert) => stands(list, watch, alert));
    for (const alert of standing) {
      if (list !== undefined) await createAlert(ports, list, alert);
    }
    reportDropped(ports, watch, standing);
    const { outboxDueAt: _sent, ...rest } = watch;
    await ports.putWatch({ ...rest, outbox: [] });
    return standing;
  });
  for (const alert of taken) await deliverAlert(ports, alert);
}

function stands({ deleted, rules, members }: Watchlist, watch: Watch, alert: Alert): boolean {
  const rule = rules.find(({ id }) => id === watch.rule);
  const member = members.find(({ contract }) => contract === watch.contract);
  return (
    !deleted &&
    rule?.enabled === true &&
    member !== undefined &&
    alert.generation === generationOf(rule, member)
  );
}

function reportDropped(ports: NotifyWatchersPorts, watch: Watch, standing: readonly Alert[]): void {
  for (const { id } of watch.outbox.filter((alert) => !standing.includes(alert))) {
    ports.report('alert_dropped', { alert: id });
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
