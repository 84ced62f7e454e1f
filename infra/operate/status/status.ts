import { env } from 'node:process';
import * as z from 'zod';
import { mistakeIn } from '#infra/command-line/mistake-in.ts';
import { flag } from '#infra/command-line/options.ts';
import { messageOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import type { OperatorTopics } from '#infra/operate/account/operator-topics.ts';
import { KEY_VARIABLE } from '#infra/operate/interface.ts';
import { openStack, type Stack } from '#infra/operate/stack.ts';
import { tableTarget } from '#infra/operate/target.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { findTroubles, type State } from './find-troubles.ts';
import { askOperations, readOwnOperations } from './operations.ts';
import { readAccountState, readTableState } from './read-rest.ts';
import { inWords, type Status } from './report.ts';

const options = z.object({
  ...tableTarget,
  page: flag(
    'also send the operators a test page, in the same way as an alarm that needs action now',
  ),
});

export const verb = defineVerb<z.output<typeof options>, Status>({
  name: 'status',
  description: `Reports the state of a stack: its last tick, the data provider and its budgets, the oldest data, waiting alerts and changes, who gets its alarms, the canary, and dead letters. With a key in the variable ${KEY_VARIABLE} (scope operate), it queries the API of the stack. Without a key, or while the API does not respond, it reads the table and the queues, so it works even if functions fail. It changes nothing.`,
  options,
  found: 'found problems (lines that begin with "problem:")',
  inWords,
  run: async ({ page, ...given }, report) => {
    if (page && given.stage === undefined) {
      throw new UsageError('--page needs --stage: a local stack has no operators');
    }
    const stack = await openStack(given);
    const { [KEY_VARIABLE]: key } = env;
    const { source, ...state } = await readState(stack, key);
    const troubles = findTroubles(state);
    const paged = page ? { paged: await pageOperators(stack, state.account?.operators) } : {};
    const healthy = troubles.length === 0;
    report({ healthy, troubles, source, ...state, ...paged });
    return healthy ? 'done' : 'found';
  },
});

/**
 * Reads the state from the API if the API responds, and the rest from the table and the account.
 */
export async function readState(
  stack: Stack,
  key: string | undefined,
): Promise<State & Pick<Status, 'source'>> {
  const asked = await askOperations(stack, key);
  if ('why' in asked) {
    const [operations, rest] = await Promise.all([readOwnOperations(stack), readRest(stack)]);
    return { source: { kind: 'table', whyNoInterface: asked.why }, operations, ...rest };
  }
  try {
    const rest = await readRest(stack);
    return { source: { kind: 'interface', whyNoTable: null }, operations: asked, ...rest };
  } catch (error) {
    // A user with a key of the API may have no AWS credentials.
    const whyNoTable = mistakeIn(error) ?? messageOf(error);
    return {
      source: { kind: 'interface', whyNoTable },
      ...{ operations: asked, table: null, account: null },
    };
  }
}

async function readRest(stack: Stack) {
  const [table, now] = await Promise.all([stack.table(), stack.now()]);
  const [tableState, account] = await Promise.all([
    readTableState(table, now),
    readAccountState(stack),
  ]);
  return { table: tableState, account };
}

/** Sends a test page to the operators; returns the addresses that receive it. */
async function pageOperators(
  { account, stage }: Stack,
  operators: OperatorTopics | null | undefined,
): Promise<readonly string[]> {
  if (account === undefined || !operators) {
    throw new UsageError(
      '--page: the stage has no alarm topic; deploy the stage with npm run operate -- setup',
    );
  }
  await account.sendTestPage((await stage()).name, operators.pages);
  return operators.pages.confirmed;
}
