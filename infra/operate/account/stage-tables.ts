import { setTimeout } from 'node:timers/promises';
import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  paginateListTables,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { type Stage, tablePrefix } from '#infra/stack/stages.ts';
import { DUE_INDEX, LOCAL_INDEXES, TABLE_KEY, TTL_ATTRIBUTE } from '#infra/stack/table-schema.ts';

/** The points in time to which a table can be restored, both inclusive. */
export type RestoreWindow = { readonly earliest: Date; readonly latest: Date };

/** The tables of stages: tables that stacks created, and restored tables. */
export type StageTables = {
  readonly named: (stage: string) => Promise<readonly string[]>;
  /** Undefined while its point-in-time recovery is off. */
  readonly restoreWindow: (name: string) => Promise<RestoreWindow | undefined>;
  /** Starts to restore a table into a new one; `status` reports when it is ready. */
  readonly restore: (source: string, target: string, at: Date) => Promise<void>;
  /** `ACTIVE` when the table is usable; undefined if it does not exist. */
  readonly status: (name: string) => Promise<string | undefined>;
  /**
   * The keys and indexes of a stack's table that this table lacks; they can only be added by
   * creating a new table.
   */
  readonly lacking: (name: string) => Promise<readonly string[]>;
  /**
   * Applies all settings that CloudFormation gives the stack's own table and that a restore omits.
   * Throws a UsageError if the table cannot be used by a stack.
   */
  readonly protect: (name: string, stage: Stage) => Promise<void>;
};

export function createStageTables(client: DynamoDBClient): StageTables {
  const describe = async (TableName: string) => {
    try {
      return (await client.send(new DescribeTableCommand({ TableName }))).Table;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  };

  return {
    named: async (stage) => {
      const names: string[] = [];
      for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
        names.push(...TableNames.filter((name) => name.startsWith(tablePrefix(stage))));
      }
      return names;
    },

    restoreWindow: async (TableName) => {
      const asked = new DescribeContinuousBackupsCommand({ TableName });
      const { ContinuousBackupsDescription: found } = await client.send(asked);
      const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
        found?.PointInTimeRecoveryDescription ?? {};
      return earliest && latest && { earliest, latest };
    },

    restore: async (SourceTableName, TargetTableName, RestoreDateTime) => {
      const wanted = { SourceTableName, TargetTableName, RestoreDateTime };
      await client.send(new RestoreTableToPointInTimeCommand(wanted));
    },

    lacking: async (name) => {
      const table = await describe(name);
      return table === undefined ? [] : lackingIn(table);
    },

    status: async (name) => (await describe(name))?.TableStatus,

    protect: async (name, { name: stage, retainsData }) => {
      const table = await describe(name);
      expectUsable(name, table);
      await keepTimeToLive(client, name);
      await keepRecovery(client, name);
      if (table.DeletionProtectionEnabled !== retainsData) {
        const change = { TableName: name, DeletionProtectionEnabled: retainsData };
        await client.send(new UpdateTableCommand(change));
      }
      const Tags = Object.entries({ product: 'floorwatch', stage }).map(([Key, Value]) => ({
        ...{ Key, Value },
      }));
      await client.send(new TagResourceCommand({ ResourceArn: table.TableArn, Tags }));
    },
  };
}

function expectUsable(
  name: string,
  table: TableDescription | undefined,
): asserts table is TableDescription {
  if (table === undefined) {
    throw new UsageError(`there is no table ${name} in this account and region`);
  }
  if (table.TableStatus === 'CREATING') {
    throw new UsageError(`the table ${name} is still being created: repeat the command later`);
  }
  const lacking = lackingIn(table);
  if (lacking.length === 0) return;
  throw new UsageError(
    `a stack cannot use the table ${name}, because it lacks ${lacking.join(', ')}: restore the table with all its indexes`,
  );
}

function lackingIn(table: TableDescription): readonly string[] {
  const indexes = [...(table.LocalSecondaryIndexes ?? []), ...(table.GlobalSecondaryIndexes ?? [])];
  const keys = new Map(indexes.map(({ IndexName, KeySchema }) => [IndexName, textOf(KeySchema)]));
  const wanted = [
    ...LOCAL_INDEXES.map((index) => [index, [TABLE_KEY[0], index]] as const),
    [DUE_INDEX.name, DUE_INDEX.key] as const,
  ];
  const lacking = wanted.flatMap(([index, key]) =>
    keys.get(index) === key.join(', ') ? [] : [`the index ${index} (${key.join(', ')})`],
  );
  const hasKey = textOf(table.KeySchema) === TABLE_KEY.join(', ');
  return hasKey ? lacking : [...lacking, `the primary key (${TABLE_KEY.join(', ')})`];
}

function textOf(key: readonly KeySchemaElement[] | undefined): string {
  return (key ?? []).map(({ AttributeName }) => AttributeName).join(', ');
}

async function keepTimeToLive(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription: found } = await client.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  // DynamoDB rejects an update that enables TTL again.
  if (found?.TimeToLiveStatus === 'ENABLED' || found?.TimeToLiveStatus === 'ENABLING') return;
  const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

const TRIES = 30;
const PAUSE = 10_000;

/**
 * DynamoDB rejects changes of a table's backups for a while after its restore, so the update is
 * retried.
 */
async function keepRecovery(client: DynamoDBClient, TableName: string, tries = TRIES) {
  const { ContinuousBackupsDescription: found } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  if (found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED') return;
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  const wanted = { TableName, PointInTimeRecoverySpecification };
  try {
    await client.send(new UpdateContinuousBackupsCommand(wanted));
  } catch (error) {
    if (!(error instanceof ContinuousBackupsUnavailableException) || tries === 1) throw error;
    await setTimeout(PAUSE);
    await keepRecovery(client, TableName, tries - 1);
  }
}
