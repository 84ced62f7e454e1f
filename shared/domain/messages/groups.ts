import { createHash } from 'node:crypto';
import { oneOf } from '#shared/domain/shard.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { SentContractMessage } from './contract-message.ts';
import type { ListMessage } from './list-message.ts';

/**
 * The actor that a message is for: one contract, one list of one tenant or some of its outboxes, one
 * destination or lane of destinations.
 */
export function contractGroup({ contract }: SentContractMessage): string {
  if (contract.length <= LONGEST_GROUP) return contract;
  return createHash('sha256').update(contract).digest('base64url');
}

/** SQS takes no longer name of a group. */
const LONGEST_GROUP = 128;

export function listGroup(message: ListMessage): string {
  const list = `${message.tenant}#${message.list}`;
  if (message.kind !== 'watch') return list;
  return `${list} ${message.isUrgent ? 'urgent' : oneOf(OUTBOX_LANES, message.contract)}`;
}

/** Outboxes of one list are emptied so many at once, beside the urgent ones. */
const OUTBOX_LANES = 2;

export function channelGroup({ destinationId, lane = destinationId }: ChannelMessage): string {
  return lane;
}
