import { type EmailSending, sendingInWords } from '#infra/operate/account/email-sending.ts';
import type { OperatorTopics } from '#infra/operate/account/operator-topics.ts';
import { RUNBOOK_PAGE } from '#infra/stack/runbook.ts';
import { formatInstant, type Instant, momentOf, SECOND } from '#shared/domain/market/instant.ts';
import { skippedInWords } from '#shared/domain/market/skipped.ts';
import { denialInWords } from './denial-in-words.ts';
import type { Trouble } from './find-troubles.ts';
import type { ProviderStatus, StackStatus, Waiting } from './read-status.ts';

/** One JSON document, for programs. */
export function statusInJson(status: StackStatus, troubles: readonly Trouble[]): object {
  const { upstream, data, channels } = status;
  const waiting = ({ count, since }: Waiting) => ({ count, since: momentOf(since) });
  return {
    healthy: troubles.length === 0,
    troubles,
    at: formatInstant(status.at),
    lastTick: momentOf(status.tickedAt),
    upstream: {
      ...upstream,
      providers: upstream.providers.map(({ provider, denials, blockedUntil }) => ({
        provider,
        denials: denials.map(({ user, operation = null, reason, since, probeAt }) => ({
          ...{ user, operation, reason },
          since: formatInstant(since),
          probeAt: formatInstant(probeAt),
        })),
        blockedUntil: momentOf(blockedUntil),
      })),
      cadenceMinutes: upstream.cadenceMinutes,
      keyEndsAt: momentOf(upstream.keyEndsAt),
    },
    data: {
      ...data,
      freshest: momentOf(data.freshest),
      oldest: momentOf(data.oldest),
      oldestContract: data.oldestContract ?? null,
    },
    channels: { ...waiting(channels), operatorsSince: momentOf(channels.operatorsSince) },
    emails: status.emails ?? null,
    operators: status.operators ?? null,
    canary: status.canary === undefined ? null : { lastAt: momentOf(status.canary.lastAt) },
    pendingChanges: status.changes,
    overdueSince: momentOf(status.overdueSince),
    deadLetters: status.deadLetters,
    unreadable: status.unreadable,
  };
}

/** Plain text, for people. */
export function statusInWords(status: StackStatus, troubles: readonly Trouble[]): string {
  const { at, upstream, data, channels, emails, operators, canary, deadLetters } = status;
  const ago = (instant: Instant | undefined) =>
    instant === undefined ? 'never' : `${span(at - instant)} ago`;
  const since = (waiting: Waiting) =>
    waiting.since === undefined ? '' : `, the oldest ${ago(waiting.since)}`;
  const { inDay, inMonth } = upstream.budgetUsed;
  const cadence = upstream.cadenceMinutes;
  const given = deadLetters.map(({ name, waiting }) => `${waiting} in ${name}`);
  const lines = [
    ['last tick', ago(status.tickedAt)],
    ...upstream.providers.map((provider, index) => [
      index === 0 ? 'provider' : '',
      providerInWords(provider),
    ]),
    ['budget', `${inDay} % of the day, ${inMonth} % of the month`],
    ['polls', `every ${cadence} minutes`],
    ['contracts', `${data.watched} watched, ${data.silent} without a usable answer`],
    ...data.silentContracts.map(({ contract, why }) => ['', `${contract}  ${why}`]),
    ...data.skipped.map(({ contract, part, records }, index) => [
      index === 0 ? 'skipped' : '',
      `${contract}  ${part}: ${skippedInWords(records)}`,
    ]),
    ['newest floor', ago(data.freshest)],
    ['oldest floor', `${ago(data.oldest)}${data.oldestContract ? `  ${data.oldestContract}` : ''}`],
    ['channels', `${channels.count} with waiting alerts${since(channels)}`],
    ...(emails === undefined ? [] : [['emails', emailsInWords(emails)]]),
    ...(operators === undefined ? [] : [['operators', operatorsInWords(operators)]]),
    ...(canary === undefined ? [] : [['canary', `last came back ${ago(canary.lastAt)}`]]),
    ['changes', `${status.changes} overdue`],
    ['dead letters', given.length === 0 ? 'none' : given.join(', ')],
  ];
  const result =
    troubles.length === 0
      ? ['All is well.']
      : troubles.map(({ text, act, section }) => {
          const more = section === undefined ? '' : ` (${RUNBOOK_PAGE}, "${section}")`;
          return `trouble: ${text}. Do: ${act}${more}`;
        });
  const shown = lines.map(([name = '', text = '']) => `${name.padEnd(14)}${text}`);
  return `${[...shown, ...result].join('\n')}\n`;
}

function operatorsInWords({ pages, tickets }: OperatorTopics): string {
  const named = ({ confirmed }: OperatorTopics['pages']) => confirmed.join(', ') || 'nobody';
  return `${named(pages)} for pages, ${named(tickets)} for tickets`;
}

function emailsInWords(emails: EmailSending): string {
  const { sender, isVerified, sentInDay } = emails;
  if (!isVerified) return `SES has not verified ${sender}: SNS sends all, as plain text`;
  return `${sentInDay} in 24 hours of all of the account; ${sendingInWords(emails)}`;
}

function providerInWords({ provider, denials, blockedUntil }: ProviderStatus): string {
  const denied = denials.map((denial) => {
    const { since, probeAt } = denial;
    return `${denialInWords(denial)} since ${formatInstant(since)}, tried again at ${formatInstant(probeAt)}`;
  });
  const blocked =
    blockedUntil === undefined ? [] : [`asked us to wait until ${formatInstant(blockedUntil)}`];
  const said = [...denied, ...blocked];
  return `${provider} ${said.length === 0 ? 'answers' : said.join('; ')}`;
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
