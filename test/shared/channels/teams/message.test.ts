import { expect, it } from 'vitest';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { anAlert, PUNKS } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}) => {
  const alert = anAlert(given);
  const text = alertText(alert, { condition: 'at or below 60 ETH' });
  return { kind: 'alert', alert: { ...alert, text } } as const;
};
const cardOf = (notification: Notification) => teamsMessage(notification).attachments[0].content;
const textOf = (notification: Notification) =>
  cardOf(notification)
    .body.map(({ inlines: [{ text }] }) => text)
    .join('\n');
const bytesOf = (notification: Notification) =>
  Buffer.byteLength(JSON.stringify(teamsMessage(notification)));

it('shows an alert line by line, with its subject first and our links as buttons', () => {
  const notification = notificationOf();

  const { body, actions } = cardOf(notification);

  expect(textOf(notification)).toBe(
    notification.alert.text.replace(/^See: .*\n/gm, '').replaceAll('\n\n', '\n'),
  );
  expect(body[0]?.inlines).toEqual([
    {
      ...{ type: 'TextRun', weight: 'bolder', color: 'warning' },
      text: 'CryptoPunks: floor price 59.9 ETH, at or below 60 ETH',
    },
  ]);
  // A new paragraph keeps its distance from the one before.
  expect(body.map(({ spacing = 'default' }) => spacing).slice(0, 3)).toEqual([
    'default',
    'default',
    'none',
  ]);
  expect(body.at(-1)?.inlines[0].isSubtle).toBe(true);
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
  'reports the severity %s in words',
  (severity) => {
    expect(textOf(notificationOf({ severity }))).toContain(`severity: ${severity}`);
    expect(textOf(digestOf('d1', [anAlert({ severity })]))).toContain(`1 ${severity}`);
  },
);

it.each(['🦍', '猿', '"'])('stays within the limit of Teams, whatever is said: %s', (character) => {
  const nasty = character.repeat(10_000);
  const notification = {
    kind: 'alert',
    alert: anAlert({ text: [nasty, nasty, nasty].join('\n\n') }),
  } as const;

  expect(bytesOf(notification)).toBeLessThanOrEqual(21_000);
  for (const line of textOf(notification).split('\n')) {
    expect(line).toMatch(new RegExp(`^(${character})+…$`, 'u'));
  }
});

it('leaves out the oldest alerts of a digest that is too long', () => {
  const alerts = Array.from({ length: 200 }, (_, n) =>
    notificationOf({ id: `a.1.${n}`, name: `猿${n} ${'猿'.repeat(90)}` }),
  ).map(({ alert }) => alert);
  const digest = digestOf('d1', alerts);

  expect(bytesOf(digest)).toBeLessThanOrEqual(21_000);
  expect(textOf(digest)).toContain('猿199 ');
  expect(textOf(digest)).not.toContain('猿150 ');
  expect(textOf(digest)).toMatch(/The newest \d+; \d+ earlier ones are not listed/);
  expect(textOf(digest)).not.toContain('…');
});

it('is green where what it was about is over', () => {
  const over = { kind: 'recovered', open: false } as const;

  expect(cardOf(notificationOf(over)).body[0]?.inlines[0].color).toBe('good');
});
