import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  PutCommand,
  paginateQuery,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';
import { keyOf } from './dynamo-table.ts';
import { inParallel } from './in-parallel.ts';

/** An existing table that a stack is about to use. */
type AdoptedTable = {
  readonly name: string;
  /** The table that the stack used until now, if it is still there. */
  readonly before: string | undefined;
  readonly now: Instant;
};

/** How many items of each kind were written. */
export type Adoption = {
  /** API keys and budgets, as they are in the table before. */
  readonly carried: number;
  /** Channels that their readers or services have ended since. */
  readonly ended: number;
  /** Contracts, watches and lists whose numbers go on where no other has been. */
  readonly renumbered: number;
  /** Topics that are looked after at once. */
  readonly topics: number;
};

/**
 * Makes a table of an earlier moment safe to go on with. What has happened outside of it since stays
 * so: a revoked key is revoked, a reader who has unsubscribed gets nothing, spent budget is spent.
 * Alert ids, revisions and versions that may have been used since are not used again, and lost
 * topics are made. A repetition does no harm. The stack must not use the table yet.
 */
export async function adoptTable(
  client: DynamoDBClient,
  { name, before, now }: AdoptedTable,
): Promise<Adoption> {
  const documents = DynamoDBDocumentClient.from(client);
  const carried = before === undefined ? 0 : await carryOver(documents, before, name);
  const ended = before === undefined ? 0 : await endChannels(documents, before, name);
  return { carried, ended, ...(await renumber(documents, name, now)) };
}

/** Partitions that are about more than the table: who may come in, and what was spent. */
const CARRIED = ['KEYS', 'UPSTREAM'];
const AT_ONCE = 16;
/** More than any number has grown since, however often it did. */
const LEAP = 1_000_000;

async function carryOver(
  documents: DynamoDBDocumentClient,
  before: string,
  TableName: string,
): Promise<number> {
  let carried = 0;
  for (const pk of CARRIED) {
    const query = {
      TableName: before,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: documents }, query)) {
      await inParallel(Items, AT_ONCE, async (Item) => {
        await documents.send(new PutCommand({ TableName, Item }));
      });
      carried += Items.length;
    }
  }
  return carried;
}

/** Only a channel that still leads to where it did: one that leads elsewhere has ended nothing. */
async function endChannels(
  documents: DynamoDBDocumentClient,
  before: string,
  TableName: string,
): Promise<number> {
  let ended = 0;
  const scan = {
    TableName: before,
    FilterExpression:
      'begins_with(sk, :channel) AND (subscription.#state = :ended OR attribute_exists(#off))',
    ExpressionAttributeNames: { '#state': 'state', '#off': 'off' },
    ExpressionAttributeValues: { ':channel': 'CHANNEL#', ':ended': 'ended' },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateScan({ client: documents }, scan)) {
    await inParallel(Items, AT_ONCE, async (item) => {
      const { configuration, subscription, off } = EndedChannel.parse(item);
      const sets = [
        ...(subscription?.state === 'ended' ? ['subscription = :subscription'] : []),
        ...(off === undefined ? [] : ['#off = :off']),
      ];
      const isThere = await unlessOther(() =>
        documents.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(item),
            UpdateExpression: `SET ${sets.join(', ')}`,
            ConditionExpression: 'configuration = :configuration',
            ...(off === undefined ? {} : { ExpressionAttributeNames: { '#off': 'off' } }),
            ExpressionAttributeValues: {
              ':configuration': configuration,
              ...(subscription?.state === 'ended' ? { ':subscription': subscription } : {}),
              ...(off === undefined ? {} : { ':off': off }),
            },
          }),
        ),
      );
      if (isThere) ended += 1;
    });
  }
  return ended;
}

const EndedChannel = z.looseObject({
  configuration: z.string(),
  subscription: z.looseObject({ state: z.string() }).optional(),
  off: z.unknown().optional(),
});

async function renumber(
  documents: DynamoDBDocumentClient,
  TableName: string,
  now: Instant,
): Promise<Pick<Adoption, 'renumbered' | 'topics'>> {
  let renumbered = 0;
  let topics = 0;
  const scan = {
    TableName,
    ProjectionExpression: 'pk, sk, version, alerts, #state',
    FilterExpression:
      'begins_with(pk, :contracts) OR begins_with(pk, :watches) OR begins_with(sk, :list) OR begins_with(sk, :job)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ...{ ':contracts': 'CONTRACTS#', ':watches': 'WATCHES#' },
      ...{ ':list': 'LIST#', ':job': 'JOB#' },
    },
    ConsistentRead: true,
  };
  const update = (item: unknown, UpdateExpression: string, values: Record<string, number>) =>
    documents.send(
      new UpdateCommand({
        TableName,
        Key: keyOf(item),
        UpdateExpression,
        ExpressionAttributeValues: values,
      }),
    );
  for await (const { Items = [] } of paginateScan({ client: documents }, scan)) {
    await inParallel(Items, AT_ONCE, async (item) => {
      const { sk, version, alerts, state } = Numbered.parse(item);
      if (sk.startsWith('JOB#')) {
        if (!sk.endsWith('#topic')) return;
        await update(item, 'SET dueAt = :now', { ':now': now });
        topics += 1;
        return;
      }
      // An item that is broken has no number to go on from.
      if (version === undefined) return;
      // A watch that has never had a value nor an alert says so once: it has to stay recognizable.
      const isUntouched = alerts === undefined || (alerts === 0 && state === 'unknown');
      const more = isUntouched ? '' : ', alerts = alerts + :leap';
      await update(item, `SET version = version + :leap${more}`, { ':leap': LEAP });
      renumbered += 1;
    });
  }
  return { renumbered, topics };
}

const Numbered = z.looseObject({
  sk: z.string(),
  version: z.int().optional().catch(undefined),
  alerts: z.int().optional().catch(undefined),
  state: z.string().optional().catch(undefined),
});

/** Whether a write was made, rather than refused by its condition. */
async function unlessOther(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
