import { expect, it } from 'vitest';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { anAlert, anAlertInWords, PUNKS } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}) => {
  return { kind: 'alert', alert: anAlertInWords(given) } as const;
};
const cardOf = (notification: Notification) => teamsMessage(notification).attachments[0].content;
/** The texts of a card, one a line; a fact is one line with name and value. */
const linesOf = (notification: Notification) =>
  cardOf(notification).body.map((element) => {
    if (element.type === 'Image') throw new Error('it has no chart');
    if (element.type === 'TextBlock') return element.text;
    return element.type === 'RichTextBlock'
      ? element.inlines[0].text
      : element.columns.map(({ items: [item] }) => item.inlines[0].text).join(': ');
  });
const textOf = (notification: Notification) => linesOf(notification).join('\n');
const styleOf = (notification: Notification) =>
  cardOf(notification)
    .body.slice(0, 1)
    .map((element) => (element.type === 'RichTextBlock' ? element.inlines[0] : undefined))[0];
const bytesOf = (notification: Notification) =>
  Buffer.byteLength(JSON.stringify(teamsMessage(notification)));

it('shows an alert in Teams with its title, reason, small print, and our links as buttons', () => {
  const notification = notificationOf();

  const { actions, body } = cardOf(notification);

  expect(linesOf(notification)).toEqual([
    '🟠 CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)',
    'Floor price at or below 60 ETH, now 0.1 ETH (0.1%) below',
    '{{DATE(2026-11-21T12:00:00Z, SHORT)}} {{TIME(2026-11-21T12:00:00Z)}}',
    'Was: 61.25 ETH · Source: OpenSea',
    'punks · floor-60',
    'Alert: 0123456789abcdef0123.1.1',
  ]);
  expect(styleOf(notification)).toMatchObject({ weight: 'bolder', color: 'warning' });
  expect(body.at(-1)).toMatchObject({
    ...{ spacing: 'none', inlines: [{ size: 'small', isSubtle: true }] },
  });
  expect(actions).toEqual([
    {
      ...{ type: 'Action.OpenUrl', title: 'opensea.io' },
      url: `https://opensea.io/assets/ethereum/${PUNKS.slice(4)}`,
    },
    {
      ...{ type: 'Action.OpenUrl', title: 'etherscan.io' },
      url: `https://etherscan.io/address/${PUNKS.slice(4)}`,
    },
  ]);
});

it.each(['info', 'warning', 'critical'] as const)(
  'shows the severity %s in Teams, for a single alert only if it is not the default',
  (severity) => {
    const from = severity === 'warning' ? 'floor-60' : `floor-60 · ${severity}`;

    expect(textOf(notificationOf({ severity }))).toContain(`punks · ${from}\n`);
    expect(textOf(digestOf('d1', [anAlert({ severity })]))).toContain(`1 ${severity}`);
  },
);

it.each(['🦍', '猿', '"'])(
  'stays within the size limit of Teams with long texts of %s',
  (character) => {
    const nasty = character.repeat(10_000);
    const facts = Array.from({ length: 14 }, () => ({ name: 'Next', value: nasty }));
    const notification = {
      kind: 'alert',
      alert: anAlert({ title: nasty, facts, watchlist: nasty }),
    } as const;

    expect(bytesOf(notification)).toBeLessThanOrEqual(21_000);
    expect(linesOf(notification)[0]).toMatch(new RegExp(`^🟠 (${character})+…$`, 'u'));
    expect(linesOf(notification)[1]).toMatch(new RegExp(`^Next: (${character})+…$`, 'u'));
  },
);

it('leaves out the oldest alerts of a digest that is too long for Teams', () => {
  const alerts = Array.from({ length: 200 }, (_, n) =>
    notificationOf({ id: `a.1.${n}`, name: `猿${n} ${'猿'.repeat(90)}` }),
  ).map(({ alert }) => alert);
  const digest = digestOf('d1', alerts);

  expect(bytesOf(digest)).toBeLessThanOrEqual(21_000);
  expect(textOf(digest)).toContain('猿199 ');
  expect(textOf(digest)).not.toContain('猿150 ');
  expect(textOf(digest)).toMatch(/Showing the newest \d+; \d+ earlier ones are not listed/);
  expect(textOf(digest)).not.toContain('…');
});

it('shows a resolved alert in Teams in green', () => {
  const over = { kind: 'recovered', open: false } as const;

  expect(styleOf(notificationOf(over))?.color).toBe('good');
});
