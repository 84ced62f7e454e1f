import { createHash } from 'node:crypto';
import type { ChannelMessage } from './channel-message.ts';
import type { SentContractMessage } from './contract-message.ts';
import type { ListMessage } from './list-message.ts';

/**
 * The actor that a message is for: one contract, one list of one tenant, one destination or lane of
 * destinations.
 */
export function contractGroup({ contract }: SentContractMessage): string {
  if (contract.length <= LONGEST_GROUP) return contract;
  return createHash('sha256').update(contract).digest('base64url');
}

/** SQS takes no longer name of a group. */
const LONGEST_GROUP = 128;

export function listGroup({ tenant, list }: ListMessage): string {
  return `${tenant}#${list}`;
}

export function channelGroup({ destinationId, lane = destinationId }: ChannelMessage): string {
  return lane;
}
