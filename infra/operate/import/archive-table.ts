import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { findLocalStacks, readStatus } from '#infra/operate/local-stacks.ts';
import { UsageError } from '#infra/operate/usage-error.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import type { ImportOptions } from './import-options.ts';

/** The table of the stack that is meant. */
export async function openArchiveTable(
  options: Pick<ImportOptions, 'stack' | 'table'>,
): Promise<BulkTable> {
  const { stack = { kind: 'local' as const, url: await theLocalStack() }, table } = options;
  if (stack.kind === 'local') return await tableAt(stack.url);
  const client = new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS });
  return createBulkTable(client, table ?? (await tableOf(client, stack.stage)), pause);
}

const MOST_ATTEMPTS = 8;

async function theLocalStack(): Promise<string> {
  const [url, ...others] = await findLocalStacks();
  if (url === undefined) {
    throw new UsageError('no stack of npm start runs here: give --local URL or --stage NAME');
  }
  if (others.length > 0) {
    const urls = [url, ...others].join(', ');
    throw new UsageError(`several stacks of npm start run here, give one by --local: ${urls}`);
  }
  return url;
}

async function tableAt(url: string): Promise<BulkTable> {
  const { dynamodb } = await readStatus(url, Status).catch((error: unknown) => {
    throw new UsageError(`--local ${url}: no stack of npm start answers there`, { cause: error });
  });
  const { endpoint, region, table } = dynamodb;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return createBulkTable(new DynamoDBClient({ endpoint, region, credentials }), table, pause);
}

const Status = z.object({
  dynamodb: z.object({ endpoint: z.url(), region: z.string(), table: z.string() }),
});

/** A table is named by its stack; one that outlived an earlier stack may stand beside it. */
async function tableOf(client: DynamoDBClient, stage: string): Promise<string> {
  const prefix = `floorwatch-${stage}-WatchTable`;
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    names.push(...TableNames.filter((name) => name.startsWith(prefix)));
  }
  const [name, ...others] = names;
  if (name === undefined) {
    throw new UsageError(`the stack floorwatch-${stage} has no table here: is it deployed?`);
  }
  if (others.length === 0) return name;
  throw new UsageError(`give one of these by --table: ${names.join(', ')}`);
}

/** Longer each time, up to ten seconds, and never for all at the same moment. */
async function pause(attempt: number): Promise<void> {
  const most = Math.min(50 * 2 ** attempt, 10_000);
  await sleep(most / 2 + (Math.random() * most) / 2);
}
