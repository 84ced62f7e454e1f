import { argv, exit, stderr, stdout } from 'node:process';
import * as z from 'zod';
import { findDeadLetterQueues } from '#infra/operate/dead-letters.ts';
import { readStatus, theLocalStack } from '#infra/operate/local-stacks.ts';
import type { Stack } from '#infra/operate/stack-option.ts';
import { openStackQueues } from '#infra/operate/stack-queues.ts';
import { openStackTable } from '#infra/operate/stack-table.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { findStage } from '#infra/stack/stages.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { findTroubles } from './find-troubles.ts';
import { type Promised, readStackStatus } from './read-status.ts';
import { statusInJson, statusInWords } from './report.ts';
import { help, readStatusOptions } from './status-options.ts';
import { findUnreadableLists } from './unreadable-lists.ts';

const TROUBLE = 3;

/** `npm run status`; `help` lists its exit codes. */
async function start(): Promise<number> {
  const options = readStatusOptions(argv.slice(2));
  if (!options) {
    stdout.write(help);
    return 0;
  }
  const stack = options.stack ?? (await theLocalStack());
  const promised = await promisedBy(stack);
  const { sqs, prefix } = await openStackQueues(stack);
  const { client, name: tableName, now } = await openStackTable({ stack, table: options.table });
  const table = createDynamoTable(client, tableName);
  const governor = createGovernorStore(table);
  const dispatch = createDispatchStore(table);
  const status = await readStackStatus({
    ...{ now, promised },
    getProgress: dispatch.progress,
    getGovernor: governor.get,
    getCadences: governor.cadences,
    allContracts: createContractStore(table, () => now).all,
    dueTimers: dispatch.due,
    getWatch: createWatchStore(table).get,
    oldestInInbox: createInboxStore(table).oldest,
    unreadableLists: () => findUnreadableLists(table),
    deadLetters: async () =>
      (await findDeadLetterQueues(sqs, prefix)).map(({ name, waiting }) => ({ name, waiting })),
  });
  const troubles = findTroubles(status);
  stdout.write((options.json ? statusInJson : statusInWords)(status, troubles));
  return troubles.length === 0 ? 0 : TROUBLE;
}

/** The budgets and cadence in the stage's settings, or in the status page of a local stack. */
async function promisedBy(stack: Stack): Promise<Promised> {
  if (stack.kind === 'local') {
    return (await readStatus(stack.url, Status).catch(noStack(stack.url))).promised;
  }
  const stage = orUsageError(() => findStage(stack.stage, stack.settings));
  return {
    budgetPerDay: stage.upstreamBudgetPerDay,
    budgetPerMonth: stage.upstreamBudgetPerMonth,
    cadenceMinutes: stage.pollCadenceMinutes,
  };
}

function noStack(url: string): (cause: unknown) => never {
  return (cause) => {
    throw new UsageError(
      `--local ${url}: no stack of npm start answers there; give the address that it printed`,
      { cause },
    );
  };
}

const Status = z.object({
  promised: z.object({
    budgetPerDay: z.number(),
    budgetPerMonth: z.number(),
    cadenceMinutes: z.number(),
  }),
});

try {
  exit(await start());
} catch (error) {
  const isUsage = error instanceof UsageError;
  stderr.write(`${isUsage ? error.message : String(error)}\n`);
  exit(isUsage ? 2 : 1);
}
