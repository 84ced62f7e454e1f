import { expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert, PUNKS } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}) => {
  const alert = anAlert(given);
  const text = alertText(alert, { condition: 'at or below 60 ETH' });
  return { kind: 'alert', alert: { ...alert, text } } as const;
};
/** As Discord shows what it is sent. */
const shown = (text = '') => text.replace(/\\([^0-9A-Za-z\s])/g, '$1');

it('shows an alert as one embed without a ping', () => {
  const notification = notificationOf();

  const { embeds, allowed_mentions, ...rest } = discordMessage(notification);

  const [{ title, description, footer, color }] = embeds;
  expect(rest).toEqual({});
  expect(allowed_mentions).toEqual({ parse: [] });
  const [links, ...details] = description?.split('\n\n').reverse() ?? [];
  const reported = [shown(title), ...details.map(shown), footer?.text];
  expect(reported.join('\n\n')).toBe(notification.alert.text.replace(/^See: .*\n/gm, ''));
  expect(links).toBe(
    `[opensea.io](https://opensea.io/assets/ethereum/${PUNKS.slice(4)}) · [etherscan.io](https://etherscan.io/address/${PUNKS.slice(4)})`,
  );
  expect(title).toBe('CryptoPunks\\: floor price 59\\.9 ETH\\, at or below 60 ETH');
  expect(footer?.text).toContain('severity: warning');
  expect(color).toBe(0xf9a825);
});

it('is green where what it was about is over, however critical that was', () => {
  const over = { kind: 'recovered', open: false, severity: 'critical' } as const;
  const [{ color, title = '' }] = discordMessage(notificationOf(over)).embeds;

  expect(color).toBe(0x2e7d32);
  expect(shown(title)).toMatch(/^\[resolved\] CryptoPunks: /);
});

it.each(['info', 'warning', 'critical'] as const)(
  'reports the severity %s in words',
  (severity) => {
    const [{ title, footer }] = discordMessage(notificationOf({ severity })).embeds;
    const [digest] = discordMessage(digestOf('d1', [anAlert({ severity })])).embeds;

    expect(`${title} ${footer?.text}`).toContain(severity);
    expect(digest.title).toContain(`1 ${severity}`);
  },
);

it("stays within Discord's limits, and cuts no character and no escape in half", () => {
  const nasty = '🦍*'.repeat(2000);
  const text = [nasty, nasty, nasty].join('\n\n');

  const [{ title, description = '', footer }] = discordMessage({
    kind: 'alert',
    alert: anAlert({ text }),
  }).embeds;

  expect(title.length).toBeLessThanOrEqual(256);
  expect(description.length).toBeLessThanOrEqual(4096);
  expect(title.length + description.length + (footer?.text.length ?? 0)).toBeLessThanOrEqual(6000);
  for (const part of [title, description]) {
    expect(part).toMatch(/^(🦍|\\\*)+…(\n\n\[.*\))?$/u);
  }
});

it('leaves the oldest alerts of a digest out where it is too long, and says how many', () => {
  const alerts = Array.from({ length: 50 }, (_, n) =>
    anAlert({ text: `${'x'.repeat(150)} number ${n}\n\nmore` }),
  );

  const [{ title, description = '' }] = discordMessage(digestOf('d1', alerts)).embeds;

  const listed = description.match(/number \d+$/gm)?.length ?? 0;
  expect(shown(title)).toBe('50 alerts of watchlist "punks": 50 warning');
  expect(listed).toBeGreaterThan(10);
  expect(description).toMatch(/number 49$/);
  expect(shown(description)).toContain(`The newest ${listed}; ${50 - listed} earlier ones`);
  expect(description.length).toBeLessThanOrEqual(4096);
});

it('shows what has nothing but a subject, as a title alone', () => {
  const [embed] = discordMessage({
    kind: 'alert',
    alert: anAlert({ contract: null, text: 'a sample' }),
  }).embeds;

  expect(Object.keys(embed)).toEqual(['title', 'color']);
});
