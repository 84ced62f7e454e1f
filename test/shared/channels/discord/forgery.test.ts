import { expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { notificationParts } from '#shared/domain/alerting/notification-parts.ts';
import { forgeries, linesIn } from '#test/support/forgeries.ts';

const unescaped = (text: string) => text.replace(/\\(.)/g, '$1');

it('Discord shows names, labels and notes completely, and reads none as a mention, a link or markup', () => {
  for (const { notification, plain } of forgeries) {
    const { embeds, allowed_mentions } = discordMessage(notification);
    const [{ title, description = '', fields = [] }] = embeds;
    const [expected] = discordMessage(plain).embeds;
    expect(allowed_mentions).toEqual({ parse: [] });
    // The description of an alert contains only our links.
    if (notification.kind === 'alert') expect(description).toBe(expected.description ?? '');
    const texts = fields.flatMap(({ name, value }) => [name, value]);
    const list = notification.kind === 'alert' ? [] : [description];
    for (const text of [title, ...texts, ...list]) {
      // Every punctuation character must be escaped with a backslash.
      const bare = text.replace(/\\[!-/:-@[-`{-~]/g, '');
      expect(bare).not.toMatch(/[!-/:-@[-`{-~]/);
    }
    const parts = notificationParts(notification);
    if (!title.includes('…')) expect(unescaped(title)).toBe(parts.title);
    expect(fields.map(({ name }) => unescaped(name))).toEqual(parts.facts.map(({ name }) => name));
    for (const text of texts) expect(linesIn(text)).toBe(1);
    expect(linesIn(description)).toBe(linesIn(expected.description ?? ''));
  }
});
