import { expect, it } from 'vitest';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { anAlert, anAlertInWords } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}, label?: string) =>
  ({ kind: 'alert', alert: anAlertInWords(given, { label }) }) as const;
const behindBar = (notification: Notification) => slackMessage(notification).attachments[0];
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });

it('shows an alert in Slack as a header and a coloured attachment with the reason and small print', () => {
  const message = slackMessage(notificationOf({}, 'Cheap punks'));

  const title = '🟠 Cheap punks, CryptoPunks: 59.9 ETH ($181k, −2.2%)';
  expect(message).toEqual({
    text: title,
    blocks: [{ type: 'header', text: plain(title) }],
    attachments: [
      {
        color: '#f9a825',
        blocks: [
          {
            type: 'section',
            text: plain('Floor price at or below 60 ETH, now 0.1 ETH (0.1%) below'),
          },
          {
            type: 'context',
            elements: [
              {
                type: 'mrkdwn',
                text: '<!date^1795262400^{date_short_pretty} {time}|2026-11-21 12:00 UTC> · <https://opensea.io/assets/ethereum/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb|opensea.io> · <https://etherscan.io/address/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb|etherscan.io>',
                verbatim: true,
              },
              plain(
                'Was: 61.25 ETH · Source: OpenSea\npunks · floor-60\nAlert: 0123456789abcdef0123.1.1',
              ),
            ],
          },
        ],
      },
    ],
  });
});

it("shortens texts to Slack's limits without splitting a character", () => {
  const facts = [{ name: 'Next', value: '🦍'.repeat(4000) }];
  const named = notificationOf({ name: '🦍'.repeat(149) });
  const alert = { ...named, alert: { ...named.alert, facts } };

  const [{ text: header }] = slackMessage(alert).blocks;
  const fields = behindBar(alert).blocks.flatMap((block) =>
    'fields' in block ? block.fields : [],
  );

  expect(header.text.length).toBeGreaterThan(148);
  expect(header.text.length).toBeLessThanOrEqual(150);
  expect(header.text).toMatch(/^🟠 🦍+… below 60 ETH: 59\.9 ETH \(\$181k, −2\.2%\)$/u);
  expect(fields.at(-1)?.text).toMatch(/^(🦍)+…$/u);
  expect(fields.every(({ text }) => text.length <= 2000 && text.isWellFormed())).toBe(true);
});

it("splits facts into several sections if Slack's limit requires it", () => {
  const facts = Array.from({ length: 12 }, (_, n) => ({ name: `Fact ${n}`, value: `${n}` }));
  const { blocks } = behindBar({ kind: 'alert', alert: { ...anAlert({ facts }), metric: null } });

  const sections = blocks.flatMap((block) => ('fields' in block ? [block.fields.length] : []));
  expect(sections).toEqual([10, 10, 4]);
});

it('shows a digest in Slack as header, sections and context', () => {
  const alerts = Array.from({ length: 50 }, (_, n) =>
    anAlert({ id: `a.1.${n}`, title: `${'x'.repeat(200)} ${n}` }),
  );
  const digest = digestOf('d1', alerts);

  const { blocks } = behindBar(digest);

  const sections = blocks.flatMap((block) => ('text' in block ? [block.text.text] : []));
  expect(slackMessage(digest).text).toBe('🟠 50 alerts from watchlist "punks": 50 warning');
  expect(blocks.map(({ type }) => type)).toEqual([...sections.map(() => 'section'), 'context']);
  expect(sections).toHaveLength(4);
  expect(sections.every((section) => section.length <= 3000)).toBe(true);
  expect(sections.join('\n').match(/x \d+$/gm)).toHaveLength(50);
});

it.each([
  [{ severity: 'critical', open: true }, '🔴', '#d32f2f'],
  [{ severity: 'info', open: true }, '🔵', '#1976d2'],
  [{ severity: 'critical', kind: 'recovered', open: false }, '🟢', '#2e7d32'],
  [{ severity: 'critical', kind: 'closed', open: false }, '🔵', '#1976d2'],
] as const)('marks and colours %j in Slack as %s', (given, mark, color) => {
  const notification = notificationOf(given);

  expect(slackMessage(notification).text.startsWith(`${mark} `)).toBe(true);
  expect(behindBar(notification).color).toBe(color);
});

it.each(['info', 'warning', 'critical'] as const)(
  'shows the severity %s in Slack, for a single alert only if it is not the default',
  (severity) => {
    const alert = JSON.stringify(behindBar(notificationOf({ severity })));
    const digest = slackMessage(digestOf('d1', [anAlert({ severity })]));

    const from = severity === 'warning' ? 'floor-60' : `floor-60 · ${severity}`;
    expect(alert).toContain(`punks · ${from}\\n`);
    expect(digest.text).toContain(`1 ${severity}`);
  },
);
