import { batchSizeOf, isForPeople } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import { watchOf } from '#shared/domain/alerting/alert.ts';
import type { InboxEntry } from '#shared/domain/channels/alert-record.ts';
import { type ChannelRecord, ROUND } from '#shared/domain/channels/channel-record.ts';

/** The most alerts of one digest; each is read and marked by itself. */
export const DIGEST = 1000;
/** Entries that are read for a round: several may be of the same watch. */
const READ_FOR_ROUND = 4 * ROUND.most;

export function isReadByPeople(destination: Destination): boolean {
  return destination.kind !== 'channel' || isForPeople(destination.channel);
}

/** Whether a program gets each alert in a request of its own, several requests at a time. */
export function isSentInRounds(destination: Destination): boolean {
  return batchSizeFor(destination) === 1;
}

/** The most alerts of one message, or of one round of requests. */
export function mostOf(destination: Destination): number {
  return isSentInRounds(destination) ? ROUND.most : batchSizeFor(destination);
}

/** The inbox entries to read for the next message or round. */
export function entriesToRead(destination: Destination): number {
  return isSentInRounds(destination) ? READ_FOR_ROUND : batchSizeFor(destination);
}

/** The entries of the next round: the first of each watch, since alerts of a watch keep their order. */
export function nextRound(
  { requestsAtOnce = ROUND.first }: ChannelRecord,
  entries: readonly InboxEntry[],
): readonly InboxEntry[] {
  const first = new Map(
    entries.map((entry) => [watchOf(entry.alert), entry] as const).toReversed(),
  );
  return entries
    .filter((entry) => first.get(watchOf(entry.alert)) === entry)
    .slice(0, requestsAtOnce);
}

function batchSizeFor(destination: Destination): number {
  return destination.kind === 'channel' && !isForPeople(destination.channel)
    ? batchSizeOf(destination.channel)
    : DIGEST;
}
