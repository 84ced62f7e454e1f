import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  PutCommand,
  paginateQuery,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { namedEntry } from '#shared/domain/channels/alert-record.ts';
import { NUMBERS_LEAP } from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { keyOf } from './dynamo-table.ts';
import { inParallel } from './in-parallel.ts';

/** An existing table that a stack is about to use. */
type AdoptedTable = {
  readonly name: string;
  /** The table that the stack used until now, if that table still exists. */
  readonly before: string | undefined;
  readonly now: Instant;
};

/** The number of written items by kind, and of alerts that were not copied. */
export type Adoption = {
  /** Copied items: API keys, provider budgets, usage of tenants, email addresses. */
  readonly carried: number;
  /** Channels that were unsubscribed or switched off after the time of the restored table. */
  readonly ended: number;
  /** Contracts, watches and lists whose version numbers were advanced past all numbers in use. */
  readonly renumbered: number;
  /** Topics whose jobs became due immediately. */
  readonly topics: number;
  /**
   * For each `<tenant>/<list>`, the number of alerts that wait only in the previous table and are
   * therefore not sent.
   */
  readonly unsent: Readonly<Record<string, number>>;
};

/**
 * Makes a table that was restored to an earlier moment safe to use.
 *
 * It keeps later changes with effects outside the table: revoked keys stay revoked, unsubscribed
 * readers get no messages, spent budget stays spent. It advances numbers, so that alert ids,
 * revisions and versions of the discarded period are not used again. It creates lost topics again.
 *
 * The function is idempotent. The stack must not use the table yet.
 */
export async function adoptTable(
  client: DynamoDBClient,
  { name, before, now }: AdoptedTable,
): Promise<Adoption> {
  const documents = DynamoDBDocumentClient.from(client);
  const brought =
    before === undefined ? NOTHING : await bringFrom(before, { documents, table: name, now });
  return { ...brought, ...(await renumber(documents, name, now)) };
}

type Restored = {
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
  readonly now: Instant;
};
type Brought = Pick<Adoption, 'carried' | 'ended' | 'unsent'>;

const NOTHING: Brought = { carried: 0, ended: 0, unsent: {} };
const AT_ONCE = 16;

/** Selects the items of the previous table that affect the restored one. */
const WHAT_HAPPENED = {
  FilterExpression: [
    'pk IN (:keys, :upstream, :dispatch)',
    'begins_with(pk, :usage)',
    'begins_with(sk, :address)',
    'begins_with(sk, :list)',
    'begins_with(sk, :channel) AND (subscription.#state = :ended OR attribute_exists(#off))',
    'begins_with(pk, :inbox)',
  ]
    .map((one) => `(${one})`)
    .join(' OR '),
  ExpressionAttributeNames: { '#state': 'state', '#off': 'off' },
  ExpressionAttributeValues: {
    ...{ ':keys': 'KEYS', ':upstream': 'UPSTREAM', ':dispatch': 'DISPATCH#0' },
    ...{ ':usage': 'USAGE#', ':address': 'ADDRESS#', ':list': 'LIST#' },
    ...{ ':channel': 'CHANNEL#', ':ended': 'ended', ':inbox': 'INBOX#' },
  },
  ConsistentRead: true,
};

async function bringFrom(before: string, restored: Restored): Promise<Brought> {
  let [carried, ended] = [0, 0];
  const unsent = new Map<string, Set<string>>();
  const waitingIn = readingInboxes(restored);
  const scan = { TableName: before, ...WHAT_HAPPENED };
  for await (const { Items = [] } of paginateScan({ client: restored.documents }, scan)) {
    await inParallel(Items, AT_ONCE, async (item) => {
      const { pk, sk } = keyOf(item);
      if (sk.startsWith('CHANNEL#')) {
        if (await endChannel(restored, item)) ended += 1;
      } else if (sk.startsWith('LIST#')) {
        await keepRevision(restored, item);
      } else if (pk.startsWith('INBOX#')) {
        const { list, ids: waiting } = alertsIn(item);
        const known = await waitingIn(pk);
        const ids = waiting.filter((id) => !known.has(id));
        if (ids.length > 0) unsent.set(list, new Set([...(unsent.get(list) ?? []), ...ids]));
      } else {
        await restored.documents.send(new PutCommand({ TableName: restored.table, Item: item }));
        carried += 1;
      }
    });
  }
  return {
    carried,
    ended,
    unsent: Object.fromEntries([...unsent].map(([list, ids]) => [list, ids.size])),
  };
}

/** Ends the restored channel only if its configuration is the same as in the previous table. */
async function endChannel({ documents, table }: Restored, item: unknown): Promise<boolean> {
  const { configuration, subscription, off } = EndedChannel.parse(item);
  const hasEnded = subscription?.state === 'ended';
  const sets = [
    ...(hasEnded ? ['subscription = :subscription'] : []),
    ...(off === undefined ? [] : ['#off = :off']),
  ];
  return await unlessOther(() =>
    documents.send(
      new UpdateCommand({
        TableName: table,
        Key: keyOf(item),
        UpdateExpression: `SET ${sets.join(', ')}`,
        ConditionExpression: 'configuration = :configuration',
        ...(off === undefined ? {} : { ExpressionAttributeNames: { '#off': 'off' } }),
        ExpressionAttributeValues: {
          ':configuration': configuration,
          ...(hasEnded ? { ':subscription': subscription } : {}),
          ...(off === undefined ? {} : { ':off': off }),
        },
      }),
    ),
  );
}

