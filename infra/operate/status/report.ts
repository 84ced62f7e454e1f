import { type EmailSending, sendingInWords } from '#infra/operate/account/email-sending.ts';
import type { OperatorTopics } from '#infra/operate/account/operator-topics.ts';
import { RUNBOOK_PAGE } from '#infra/stack/runbook.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { skippedInWords } from '#shared/domain/market/skipped.ts';
import {
  budgetsUsed,
  deadLettersInWords,
  denialInWords,
  type State,
  type Trouble,
} from './find-troubles.ts';
import type { Operations } from './operations.ts';

/** The state of a stack, with its problems and the source of the data. */
export type Status = State & {
  readonly healthy: boolean;
  readonly troubles: readonly Trouble[];
  readonly source: Source;
  /** The email addresses to which the test page was sent. */
  readonly paged?: readonly string[];
};

/** The source of `operations`. */
type Source =
  | { readonly kind: 'interface'; readonly whyNoTable: string | null }
  /** The table and the queues. */
  | { readonly kind: 'table'; readonly whyNoInterface: string };

export function inWords({ troubles, source, paged, ...state }: Status): string {
  const results = troubles.map(({ text, act, section }) => {
    const more = section === undefined ? '' : ` (${RUNBOOK_PAGE}, "${section}")`;
    return `problem: ${text}. To fix it: ${act}${more}`;
  });
  return [
    ...[['read from', sourceInWords(source)], ...stateInWords(state)].map(
      ([name = '', text = '']) => `${name.padEnd(14)}${text}`,
    ),
    ...(results.length === 0 ? ['No problems found.'] : results),
    ...(paged === undefined ? [] : [pagedInWords(paged)]),
    '',
  ].join('\n');
}

function pagedInWords(paged: readonly string[]): string {
  return paged.length === 0
    ? 'The test page was not sent, because no operator has confirmed the subscription.'
    : `Sent a test page to ${paged.join(', ')}.`;
}

function sourceInWords(source: Source): string {
  if (source.kind === 'table') {
    return `the table and the queues, because the API is not available: ${source.whyNoInterface}`;
  }
  const { whyNoTable: why } = source;
  return why === null
    ? 'the API and the table'
    : `the API only, because the table cannot be read: ${why}`;
}

function stateInWords({ operations, table, account }: State): readonly (readonly string[])[] {
  const { at, tick, providers, cadence, queues } = operations;
  const ago = (moment: string | null) =>
    moment === null ? 'never' : `${span(Date.parse(at) - Date.parse(moment))} ago`;
  const { day, month } = budgetsUsed(operations);
  const { emails, operators, canary } = account ?? {};
  const deadLetters = queues.filter((queue) => queue.deadLetters > 0);
  return [
    ['last tick', ago(tick.at)],
    ...providers.map((provider, index) => [
      index === 0 ? 'provider' : '',
      providerInWords(provider),
    ]),
    ['budget used', `${day}% of today's, ${month}% of this month's`],
    ['polls', `every ${cadence.longestMinutes} minutes`],
    ...(table === null ? [] : tableInWords(table, ago)),
    ...(emails ? [['emails', emailsInWords(emails)]] : []),
    ...(operators ? [['operators', operatorsInWords(operators)]] : []),
    ...(canary ? [['canary', canaryInWords(canary.lastAt, ago)]] : []),
    ['dead letters', deadLettersInWords(deadLetters) || 'none'],
  ];
}

function tableInWords(
  { data, channels, pendingChanges }: NonNullable<State['table']>,
  ago: (moment: string | null) => string,
): readonly (readonly string[])[] {
  const since = channels.since === null ? '' : `, the oldest ${ago(channels.since)}`;
  return [
    ['contracts', `${data.watched} watched, ${data.silent} without a usable response`],
    ...data.silentContracts.map(({ contract, why }) => ['', `${contract}  ${why}`]),
    ...data.skipped.map(({ contract, series, records }, index) => [
      index === 0 ? 'skipped' : '',
      `${contract}  ${series}: ${skippedInWords(records)}`,
    ]),
    ['newest floor', data.freshest === null ? 'none' : ago(data.freshest)],
    [
      'oldest floor',
      data.oldest === null ? 'none' : `${ago(data.oldest)}  ${data.oldestContract ?? ''}`.trimEnd(),
    ],
    ['channels', `${channels.count} with waiting alerts${since}`],
    ['changes', `${pendingChanges} overdue`],
  ];
}

function canaryInWords(lastAt: string | null, ago: (moment: string) => string): string {
  return lastAt === null ? 'no message in the last three days' : `last message ${ago(lastAt)}`;
}

function operatorsInWords({ pages, tickets }: OperatorTopics): string {
  const named = ({ confirmed }: OperatorTopics['pages']) => confirmed.join(', ') || 'nobody';
  return `${named(pages)} for pages, ${named(tickets)} for tickets`;
}

function emailsInWords(emails: EmailSending): string {
  const { sender, isVerified, sentInDay } = emails;
  if (!isVerified) return `SES has not verified ${sender}, so SNS sends all emails as plain text`;
  return `the account sent ${sentInDay} in the last 24 hours; ${sendingInWords(emails)}`;
}

function providerInWords({ provider, denials, blockedUntil }: Operations['providers'][number]) {
  const denied = denials.map(
    (denial) =>
      `${denialInWords(denial)}, first denied at ${denial.since}, next attempt at ${denial.triedAgainAt}`,
  );
  const blocked = blockedUntil === null ? [] : [`gets no calls until ${blockedUntil}`];
  const said = [...denied, ...blocked];
  return `${provider} ${said.length === 0 ? 'responds' : said.join('; ')}`;
}

/** The largest two units of a span: `3 d 4 h`, `2 min 5 s`. */
function span(milliseconds: number): string {
  let left = Math.max(0, Math.floor(milliseconds / SECOND));
  const parts = UNITS.map(([seconds, name]) => {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    return { count, name };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0 s';
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, name }) => `${count} ${name}`).join(' ');
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;
