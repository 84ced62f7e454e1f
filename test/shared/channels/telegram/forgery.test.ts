import { expect, it } from 'vitest';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

const ours = LINKS.map(([host, url]) => `<a href="${url}">${host}</a>`).join(' · ');

it('Telegram reads nothing of it as a mention, a link, a command or markup', () => {
  for (const notification of notifications) {
    const { text } = telegramMessage(notification);
    expect(text.includes(`\n\n${ours}\n\n`)).toBe(notification.kind === 'alert');
    // The title, and the names of facts, which are ours.
    const reported = text
      .replace(ours, '')
      .replace(/^<b>(.*?)<\/b>/, '$1')
      .replaceAll(/^<b>([A-Z][a-z ]+):<\/b>/gm, '$1');
    expect(reported).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
    expect(reported).not.toMatch(/[@#$/](?!\u2060)|\p{L}[.:][\p{L}/]/u);
    expect(linesIn(text)).toBe(linesIn(telegramMessage(plainOf(notification)).text));
  }
});
