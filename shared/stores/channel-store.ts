import * as z from 'zod';
import { type DestinationId, StackDestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId, channelOf } from '#shared/domain/channels/destination-id.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { dueAttributes } from './due-queue.ts';
import { HeldBackItem } from './held-back-item.ts';
import { nextVersion } from './next-version.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table } from './table.ts';

/** The records of destinations. */
export type ChannelStore = {
  readonly get: (destinationId: DestinationId) => Promise<ChannelRecord | undefined>;
  /** Writes the record if the stored version is unchanged; returns it with its new version. */
  readonly put: (record: ChannelRecord) => Promise<ChannelRecord>;
  /** Removes the record if the stored version is unchanged. */
  readonly remove: (record: ChannelRecord) => Promise<void>;
  /** The records of a list's channels, removed channels included. */
  readonly ofList: (list: WatchlistId) => Promise<ReadSome<ChannelRecord>>;
};

export function createChannelStore(table: Table): ChannelStore {
  return {
    get: async (destinationId) => {
      const item = await table.get(keyOf(destinationId));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async (record) => {
      const written = nextChannel(record);
      await table.put(channelItem(written), record.version);
      return written;
    },

    remove: ({ destinationId, version }) => table.delete(keyOf(destinationId), version),

    ofList: async ({ tenant, id }) => {
      const channels = beginningWith(`${CHANNEL}${id}#`);
      const items = await queryAll(table, `TENANT#${tenant}`, channels);
      return readEach(items, fromItem, ({ sk }, reason) => ({
        kind: 'channel',
        id: sk.slice(channels.from.length),
        reason,
      }));
    },
  };
}

const CHANNEL = 'CHANNEL#';
/** The partition of the operators' destinations, which do not belong to a tenant. */
const STACK = 'STACK';

/** Whether a key belongs to the record of a channel. */
export function isChannelKey({ sk }: Key): boolean {
  return sk.startsWith(CHANNEL);
}

/** The destination that the key of a channel's item identifies. */
export function destinationIdOfKey({ pk, sk }: Key): DestinationId {
  const [, list = '', channel = ''] = sk.split('#');
  if (pk === STACK) return StackDestinationId.parse(list);
  return channelDestinationId({ tenant: pk.slice('TENANT#'.length), id: list }, channel);
}

const Outcome = z.lazy(() =>
  z.object({
    state: z.enum(['accepted', 'sent', 'skipped', 'failed']),
    at: z.int(),
    reason: z.string().optional(),
  }),
);

export const ChannelItem = z.lazy(() =>
  z.object({
    version: z.int(),
    since: z.int(),
    configuration: z.string(),
    dueAt: z.int().optional(),
    recent: z.array(z.int()),
    recentUrgent: z.array(z.int()).optional(),
    recentOfLists: z.record(z.string(), z.record(z.string(), z.int())).optional(),
    notification: z
      .object({
        id: z.string(),
        entries: z.array(z.string()),
        outcome: Outcome.optional(),
        outcomes: z.record(z.string(), Outcome).optional(),
      })
      .optional(),
    notBefore: z.int().optional(),
    mutedUntil: z.int().optional(),
    failure: z
      .object({
        count: z.int(),
        reason: z.string(),
        since: z.int(),
        givingUp: z.object({ since: z.int(), announced: z.boolean() }).optional(),
      })
      .optional(),
    lastSuccessAt: z.int().optional(),
    provenAt: z.int().optional(),
    requestsAtOnce: z.int().optional(),
    isSlow: z.boolean().optional(),
    off: z.object({ reason: z.string(), since: z.int(), announced: z.boolean() }).optional(),
    undelivered: z
      .object({
        reason: z.string(),
        since: z.int(),
        lastAt: z.int(),
        announced: z.boolean(),
      })
      .optional(),
    subscription: z
      .object({
        state: z.enum(['pending', 'confirmed', 'confirmed-unprotected', 'gone', 'ended']),
        since: z.int(),
      })
      .optional(),
    shown: z
      .record(
        z.string(),
        z.object({
          message: z.string(),
          news: z.string(),
          heldBack: HeldBackItem.optional(),
          acknowledged: z.string().optional(),
        }),
      )
      .optional(),
  }),
);

/** The record with its next version. */
export function nextChannel(record: ChannelRecord): ChannelRecord {
  return { ...record, version: nextVersion(record.version, record.since) };
}

export function channelItem({ destinationId, dueAt, ...record }: ChannelRecord): Item {
  const key = keyOf(destinationId);
  return { ...key, ...record, ...dueAttributes(key, dueAt, 'DUE#CHANNELS') };
}

function fromItem(item: Item): ChannelRecord {
  return { destinationId: destinationIdOfKey(item), ...readItem('channel', ChannelItem, item) };
}

function keyOf(destinationId: DestinationId): Key {
  const channel = channelOf(destinationId);
  if (channel === undefined) return { pk: STACK, sk: `${CHANNEL}${destinationId}` };
  const { list } = channel;
  return { pk: `TENANT#${list.tenant}`, sk: `${CHANNEL}${list.id}#${channel.channel}` };
}
