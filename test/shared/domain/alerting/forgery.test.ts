import { expect, it } from 'vitest';
import { AlertKind } from '#shared/domain/alerting/alert.ts';
import { notificationTitle } from '#shared/domain/alerting/notification.ts';
import { forgeries } from '#test/support/forgeries.ts';

it('generates hundreds of forged names in messages of each kind', () => {
  const kinds = forgeries.map(({ notification }) =>
    notification.kind === 'alert' ? notification.alert.kind : notification.kind,
  );

  expect(forgeries.length).toBeGreaterThan(1000);
  expect(new Set(kinds)).toEqual(new Set([...AlertKind.options, 'digest']));
});

it('lets no name, label, note or source start a new line in a message', () => {
  for (const { notification } of forgeries) {
    const facts = notification.kind === 'alert' ? notification.alert.facts : [];
    const texts = facts.flatMap(({ name, value }) => [name, value]);
    for (const text of [notificationTitle(notification), ...texts]) {
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }
  }
});
