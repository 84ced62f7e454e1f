import { expect, it } from 'vitest';
import { teamsMessage } from '#shared/channels/teams/message.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { forgeries } from '#test/support/forgeries.ts';

type Element = ReturnType<typeof cardOf>['body'][number];
const itemsOf = (element: Element) => {
  if (element.type === 'Image') throw new Error('it has no chart');
  return element.type === 'ColumnSet'
    ? element.columns.map(({ items: [item] }) => item)
    : [element];
};
const cardOf = (notification: Notification) => teamsMessage(notification).attachments[0].content;

it('Teams reads no name, label or note as a mention, a link or markup', () => {
  for (const { notification, plain } of forgeries) {
    const { body, actions, ...rest } = cardOf(notification);
    expect(rest).toEqual({ type: 'AdaptiveCard', version: '1.5' });
    const expected = cardOf(plain);
    expect(actions).toEqual(expected.actions);
    for (const element of body) {
      for (const item of itemsOf(element)) {
        // The only other text is a time, which comes from our code.
        if (item.type === 'TextBlock') {
          expect(item.text).toMatch(/^\{\{DATE\([^(){}]+\)\}\} \{\{TIME\([^(){}]+\)\}\}$/);
          continue;
        }
        const { type, inlines, spacing: _spacing, ...more } = item;
        const [{ text, ...style }, ...others] = inlines;
        expect({ type, more, others }).toEqual({ type: 'RichTextBlock', more: {}, others: [] });
        expect(Object.keys(style)).not.toContain('selectAction');
        expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029]|^$/);
      }
    }
    expect(body).toHaveLength(expected.body.length);
  }
});
