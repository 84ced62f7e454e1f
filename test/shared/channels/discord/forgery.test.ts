import { expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { partsOf } from '#shared/domain/alerting/notification-parts.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

it('Discord reads nothing of it as a mention, a link or markup, and shows all of it', () => {
  const ours = LINKS.map(([host, url]) => `[${host}](${url})`).join(' · ');
  for (const notification of notifications) {
    const { embeds, allowed_mentions } = discordMessage(notification);
    const [{ title, description = '', fields = [] }] = embeds;
    const [expected] = discordMessage(plainOf(notification)).embeds;
    expect(allowed_mentions).toEqual({ parse: [] });
    if (notification.kind === 'alert') expect(description).toBe(ours);
    const values = fields.map(({ value }) => value);
    const list = notification.kind === 'alert' ? [] : [description];
    for (const text of [title, ...values, ...list]) {
      // Behind each backslash is what it takes the power from; no other punctuation is left.
      const bare = text.replace(/\\[!-/:-@[-`{-~]/g, '');
      expect(bare).not.toMatch(/[!-/:-@[-`{-~]/);
    }
    expect(title.replace(/\\(.)/g, '$1')).toBe(partsOf(notification).title);
    expect(fields.map(({ name }) => name)).toEqual(expected.fields?.map(({ name }) => name) ?? []);
    for (const value of values) expect(linesIn(value)).toBe(1);
    expect(linesIn(description)).toBe(linesIn(expected.description));
  }
});
