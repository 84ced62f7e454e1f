import type { Instant } from '#shared/domain/market/instant.ts';
import { retryingConflicts, VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChannelRecord, newChannelRecord } from './channel-record.ts';
import type { Sink } from './sink.ts';

export type ChangeChannelPorts = {
  readonly now: () => Instant;
  readonly getChannel: (sink: Sink) => Promise<ChannelRecord | undefined>;
  readonly putChannel: (record: ChannelRecord) => Promise<ChannelRecord>;
};

/** What is known of a sink; of one that nothing was sent to yet, nothing. */
export async function findChannel(ports: ChangeChannelPorts, sink: Sink): Promise<ChannelRecord> {
  return (await ports.getChannel(sink)) ?? newChannelRecord(sink, ports.now());
}

/** Changes what is known of a sink, from its reading on where somebody else has changed it; tells it. */
export async function changeChannel(
  ports: ChangeChannelPorts,
  known: ChannelRecord,
  to: (record: ChannelRecord) => ChannelRecord,
): Promise<ChannelRecord> {
  let record = known;
  return await retryingConflicts(async () => {
    const next = to(record);
    if (next === record) return record;
    try {
      return await ports.putChannel(next);
    } catch (error) {
      if (error instanceof VersionConflictError) record = await findChannel(ports, known.sink);
      throw error;
    }
  });
}
