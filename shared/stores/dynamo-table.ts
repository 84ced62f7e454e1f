import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import type { ThresholdIndexPosition } from '#shared/domain/rules/threshold-index.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type Item, type Key, keyOfWrite, type Range, type Table, wholeItem } from './table.ts';

/** The dependencies of the table on its runtime. */
export type TableRuntime = {
  /** A unique text; DynamoDB allows at most 36 characters. */
  readonly newWriteId: () => string;
  /** Waits before a write is retried; `attempt` counts from 1. */
  readonly pause: (attempt: number) => Promise<void>;
};

/** Attempts at a write that conflicts with other transactions. */
const MOST_ATTEMPTS = 6;

/**
 * The table on DynamoDB.
 *
 * The SDK repeats a request whose response was lost. If the first request was applied, the
 * condition of the repeated write fails. Each item therefore has the id of its last write. If this
 * is our id, our write was applied. If the item has the version of our write but another id, our
 * write was not applied. Transactions have a request token instead, which DynamoDB remembers for
 * ten minutes.
 */
export function createDynamoTable(
  client: DynamoDBClient,
  tableName: string,
  { newWriteId, pause }: TableRuntime,
): Table {
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  });

  noteLostAnswers(documents);

  /** Sends a write and retries it while other transactions hold its items. */
  const sendWrite = async (
    what: string,
    send: () => Promise<unknown>,
    judge: (error: unknown, isLost: boolean) => 'applied' | Error | undefined,
  ): Promise<void> => {
    const answers = { isLost: false };
    for (let attempt = 1; ; attempt += 1) {
      try {
        await ANSWERS.run(answers, send);
        return;
      } catch (error) {
        if (isHeld(error) && attempt < MOST_ATTEMPTS) {
          await pause(attempt);
          continue;
        }
        const verdict = judge(error, answers.isLost);
        if (verdict === 'applied') return;
        if (verdict !== undefined) throw verdict;
        throw answers.isLost ? new OutcomeUnknownError(what, { cause: error }) : error;
      }
    }
  };

  const query = async (input: Omit<QueryCommandInput, 'TableName'>) => {
    const answer = await documents.send(new QueryCommand({ TableName: tableName, ...input }));
    return { items: answer.Items ?? [], last: answer.LastEvaluatedKey };
  };

  return {
    get: async ({ pk, sk }) => {
      const { Item: found } = await documents.send(
        new GetCommand({ TableName: tableName, Key: { pk, sk }, ConsistentRead: true }),
      );
      return found === undefined ? undefined : StoredItem.parse(found);
    },

    put: async (item, version) => {
      const writeId = newWriteId();
      await sendWrite(
        pathOf(item),
        () =>
          documents.send(
            new PutCommand({ TableName: tableName, ...putting(item, version, writeId) }),
          ),
        (error, isLost) => {
          if (!(error instanceof ConditionalCheckFailedException)) return undefined;
          const found = isLost ? LastWrite.parse(error.Item ?? {}) : undefined;
          if (found?.writeId === writeId) return 'applied';
          if (isLost && found?.version !== item.version) return undefined;
          return new VersionConflictError(pathOf(item), { cause: error });
        },
      );
    },

    delete: async ({ pk, sk }, version) => {
      const path = pathOf({ pk, sk });
      await sendWrite(
        path,
        () =>
          documents.send(
            new DeleteCommand({
              ...{ TableName: tableName, Key: { pk, sk } },
              ...whileVersion(version, 'attribute_not_exists(pk) OR '),
            }),
          ),
        (error, isLost) =>
          error instanceof ConditionalCheckFailedException && !isLost
            ? new VersionConflictError(path, { cause: error })
            : undefined,
      );
    },

    transact: async (writes) => {
      const writeId = newWriteId();
      await sendWrite(
        writes.map((write) => pathOf(keyOfWrite(write))).join(', '),
        () =>
          documents.send(
            new TransactWriteCommand({
              ClientRequestToken: newWriteId(),
              TransactItems: writes.map((write) =>
                'put' in write
                  ? { Put: { TableName: tableName, ...putting(write.put, write.version, writeId) } }
                  : {
                      Delete: {
                        ...{ TableName: tableName, Key: keyOf(write.delete) },
                        ...whileVersion(write.version),
                      },
                    },
              ),
            }),
          ),
        (error) => {
          if (!(error instanceof TransactionCanceledException)) return undefined;
          const reasons = reasonsOf(error);
          const write = writes[reasons.indexOf('ConditionalCheckFailed')];
          // If DynamoDB rejected another write of the transaction as invalid, the error is a bug in
          // our code and not a version conflict.
          if (write === undefined || !reasons.every(isOfOthers)) return error;
          return new VersionConflictError(pathOf(keyOfWrite(write)), { cause: error });
        },
      );
    },

    query: async ({ pk, range, limit, descending = false, after }) => {
      const { items, last } = await query({
        ...withinRange('pk', pk, 'sk', range),
        ConsistentRead: true,
        Limit: limit,
        ScanIndexForward: !descending,
        ...(after === undefined ? {} : { ExclusiveStartKey: { pk, sk: after } }),
      });
      const next = last === undefined ? {} : { next: StoredItem.parse(last).sk };
      return { entries: items.map((item) => StoredItem.parse(item)), ...next };
    },

    queryThresholdIndex: async ({ index, pk, range, limit, after }) => {
      const { items, last } = await query({
        ...withinRange('pk', pk, index, range),
        IndexName: index,
        ConsistentRead: true,
        Limit: limit,
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: { pk, sk: after.sk, [index]: after.position } }),
      });
      const next = last === undefined ? {} : { next: positionIn(index, last) };
      return { entries: items.map(keyOf), ...next };
    },

    due: async (shard, until, limit, after) => {
      const { items } = await query({
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard AND dueAt <= :until',
        ExpressionAttributeValues: { ':shard': shard, ':until': until },
        Limit: limit,
        ...(after && { ExclusiveStartKey: { ...after, dueShard: shard } }),
      });
      return items.map((item) => DueKey.parse(item));
    },
  };
}

