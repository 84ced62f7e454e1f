import { UsageError } from '#infra/command-line/usage-error.ts';
import type { Stage } from '#infra/stack/stages.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import type { Account } from './account/account.ts';
import type { StackQueues } from './dead-letters.ts';
import { readLocalStack, theLocalStack } from './local-stacks.ts';
import { createRemoteQueues } from './remote-queues.ts';
import { createRemoteTable } from './remote-table.ts';

/** A stack whose parts are connected only when a verb uses them. */
export type Stack = {
  /** The name of the stack in messages. */
  readonly name: string;
  /** The URL of its API. */
  readonly url: () => Promise<string>;
  readonly stage: () => Promise<Stage>;
  readonly table: () => Promise<BulkTable>;
  /** The clock of the stack: `npm start` may run in virtual time. */
  readonly now: () => Promise<Instant>;
  readonly queues: () => Promise<StackQueues>;
  /** The account of a deployed stage. */
  readonly account: Account | undefined;
};

type Target = {
  readonly stage?: string | undefined;
  readonly url?: string | undefined;
  readonly settings: string;
  readonly table?: string | undefined;
};

/** Finds the stack that the options select. */
export async function openStack({ stage, url, settings, table }: Target): Promise<Stack> {
  if (stage !== undefined && url !== undefined) {
    throw new UsageError('give either --stage <name> or --url <url>');
  }
  if (stage !== undefined) {
    // The AWS clients take half a second to load, so they are loaded on demand.
    const { openDeployedStack } = await import('./account/deployed-stack.ts');
    return openDeployedStack({ stage, settings, table });
  }
  if (table !== undefined) throw new UsageError('--table needs --stage');
  return openStackAt(url ?? (await theLocalStack()));
}

/** A stack at a URL. Its table and queues can be reached only if it runs on this machine. */
function openStackAt(url: string): Stack {
  return {
    name: `the stack at ${url}`,
    url: async () => url,
    stage: async () => (await readLocalStack(url)).stage,
    table: async () => {
      await readLocalStack(url);
      return createRemoteTable(url);
    },
    now: async () => Date.parse((await readLocalStack(url)).time),
    queues: async () => {
      await readLocalStack(url);
      return createRemoteQueues(url);
    },
    account: undefined,
  };
}
