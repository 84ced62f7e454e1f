import { expect, it } from 'vitest';
import { AlertKind } from '#shared/domain/alerting/alert.ts';
import { EXAMPLES } from './examples.ts';
import { messagesPage } from './page.ts';

it('has an example of each kind of alert, and of many at once', () => {
  const kinds = EXAMPLES.map(({ notification }) =>
    notification.kind === 'alert' ? notification.alert.kind : notification.kind,
  );

  expect(new Set(kinds)).toEqual(new Set([...AlertKind.options, 'digest']));
});

it('is what is sent of each to each kind of channel (npm run messages writes it)', async () => {
  await expect(messagesPage()).toMatchFileSnapshot('messages.html');
});
