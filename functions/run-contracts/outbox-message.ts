import { isUrgent } from '#shared/domain/channels/alert-record.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';

/**
 * The message that sends the list's actor to a watch's outbox; none if the outbox is empty.
 * Messages for the same last alert are duplicates, unless `again` differs: it repeats a message
 * that may be lost.
 */
export function outboxMessage(
  { tenant, list, rule, contract, outbox }: Watch,
  again?: number,
): readonly Outgoing<ListMessage>[] {
  const last = outbox.at(-1);
  if (last === undefined) return [];
  const urgent = outbox.some(isUrgent) ? { isUrgent: true as const } : {};
  const message: ListMessage = { kind: 'watch', tenant, list, rule, contract, ...urgent };
  return [{ message, deduplication: JSON.stringify([message, last.id, again]) }];
}
