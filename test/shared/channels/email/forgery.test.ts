import { expect, it } from 'vitest';
import { emailMessage } from '#shared/channels/email/message.ts';
import { forgeries } from '#test/support/forgeries.ts';

const URL = 'https://api.example/v1/subscriptions/x.y';
/** The elements of a page, each with what is in its tag. */
const tagsIn = (html: string) => html.match(/<[^>]*>/g);

it('an email has no markup, link or header of what people call things', () => {
  for (const { notification, plain } of forgeries) {
    const { subject, html } = emailMessage(notification, URL);

    expect(tagsIn(html)).toEqual(tagsIn(emailMessage(plain, URL).html));
    expect(html.replaceAll(/<[^>]*>/g, '')).not.toMatch(/["']|&(?!#\d+;)/);
    expect(subject).not.toMatch(/[\r\n]/);
  }
});
