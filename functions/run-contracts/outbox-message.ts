import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';

/**
 * Sends the list's actor to a watch's outbox; nothing where that is empty. The same last alert makes
 * the same message, unless `again` makes it another, since a message may be lost.
 */
export function outboxMessage(
  { tenant, list, rule, contract, outbox }: Watch,
  again?: number,
): readonly Outgoing<ListMessage>[] {
  const last = outbox.at(-1);
  if (last === undefined) return [];
  const message: ListMessage = { kind: 'watch', tenant, list, rule, contract };
  return [{ message, deduplication: JSON.stringify([message, last.id, again]) }];
}
