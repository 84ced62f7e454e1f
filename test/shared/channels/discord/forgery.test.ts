import { expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { notificationSubject } from '#shared/domain/alerting/notification.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

it('Discord reads nothing of it as a mention, a link or markup, and shows all of it', () => {
  for (const notification of notifications) {
    const { embeds, allowed_mentions } = discordMessage(notification);
    const [{ title, description = '' }] = embeds;
    expect(allowed_mentions).toEqual({ parse: [] });
    const ours = `\n\n${LINKS.map(([host, url]) => `[${host}](${url})`).join(' · ')}`;
    expect(description.endsWith(ours)).toBe(notification.kind === 'alert');
    const reported =
      notification.kind === 'alert' ? description.slice(0, -ours.length) : description;
    for (const text of [title, reported]) {
      // Behind each backslash is what it takes the power from; no other punctuation is left.
      const bare = text.replace(/\\[!-/:-@[-`{-~]/g, '');
      expect(bare).not.toMatch(/[!-/:-@[-`{-~]/);
    }
    expect(title.replace(/\\(.)/g, '$1')).toBe(notificationSubject(notification));
    const [expected] = discordMessage(plainOf(notification)).embeds;
    expect(linesIn(description)).toBe(linesIn(expected.description));
  }
});
