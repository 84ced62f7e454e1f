import { createHash } from 'node:crypto';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { SentContractMessage } from './contract-message.ts';

/**
 * The actor that a message is for: one contract, one list of one tenant, one destination or
 * partition of destinations.
 */
export function contractGroup({ contract }: SentContractMessage): string {
  if (contract.length <= LONGEST_GROUP) return contract;
  return createHash('sha256').update(contract).digest('base64url');
}

/** SQS takes no longer name of a group. */
const LONGEST_GROUP = 128;

export function listGroup({ list: { tenant, id } }: Pick<JobId, 'list'>): string {
  return `${tenant}#${id}`;
}

export function channelGroup({ destinationId, partition = destinationId }: ChannelMessage): string {
  return partition;
}
