import { expect, it } from 'vitest';
import { pushMessage } from '#shared/channels/push/message.ts';
import { forgeries, linesIn } from '#test/support/forgeries.ts';

it('shows names in a push notification as plain text, and takes no address or button from them', () => {
  for (const { notification, plain } of forgeries) {
    const { title, options } = pushMessage(notification);
    const expected = pushMessage(plain).options;
    expect(title).not.toContain('\n');
    expect(linesIn(options.body)).toBe(linesIn(expected.body));
    expect(options).toMatchObject({
      ...{ actions: expected.actions, data: expected.data, silent: expected.silent },
    });
  }
});
