import { expect, it } from 'vitest';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert, PUNKS } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}) => {
  const alert = anAlert(given);
  const text = alertText(alert, { condition: 'at or below 60 ETH' });
  return { kind: 'alert', alert: { ...alert, text } } as const;
};

it('shows an alert in HTML, with its subject first and our links last', () => {
  const { text, ...rest } = telegramMessage(notificationOf());

  const paragraphs = text.split('\n\n');
  expect(rest).toEqual({ parse_mode: 'HTML', link_preview_options: { is_disabled: true } });
  expect(paragraphs[0]).toBe('<b>CryptoPunks: floor price 59.9 ETH, at or below 60 ETH</b>');
  expect(paragraphs.at(-1)).toBe(
    `<a href="https://opensea.io/assets/ethereum/${PUNKS.slice(4)}">opensea.io</a> · <a href="https://etherscan.io/address/${PUNKS.slice(4)}">etherscan.io</a>`,
  );
});

it.each(['info', 'warning', 'critical'] as const)(
  'reports the severity %s in words',
  (severity) => {
    expect(telegramMessage(notificationOf({ severity })).text).toContain(severity);
    expect(telegramMessage(digestOf('d1', [anAlert({ severity })])).text).toContain(
      `1 ${severity}`,
    );
  },
);

it("stays within Telegram's limit, and cuts no character and no escape in half", () => {
  const nasty = '🦍&'.repeat(2000);

  const { text } = telegramMessage({
    kind: 'alert',
    alert: anAlert({ text: [nasty, nasty, nasty].join('\n\n') }),
  });

  expect(text.length).toBeLessThanOrEqual(4096);
  for (const part of text.split('\n\n').slice(0, 3)) {
    expect(part).toMatch(/^(<b>)?(🦍|&amp;)+…(<\/b>)?$/u);
  }
});

it('leaves out the oldest alerts of a digest that is too long', () => {
  const alerts = Array.from({ length: 200 }, (_, n) => notificationOf({ id: `a.1.${n}` }).alert);

  const { text } = telegramMessage(digestOf('d1', alerts));

  expect(text.length).toBeLessThanOrEqual(4096);
  expect(text).not.toContain('…');
});
