import { orUsageError, UsageError } from '#infra/command-line/usage-error.ts';
import { findDeadLetterQueues, moveBack, peek } from '#infra/operate/dead-letters.ts';
import type { Stack } from '#infra/operate/stack.ts';
import { readSettings } from '#infra/stack/settings.ts';
import { findStage } from '#infra/stack/stages.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { type Account, openAccount } from './account.ts';

/** A deployed stage in its account. */
export type DeployedStack = Stack & {
  readonly account: Account;
  readonly tableName: () => Promise<string>;
};

type Named = {
  readonly stage: string;
  /** The folder of the settings. */
  readonly settings: string;
  /** Required if the stage has several tables. */
  readonly table?: string | undefined;
};

export function openDeployedStack({ stage, settings: folder, table }: Named): DeployedStack {
  const settings = orUsageError(() => readSettings(folder, stage));
  const account = openAccount(settings?.deployedTo?.region);
  const { sqs, dynamodb } = account;
  const name = `floorwatch-${stage}`;

  /**
   * The table in the settings, otherwise the stack's own. The name is looked up by prefix, so
   * without settings a restored table, or a retained table of an earlier stack, may match as well.
   */
  const tableName = async () => {
    const known = table ?? settings?.tableName;
    if (known !== undefined) return known;
    const all = await account.tables.named(stage);
    const own = all.filter((one) => settings === undefined || one.startsWith(`${name}-WatchTable`));
    const [only, ...others] = own;
    if (only === undefined) {
      throw new UsageError(
        `the stack ${name} has no table in this account and region: is it deployed?`,
      );
    }
    if (others.length === 0) return only;
    throw new UsageError(
      `the stage ${stage} has several tables; choose one with --table: ${own.join(', ')}`,
    );
  };

  return {
    name: `the stack ${name}`,
    url: async () => {
      const url = (await account.stacks.find(name))?.outputs.get('ApiUrl');
      if (url !== undefined) return url;
      throw new UsageError(
        `the stack ${name} has no API URL in this account and region: is it deployed?`,
      );
    },
    stage: async () => orUsageError(() => findStage(stage, settings)),
    table: async () => createBulkTable(dynamodb, await tableName(), tableRuntime),
    now: async () => Date.now(),
    queues: async () => ({
      deadLetterQueues: () => findDeadLetterQueues(sqs, `${name}-`),
      peek: (queue) => peek(sqs, queue),
      moveBack: (queue, source) => moveBack(sqs, queue, source),
    }),
    ...{ account, tableName },
  };
}
