import { expect, it } from 'vitest';
import { notificationTitle } from '#shared/domain/alerting/notification.ts';
import { notifications } from '#test/support/forgeries.ts';

it('has enough to look at', () => {
  expect(notifications.length).toBeGreaterThan(300);
});

it('no name, label or source makes a line of its own', () => {
  for (const notification of notifications) {
    const title = notificationTitle(notification);
    expect(title).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  }
});
