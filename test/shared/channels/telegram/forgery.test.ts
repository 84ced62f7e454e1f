import { expect, it } from 'vitest';
import { telegramMessage } from '#shared/channels/telegram/message.ts';
import { forgeries, linesIn } from '#test/support/forgeries.ts';

const LINK = /<a href="https:\/\/[^"<>]*">[a-z.]*<\/a>/g;

it('Telegram reads no name, label or note as a mention, a link, a command or markup', () => {
  for (const { notification, plain } of forgeries) {
    const { text, reply_markup } = telegramMessage(notification);
    const expected = telegramMessage(plain);
    expect(text.match(LINK)).toEqual(expected.text.match(LINK));
    expect(reply_markup).toEqual(expected.reply_markup);
    // The title and the names of facts are bold, and the small print is collapsed.
    const reported = text
      .replaceAll(LINK, '')
      .replace(/^<b>(.*?)<\/b>/, '$1')
      .replaceAll(/^<b>(.*?):<\/b>/gm, '$1')
      .replace(/^<blockquote expandable>((?:.|\n)*)<\/blockquote>$/m, '$1');
    expect(reported).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
    expect(reported).not.toMatch(/[@#$/](?!\u2060)|\p{L}[.:][\p{L}/]/u);
    expect(linesIn(text)).toBe(linesIn(expected.text));
  }
});
