import { expect, it } from 'vitest';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert, anAlertInWords, PUNKS } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}) => {
  return { kind: 'alert', alert: anAlertInWords(given) } as const;
};

it('shows an alert in Telegram as HTML: title, reason, links, and collapsed small print', () => {
  const { text, ...rest } = telegramMessage(notificationOf());

  expect(rest).toEqual({ parse_mode: 'HTML', link_preview_options: { is_disabled: true } });
  expect(text.replaceAll('\u2060', '').split('\n\n')).toEqual([
    [
      '<b>🟠 CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)</b>',
      'Floor price at or below 60 ETH, now 0.1 ETH (0.1%) below',
    ].join('\n'),
    `<a href="https://opensea.io/assets/ethereum/${PUNKS.slice(4)}">opensea.io</a> · <a href="https://etherscan.io/address/${PUNKS.slice(4)}">etherscan.io</a>`,
    [
      '<blockquote expandable>Was: 61.25 ETH · Source: OpenSea · As of: 2026-11-21 12:00 UTC',
      'punks · floor-60',
      'Alert: 0123456789abcdef0123.1.1</blockquote>',
    ].join('\n'),
  ]);
});

it.each(['info', 'warning', 'critical'] as const)(
  'shows the severity %s in Telegram, for a single alert only if it is not the default',
  (severity) => {
    const from = severity === 'warning' ? 'floor-60' : `floor-60 · ${severity}`;

    expect(telegramMessage(notificationOf({ severity })).text).toContain(`punks · ${from}\n`);
    expect(telegramMessage(digestOf('d1', [anAlert({ severity })])).text).toContain(
      `1 ${severity}`,
    );
  },
);

it("shortens texts to Telegram's limit without splitting a character or an escape", () => {
  const nasty = '🦍&'.repeat(2000);
  const facts = Array.from({ length: 14 }, () => ({ name: 'Next', value: nasty }));

  const { text } = telegramMessage({
    kind: 'alert',
    alert: anAlert({ title: nasty, facts, watchlist: nasty }),
  });

  const [title, values = ''] = text.split('\n\n');
  expect(text.length).toBeLessThanOrEqual(4096);
  expect(title).toMatch(/^<b>🟠 (🦍|&amp;)+…<\/b>$/u);
  for (const line of values.split('\n')) {
    expect(line).toMatch(/^<b>Next:<\/b> (🦍|&amp;)+…$/u);
  }
});

it('leaves out the oldest alerts of a digest that is too long for Telegram', () => {
  const alerts = Array.from({ length: 200 }, (_, n) => notificationOf({ id: `a.1.${n}` }).alert);

  const { text } = telegramMessage(digestOf('d1', alerts));

  expect(text.length).toBeLessThanOrEqual(4096);
  expect(text).not.toContain('…');
});
