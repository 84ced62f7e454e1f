import { describe, expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { emailMessage } from '#shared/channels/email/message.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { reportAlert } from '#shared/domain/watchlists/list-report.ts';
import { anAlertInWords, NOON } from '#test/support/builders.ts';

/** The first line of a message in each kind of channel, with the vendor's maximum length. */
const TITLES: readonly (readonly [
  kind: string,
  limit: number,
  titleOf: (notification: Notification) => string,
])[] = [
  ['Slack', 150, (notification) => slackMessage(notification).blocks[0].text.text],
  ['Discord', 256, (notification) => discordMessage(notification).embeds[0].title],
  ['Telegram', 263, (notification) => telegramMessage(notification).text.split('\n')[0] ?? ''],
  [
    'Teams',
    256,
    (notification) => {
      const [line] = teamsMessage(notification).attachments[0].content.body;
      return line?.type === 'RichTextBlock' ? line.inlines[0].text : '';
    },
  ],
  ['SES', 150, (notification) => emailMessage(notification, 'https://x.example').subject],
  ['SNS', 100, subjectLine],
];
/** The title as readers see it. */
const shown = (title: string) =>
  title
    .replaceAll(/\\(.)|\u2060/g, '$1')
    .replaceAll(/<\/?b>/g, '')
    .replaceAll('−', '-');

const LONG = { label: 'L&*'.repeat(33), name: 'N<_'.repeat(33) };
const CROSSED = anAlertInWords({ when: 'crosses', name: LONG.name }, { label: LONG.label });

describe.each(TITLES)('the title of a message in %s', (_kind, limit, titleOf) => {
  it.each([
    ['a crossing', CROSSED],
    [
      'a critical escalation',
      {
        ...escalatedAlert(CROSSED, undefined, NOON, NOON + 15 * MINUTE),
        severity: 'critical' as const,
      },
    ],
  ])(
    'keeps direction and value in the title of %s if label and name have 99 characters each',
    (_what, alert) => {
      const title = titleOf({ kind: 'alert', alert });

      expect(title.length).toBeLessThanOrEqual(limit);
      expect(shown(title)).toMatch(/: fell below 60 ETH, at 59\.9 ETH \(\$181k, -2\.2%\)$/);
    },
  );

  it('keeps the counts in the title of a report with a list name of 99 characters', () => {
    const list = { tenant: 'acme', id: 'desk', name: LONG.name };
    const fired = [
      { name: 'Apes', floors: [], newest: undefined, amount: 0, fired: ['low', 'low', 'low'] },
    ];
    const alert = reportAlert(list, { every: 'day', at: '08:00' }, NOON, fired);
    const title = titleOf({ kind: 'alert', alert });

    expect(title.length).toBeLessThanOrEqual(limit);
    expect(shown(title)).toMatch(/ in the last day: 0 up, 0 down, 1 rule fired 3 times$/);
  });

  it('keeps the first value in the title of a digest with names of 99 characters', () => {
    const alerts = ['a', 'b', 'c'].map((letter) => ({
      ...anAlertInWords({ name: `${letter}${LONG.name}` }),
      ...{ id: `${letter}.1.1`, contract: `eth:0x${letter.repeat(40)}` },
    }));
    const of = { name: LONG.label, contracts: 40 };
    const title = titleOf({ ...digestOf('d1', alerts), of });

    expect(title.length).toBeLessThanOrEqual(limit);
    expect(shown(title)).toMatch(/: 3 of 40 below their thresholds: .* 59\.9 ETH/);
  });
});

describe('the name of a list in a subject', () => {
  const list = { tenant: 'acme', id: 'desk' };
  const report = (name: string): Notification => ({
    kind: 'alert',
    alert: reportAlert({ ...list, name }, { every: 'day', at: '08:00' }, NOON, []),
  });
  const news = ' in the last day: 0 up, 0 down, 0 rules fired';

  it.each([
    ['日本語', 'desk'],
    ['Łódź – “ß”', 'Lodz - "ss"'],
    ['Café 日本', 'Cafe'],
  ])(
    'writes the list name %s as %s in an email by SNS, and unchanged in one by SES',
    (name, ascii) => {
      expect(subjectLine(report(name))).toBe(`${ascii}${news}`);
      expect(emailMessage(report(name), 'https://x.example').subject).toBe(`🔵 ${name}${news}`);
    },
  );

  it('writes the list id in the subject of a digest by SNS if the name has no ASCII characters', () => {
    const alerts = ['a', 'b', 'c'].map((letter) => ({
      ...anAlertInWords({ name: '日本語' }),
      ...{ id: `${letter}.1.1`, contract: `eth:0x${letter.repeat(40)}`, watchlist: 'desk' },
    }));

    expect(subjectLine({ ...digestOf('d1', alerts), of: { name: '猿', contracts: 3 } })).toMatch(
      /^desk: 3 of 3 below their thresholds: eth:0xaaaaaa\.\.\.aaaa 59\.9 ETH/,
    );
  });
});
