import type { OperatorTopic } from '#infra/operate/account/operator-topics.ts';
import { RUNBOOK, type Section } from '#infra/stack/runbook.ts';
import { THRESHOLDS } from '#infra/stack/thresholds.ts';
import { formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { isFarStretched } from '#shared/domain/polling/cadences.ts';
import { denialInWords } from './denial-in-words.ts';
import type { StackStatus } from './read-status.ts';

/** A trouble of a stack, what to do, and its section of the runbook, where an alarm reports it too. */
export type Trouble = { readonly text: string; readonly act: string; readonly section?: Section };

/** The troubles of a stack, by the thresholds of its alarms. */
export function findTroubles(status: StackStatus): readonly Trouble[] {
  const { at, tickedAt, upstream, data, channels, overdueSince, deadLetters, unreadable } = status;
  const { canary } = status;
  const { keyEndsAt } = upstream;
  const isOlder = (since: Instant | undefined, age: number) =>
    since !== undefined && at - since >= age;
  const givenUp = deadLetters.filter((queue) => !isOfTicks(queue));
  const missedTicks = deadLetters.filter(isOfTicks).reduce((sum, { waiting }) => sum + waiting, 0);
  const { inDay, inMonth } = upstream.budgetUsed;
  const silentPercent = (100 * data.silent) / Math.max(1, data.watched);
  return [
    when(
      tickedAt === undefined || isOlder(tickedAt, THRESHOLDS.withoutTicksMinutes * MINUTE),
      'No ticks',
      tickedAt === undefined
        ? 'there has been no tick yet'
        : `the last tick was at ${formatInstant(tickedAt)}`,
    ),
    when(
      missedTicks >= THRESHOLDS.missedTicks,
      'No ticks',
      `${missedTicks} ticks of the last day failed or came too late, and the next ones made up for them`,
    ),
    upstream.providers.flatMap(({ provider, denials }) =>
      denials.flatMap((denial) =>
        when(true, 'Upstream denied', `the data provider ${provider} ${denialInWords(denial)}`),
      ),
    ),
    when(
      keyEndsAt !== undefined && keyEndsAt - at < THRESHOLDS.keyEndsWithinHours * HOUR,
      'Upstream key ends',
      `the key of the data provider ends at ${formatInstant(keyEndsAt ?? 0)}`,
    ),
    Object.values(status.operators ?? {}).flatMap(unconfirmedAt),
    when(
      Math.max(inDay, inMonth) >= THRESHOLDS.budgetPercent,
      'Upstream budget',
      `${inDay} % of the day's budget is used, ${inMonth} % of the month's`,
    ),
    when(
      isFarStretched(upstream.cadenceMinutes, upstream.promisedCadenceMinutes),
      'Upstream budget',
      `some contracts are polled every ${upstream.cadenceMinutes} minutes, not every ${upstream.promisedCadenceMinutes}`,
    ),
    when(
      isOlder(data.freshest, THRESHOLDS.dataAgeHours * HOUR),
      'Data age',
      `no floor is newer than ${formatInstant(data.freshest ?? 0)}`,
    ),
    when(
      silentPercent >= THRESHOLDS.silentPercent,
      'Data age',
      `${data.silent} of ${data.watched} contracts have had no usable answer for an hour`,
    ),
    when(
      isOlder(overdueSince, THRESHOLDS.overdueMinutes * MINUTE),
      'Overdue work',
      `an alert, a change or a channel has been due since ${formatInstant(overdueSince ?? 0)}`,
    ),
    when(
      isOlder(channels.operatorsSince, THRESHOLDS.overdueMinutes * MINUTE),
      'Overdue work',
      `the operators' own channel has not got an alert from ${formatInstant(channels.operatorsSince ?? 0)}`,
    ),
    when(
      canary !== undefined && isOlder(canary.lastAt ?? 0, THRESHOLDS.canaryAgeHours * HOUR),
      'Canary',
      canary?.lastAt === undefined
        ? 'no message of the canary has come back'
        : `no message of the canary has come back since ${formatInstant(canary.lastAt)}`,
    ),
    when(givenUp.length > 0, 'Dead letters', `given up: ${depths(givenUp)}`),
    when(unreadable.length > 0, 'Broken items', `cannot be read: ${unreadable.join(', ')}`),
  ].flat();
}

function when(isTrouble: boolean, section: Section, text: string): readonly Trouble[] {
  return isTrouble ? [{ section, text, act: RUNBOOK[section].act }] : [];
}

function unconfirmedAt({ name, arn, unconfirmed }: OperatorTopic): readonly Trouble[] {
  return unconfirmed.map((email) => ({
    text: `${email} does not get what ${name} sends: the subscription is not confirmed`,
    act: `${email} follows the link in the email of SNS. For another such email: aws sns subscribe --topic-arn ${arn} --protocol email --notification-endpoint ${email}`,
  }));
}

type Depth = StackStatus['deadLetters'][number];

function isOfTicks({ name }: Depth): boolean {
  return name.includes('MissedTicks');
}

function depths(queues: readonly Depth[]): string {
  return queues.map(({ name, waiting }) => `${waiting} in ${name}`).join(', ');
}