const EndedChannel = z.looseObject({
  configuration: z.string(),
  subscription: z.looseObject({ state: z.string() }).optional(),
  off: z.unknown().optional(),
});

/**
 * Writes a tombstone for a list that the restored table does not have. A later list of the same
 * name then continues after its revisions, which are part of alert ids.
 */
async function keepRevision({ documents, table, now }: Restored, item: unknown): Promise<void> {
  const { success, data: list } = MadeList.safeParse(item);
  if (!success || list.sk === `LIST#${CONTACT_POINTS}`) return;
  const Item = {
    ...{ ...list, deleted: true, deletedAt: now },
    ...{ members: [], rules: [], channels: [], contactPoints: [] },
  };
  const ConditionExpression = 'attribute_not_exists(pk)';
  await unlessOther(() =>
    documents.send(new PutCommand({ TableName: table, Item, ConditionExpression })),
  );
}

const MadeList = z.object({
  pk: z.string(),
  sk: z.string(),
  version: z.int(),
  name: z.string().catch(''),
});

/** Reads the ids of the alerts that wait in an inbox of the restored table. Caches each inbox. */
function readingInboxes({ documents, table }: Restored) {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  const read = async (pk: string): Promise<ReadonlySet<string>> => {
    const query = {
      ...{ TableName: table, ConsistentRead: true },
      ...{ KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } },
    };
    const ids = new Set<string>();
    for await (const { Items = [] } of paginateQuery({ client: documents }, query)) {
      for (const item of Items) for (const id of alertsIn(item).ids) ids.add(id);
    }
    return ids;
  };
  return (pk: string): Promise<ReadonlySet<string>> => {
    const found = known.get(pk) ?? read(pk);
    known.set(pk, found);
    return found;
  };
}

function alertsIn(item: unknown) {
  const { sk } = keyOf(item);
  const { tenant, watchlist, heldBack, last } = Entry.parse(item);
  const { alert } = namedEntry(sk, { tenant, watchlist });
  const ids = [...(heldBack?.alerts ?? []), last ?? alert].map(({ id }) => id);
  return { list: `${tenant}/${watchlist}`, ids: [...new Set(ids)] };
}

const AlertId = z.object({ id: z.string() });
const Entry = z.object({
  tenant: z.string(),
  watchlist: z.string(),
  /** The entry of a muted watch holds several alerts, so its key does not contain an alert id. */
  heldBack: z.object({ alerts: z.array(AlertId) }).optional(),
  last: AlertId.optional(),
});

const NUMBERED = {
  ProjectionExpression: 'pk, sk, version, alerts, episode, noValueSince, #state',
  FilterExpression:
    'begins_with(pk, :contracts) OR begins_with(pk, :watches) OR begins_with(sk, :list) OR begins_with(pk, :jobs)',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: {
    ...{ ':contracts': 'CONTRACTS#', ':watches': 'WATCHES#' },
    ...{ ':list': 'LIST#', ':jobs': 'JOBS#' },
  },
  ConsistentRead: true,
};

async function renumber(
  documents: DynamoDBDocumentClient,
  TableName: string,
  now: Instant,
): Promise<Pick<Adoption, 'renumbered' | 'topics'>> {
  let [renumbered, topics] = [0, 0];
  // An item that expired during the scan is not created again.
  const update = (item: unknown, UpdateExpression: string, values: Record<string, number>) =>
    unlessOther(() =>
      documents.send(
        new UpdateCommand({
          ...{ TableName, Key: keyOf(item), UpdateExpression },
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: values,
        }),
      ),
    );
  const scan = { TableName, ...NUMBERED };
  for await (const { Items = [] } of paginateScan({ client: documents }, scan)) {
    await inParallel(Items, AT_ONCE, async (item) => {
      const numbered = Numbered.parse(item);
      if (numbered.pk.startsWith('JOBS#')) {
        if (numbered.sk !== 'topic') return;
        if (await update(item, 'SET dueAt = :now', { ':now': now })) topics += 1;
        return;
      }
      const sets = leapingOf(numbered).map((number) => `${number} = ${number} + :leap`);
      if (sets.length === 0) return;
      const values = { ':leap': NUMBERS_LEAP };
      if (await update(item, `SET ${sets.join(', ')}`, values)) renumbered += 1;
    });
  }
  return { renumbered, topics };
}

const Legible = z.int().optional().catch(undefined);
const Numbered = z.looseObject({
  ...{ pk: z.string(), sk: z.string(), version: Legible, alerts: Legible, episode: Legible },
  noValueSince: Legible,
  state: z.string().optional().catch(undefined),
});

/**
 * The counters of an item that must be raised above all numbers of the previous table. Items
 * without a readable version are skipped. An open episode keeps its number, because receivers
 * identify it by that number.
 */
function leapingOf(item: z.output<typeof Numbered>): readonly string[] {
  const { version, alerts, episode, noValueSince, state = '' } = item;
  if (version === undefined) return [];
  const isOpen = ['firing', 'recovering'].includes(state) || noValueSince !== undefined;
  return [
    'version',
    ...(alerts === undefined ? [] : ['alerts']),
    ...(episode === undefined || isOpen ? [] : ['episode']),
  ];
}

/** Whether the write was applied; false if its condition failed. */
async function unlessOther(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
