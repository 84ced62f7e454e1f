import { expect, it } from 'vitest';
import { emailMessage } from '#shared/channels/email/message.ts';
import { forgeries } from '#test/support/forgeries.ts';

const URL = 'https://api.example/v1/subscriptions/x.y';
/** All HTML tags of a page, with their attributes. */
const tagsIn = (html: string) => html.match(/<[^>]*>/g);

it('turns no name into markup, links or headers of an email', () => {
  for (const { notification, plain } of forgeries) {
    const { subject, html } = emailMessage(notification, URL);

    expect(tagsIn(html)).toEqual(tagsIn(emailMessage(plain, URL).html));
    expect(html.replaceAll(/<[^>]*>/g, '')).not.toMatch(/["']|&(?!#\d+;)/);
    expect(subject).not.toMatch(/[\r\n]/);
  }
});
