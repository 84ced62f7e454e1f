import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { tablePrefix } from '#infra/stack/stages.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { expectLocalStack, theLocalStack } from './local-stacks.ts';
import { createRemoteTable } from './remote-table.ts';
import { type DeployedStack, regionOf, type StackTableOptions } from './stack-option.ts';

export type StackTable = {
  readonly table: BulkTable;
  /** The stack's clock; a local stack may run in another time. */
  readonly now: number;
};

/** Connects to the table of a stack. */
export async function openStackTable({ stack, table }: StackTableOptions): Promise<StackTable> {
  const meant = stack ?? (await theLocalStack());
  if (meant.kind === 'local') return await tableAt(meant.url);
  const { client, name } = await openDeployedTable(meant, table);
  return { table: createBulkTable(client, name, tableRuntime), now: Date.now() };
}

/** The client and the name of the table of a deployed stage. */
export async function openDeployedTable(
  stack: DeployedStack,
  table: string | undefined,
): Promise<{ readonly client: DynamoDBClient; readonly name: string }> {
  const client = new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS, ...regionOf(stack) });
  return { client, name: table ?? (await tableOf(client, stack)) };
}

const MOST_ATTEMPTS = 8;

async function tableAt(url: string): Promise<StackTable> {
  const time = await expectLocalStack(url);
  return { table: createRemoteTable(url), now: Date.parse(time) };
}

/**
 * The table that the settings name; without one, the stack's own. A retained table of an earlier
 * stack may match as well, and without settings a restored one.
 */
async function tableOf(
  client: DynamoDBClient,
  { stage, settings }: DeployedStack,
): Promise<string> {
  if (settings?.tableName !== undefined) return settings.tableName;
  const prefix = `${tablePrefix(stage)}${settings === undefined ? '' : 'WatchTable'}`;
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    names.push(...TableNames.filter((name) => name.startsWith(prefix)));
  }
  const [name, ...others] = names;
  if (name === undefined) {
    throw new UsageError(
      `the stack floorwatch-${stage} has no table in this account and region: is it deployed?`,
    );
  }
  if (others.length === 0) return name;
  throw new UsageError(
    `the stage ${stage} has several tables; choose one with --table: ${names.join(', ')}`,
  );
}
