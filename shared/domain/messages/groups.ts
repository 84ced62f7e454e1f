import { createHash } from 'node:crypto';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { SentContractMessage } from './contract-message.ts';

/** The message group of a contract. SQS delivers the messages of a group one by one. */
export function contractGroup({ contract }: SentContractMessage): string {
  if (contract.length <= LONGEST_GROUP) return contract;
  return createHash('sha256').update(contract).digest('base64url');
}

/** SQS limits the names of message groups to this many characters. */
const LONGEST_GROUP = 128;

export function listGroup({ list: { tenant, id } }: Pick<JobId, 'list'>): string {
  return `${tenant}#${id}`;
}

export function channelGroup({ destinationId, partition = destinationId }: ChannelMessage): string {
  return partition;
}
