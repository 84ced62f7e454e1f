import process from 'node:process';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SNSClient } from '@aws-sdk/client-sns';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag } from '#infra/command-line/options.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { orUsageError, UsageError } from '#infra/command-line/usage-error.ts';
import { type EmailSending, emailSending } from '#infra/operate/account/email-sending.ts';
import {
  type OperatorTopics,
  readOperatorTopics,
  sendTestPage,
} from '#infra/operate/account/operator-topics.ts';
import { lastReturn } from '#infra/operate/canary/last-return.ts';
import { expectLocalStack, readStatus, theLocalStack } from '#infra/operate/local-stacks.ts';
import { readTable, regionOf, type Stack, tableOptions } from '#infra/operate/stack-option.ts';
import { openStackQueues, queuesClient } from '#infra/operate/stack-queues.ts';
import { openStackTable } from '#infra/operate/stack-table.ts';
import { findStage } from '#infra/stack/stages.ts';
import { readInstant } from '#shared/domain/market/instant.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { findTroubles } from './find-troubles.ts';
import { type Promised, readStackStatus } from './read-status.ts';
import { statusInJson, statusInWords } from './report.ts';
import { findUnreadableLists } from './unreadable-lists.ts';

const TROUBLE = 3;

const read = createReader({
  name: 'npm run status --',
  description:
    'Reports the state of a stack: its last tick, the data provider and its budgets, the oldest data, waiting alerts and changes, who gets its alarms, the canary, dead letters. Only reads, except with --page. Works even while the functions of the stack fail.',
  options: z.object({
    ...tableOptions,
    page: flag('send the operators a test page, like an alarm that cannot wait'),
    json: flag('one JSON document'),
  }),
  exitCodes: `0 all is well, ${TROUBLE} trouble (see the lines "trouble:"), 2 a mistake that you can correct, 1 failure`,
});

/** The settings of a local stack that its status page has. */
const Status = z.object({
  promised: z.object({
    provider: Provider,
    others: z.array(Provider),
    budgetPerDay: z.number(),
    budgetPerMonth: z.number(),
    cadenceMinutes: z.number(),
  }),
});

await runCommand(read, async ({ page, json, ...given }, { write, line }) => {
  const named = readTable(given);
  if (page && named.stack?.kind !== 'deployed') {
    throw new UsageError('--page goes with --stage: a local stack has no operators');
  }
  const stack = named.stack ?? (await theLocalStack());
  const promised = await promisedBy(stack);
  const queues = await openStackQueues(stack);
  const { table, now } = await openStackTable({ ...named, stack });
  const cadences = createCadenceStore(table);
  const due = createDueStore(table);
  const status = await readStackStatus({
    ...{ now, promised },
    getProgress: createPollProgressStore(table).get,
    getGovernor: (provider) => createGovernorStore(table, provider).get(),
    getCadences: cadences.cadences,
    allContracts: createContractStore(table, () => now).all,
    dueTimers: due.due,
    oldestInInbox: createInboxStore(table).oldest,
    getEmails: async () => await emailsOf(stack),
    getOperators: async () => await operatorsOf(stack),
    lastReturn: async () =>
      stack.kind === 'deployed' ? await lastReturn(queuesClient(stack), stack.stage) : undefined,
    unreadableLists: () => findUnreadableLists(table),
    deadLetters: async () =>
      (await queues.deadLetterQueues()).map(({ name, waiting }) => ({ name, waiting })),
  });
  const troubles = findTroubles(status);
  const paged = page ? await pageOperators(stack, status.operators) : undefined;
  if (json) line({ ...statusInJson(status, troubles), ...(paged && { paged }) });
  else write(statusInWords(status, troubles));
  if (!json && paged) write(`Sent a test page to ${paged.join(', ') || 'nobody'}.\n`);
  if (troubles.length > 0) process.exitCode = TROUBLE;
});

/** The budgets and cadence in the stage's settings, or in the status page of a local stack. */
async function promisedBy(stack: Stack): Promise<Promised> {
  if (stack.kind === 'local') {
    await expectLocalStack(stack.url);
    const { promised } = await readStatus(stack.url, Status);
    return { ...promised, keyEndsAt: undefined };
  }
  const stage = orUsageError(() => findStage(stack.stage, stack.settings));
  return {
    provider: stage.upstreamProvider,
    others: stage.otherProviders.map(({ provider }) => provider),
    budgetPerDay: stage.upstreamBudgetPerDay,
    budgetPerMonth: stage.upstreamBudgetPerMonth,
    cadenceMinutes: stage.pollCadenceMinutes,
    keyEndsAt: readInstant(stage.upstreamKeyEndsAt ?? ''),
  };
}

/** Who gets the alarms of a deployed stage. */
async function operatorsOf(stack: Stack): Promise<OperatorTopics | undefined> {
  if (stack.kind !== 'deployed') return undefined;
  const { operatorEmails } = orUsageError(() => findStage(stack.stage, stack.settings));
  return await readOperatorTopics(new SNSClient(regionOf(stack)), stack.stage, operatorEmails);
}

/** Sends the test page; returns who gets it. */
async function pageOperators(
  stack: Stack,
  operators: OperatorTopics | undefined,
): Promise<readonly string[]> {
  if (stack.kind !== 'deployed' || operators === undefined) {
    throw new UsageError('--page: the stage has no topic of alarms; deploy it with npm run setup');
  }
  await sendTestPage(new SNSClient(regionOf(stack)), operators.pages, stack.stage);
  return operators.pages.confirmed;
}

/** What SES sends for a deployed stage with a sender. */
async function emailsOf(stack: Stack): Promise<EmailSending | undefined> {
  const sender = stack.kind === 'deployed' ? stack.settings?.emailSender : undefined;
  if (stack.kind !== 'deployed' || sender === undefined) return undefined;
  return await emailSending(new SESv2Client(regionOf(stack)), sender);
}