const StoredKey = z.object({ pk: z.string(), sk: z.string() });
const DueKey = StoredKey.extend({ dueAt: z.number() });
/** An item without the id of its last write, which stores do not need. */
export const StoredItem = z
  .looseObject({ ...StoredKey.shape, writeId: z.string().optional() })
  .transform(({ writeId: _writeId, ...item }) => item);

export function keyOf(item: unknown): Key {
  return StoredKey.parse(item);
}

function positionIn(
  index: string,
  last: Readonly<Record<string, unknown>>,
): ThresholdIndexPosition {
  return { sk: StoredItem.parse(last).sk, position: z.string().parse(last[index]) };
}

function withinRange(pkName: string, pk: string, skName: string, { from, to }: Range) {
  return {
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#pk': pkName, '#sk': skName },
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
  };
}

function putting(item: Item, version: number | undefined, writeId: string) {
  return { Item: { ...wholeItem(item), writeId }, ...whileVersion(version) };
}

function whileVersion(version: number | undefined, otherwise = '') {
  if (version === undefined) return {};
  // DynamoDB returns the current item with the refusal, at no cost.
  const refusal = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  if (version === 0) return { ConditionExpression: 'attribute_not_exists(pk)', ...refusal };
  return {
    ConditionExpression: `${otherwise}#version = :version`,
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
    ...refusal,
  };
}

/** The last write of an item, from the refusal of a conditional write. */
const LastWrite = z.object({
  writeId: z
    .object({ S: z.string() })
    .transform(({ S }) => S)
    .optional(),
  version: z
    .object({ N: z.string() })
    .transform(({ N }) => Number(N))
    .optional()
    .catch(undefined),
});

function pathOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}

/** Whether an attempt of the current write received no response. */
const ANSWERS = new AsyncLocalStorage<{ isLost: boolean }>();

/** Records each attempt of the SDK at a write that DynamoDB may have applied without a response. */
function noteLostAnswers({ middlewareStack }: DynamoDBDocumentClient): void {
  middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const isRefused = error instanceof DynamoDBServiceException && error.$fault === 'client';
        const answers = ANSWERS.getStore();
        if (answers !== undefined && !isRefused) answers.isLost = true;
        throw error;
      }
    },
    // Runs inside the retries, so that it sees every attempt.
    { step: 'finalizeRequest', priority: 'low', name: 'noteLostAnswers', override: true },
  );
}

/** Whether a write was not applied because of concurrent transactions or throttling. */
function isHeld(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const reasons = reasonsOf(error);
  return reasons.every(isOfOthers) && !reasons.includes('ConditionalCheckFailed');
}

/**
 * Whether a transaction was cancelled because of the state of the table, and not because a write is
 * invalid.
 */
function isOfOthers(reason: string): boolean {
  return OF_OTHERS.has(reason);
}

const OF_OTHERS: ReadonlySet<string> = new Set([
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** The cancellation reasons in the order of the writes. */
function reasonsOf({ CancellationReasons = [] }: TransactionCanceledException): readonly string[] {
  return CancellationReasons.map(({ Code = 'None' }) => Code);
}
