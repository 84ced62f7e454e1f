import type { OperatorTopic } from '#infra/operate/account/operator-topics.ts';
import { RUNBOOK, type Section } from '#infra/stack/runbook.ts';
import { THRESHOLDS } from '#infra/stack/thresholds.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { Operations } from './operations.ts';
import type { AccountState, TableState } from './read-rest.ts';

/**
 * A problem of a stack with its remedy. If an alarm reports the same problem, `section` is the
 * alarm's section of the runbook.
 */
export type Trouble = { readonly text: string; readonly act: string; readonly section?: Section };

/** The readable part of a stack's state; the other parts are null. */
export type State = {
  readonly operations: Operations;
  readonly table: TableState | null;
  readonly account: AccountState | null;
};

/** Finds the problems of a stack, with the thresholds of its alarms. */
export function findTroubles({ operations, table, account }: State): readonly Trouble[] {
  const now = Date.parse(operations.at);
  const isOlder = (since: string | null | undefined, age: number) =>
    typeof since === 'string' && now - Date.parse(since) >= age;
  const { tick, providers, cadence, overdueSince } = operations;
  const keyEndsAt = providers[0]?.keyEndsAt ?? null;
  const { day, month } = budgetsUsed(operations);
  const givenUp = operations.queues.filter(({ deadLetters }) => deadLetters > 0);
  const { silent = 0, watched = 0, freshest } = table?.data ?? {};
  const { canary } = account ?? {};
  const unreadable = table?.unreadable ?? [];
  return [
    when(
      tick.at === null || isOlder(tick.at, THRESHOLDS.withoutTicksMinutes * MINUTE),
      'No ticks',
      tick.at === null ? 'there has been no tick yet' : `the last tick was at ${tick.at}`,
    ),
    when(
      tick.missed >= THRESHOLDS.missedTicks,
      'No ticks',
      `${tick.missed} ticks in the last day failed or were late; the next ticks caught up`,
    ),
    providers.flatMap(({ provider, denials }) =>
      denials.flatMap((denial) =>
        when(true, 'Upstream denied', `the data provider ${provider} ${denialInWords(denial)}`),
      ),
    ),
    when(
      keyEndsAt !== null && Date.parse(keyEndsAt) - now < THRESHOLDS.keyEndsWithinHours * HOUR,
      'Upstream key expires',
      `the key of the data provider expires at ${keyEndsAt}`,
    ),
    Object.values(account?.operators ?? {}).flatMap(unconfirmedAt),
    when(
      Math.max(day, month) >= THRESHOLDS.budgetPercent,
      'Upstream budget',
      `${day}% of the day's budget is used, ${month}% of the month's`,
    ),
    when(
      cadence.isFarStretched,
      'Upstream budget',
      `some contracts are polled every ${cadence.longestMinutes} minutes, instead of every ${cadence.configuredMinutes}`,
    ),
    when(
      isOlder(freshest, THRESHOLDS.dataAgeHours * HOUR),
      'Data age',
      `no floor is newer than ${freshest}`,
    ),
    when(
      (100 * silent) / Math.max(1, watched) >= THRESHOLDS.silentPercent,
      'Data age',
      `${silent} of ${watched} contracts have had no usable response for an hour`,
    ),
    when(
      isOlder(overdueSince, THRESHOLDS.overdueMinutes * MINUTE),
      'Overdue work',
      `work for an alert, a list or a channel has been overdue since ${overdueSince}`,
    ),
    when(
      isOlder(table?.channels.operatorsSince, THRESHOLDS.overdueMinutes * MINUTE),
      'Overdue work',
      `the operators' own channel has had an undelivered alert since ${table?.channels.operatorsSince}`,
    ),
    when(
      canary?.lastAt === null || isOlder(canary?.lastAt, THRESHOLDS.canaryAgeHours * HOUR),
      'Canary',
      canary?.lastAt === null
        ? 'no canary message has arrived in the last three days'
        : `no canary message has arrived since ${canary?.lastAt}`,
    ),
    when(
      givenUp.length > 0,
      'Dead letters',
      `messages failed repeatedly: ${deadLettersInWords(givenUp)}`,
    ),
    when(
      unreadable.length > 0,
      'Broken items',
      `this version cannot read ${unreadable.join(', ')}`,
    ),
  ].flat();
}

function when(isTrouble: boolean, section: Section, text: string): readonly Trouble[] {
  return isTrouble ? [{ section, text, act: RUNBOOK[section].act }] : [];
}

function unconfirmedAt({ name, arn, unconfirmed }: OperatorTopic): readonly Trouble[] {
  return unconfirmed.map((email) => ({
    text: `${email} gets no messages from ${name}: the subscription is not confirmed`,
    act: `ask ${email} to follow the link in the email from SNS. To send this email again: aws sns subscribe --topic-arn ${arn} --protocol email --notification-endpoint ${email}`,
  }));
}

type ProviderState = Operations['providers'][number];

/** The used part of the first provider's budgets, in percent. */
export function budgetsUsed({ providers: [first] }: Operations) {
  const percent = (span: ProviderState['budgets'][number]['span']) => {
    const { used = 0, limit = 1 } = first?.budgets.find((budget) => budget.span === span) ?? {};
    return Math.round((100 * used) / limit);
  };
  return { day: percent('day'), month: percent('month') };
}

/** For example, `denies API requests access to the traits search (plan)`. */
export function denialInWords({ user, what, reason }: ProviderState['denials'][number]): string {
  return `denies ${USERS[user]} access to ${what} (${reason})`;
}

const USERS: Readonly<Record<UpstreamUser, string>> = {
  polling: 'polls',
  interface: 'API requests',
};

export function deadLettersInWords(queues: Operations['queues']): string {
  return queues.map(({ queue, deadLetters }) => `${deadLetters} in ${queue}`).join(', ');
}
