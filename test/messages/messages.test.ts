import { expect, it } from 'vitest';
import { AlertKind } from '#shared/domain/alerting/alert.ts';
import { EXAMPLES } from './examples.ts';
import { messagesPage } from './page.ts';

it('the examples cover each kind of alert and a digest', () => {
  const kinds = EXAMPLES.map(({ notification }) =>
    notification.kind === 'alert' ? notification.alert.kind : notification.kind,
  );

  expect(new Set(kinds)).toEqual(new Set([...AlertKind.options, 'digest']));
});

it('messages.html shows every message of each kind of channel (npm run messages writes it)', async () => {
  await expect(messagesPage()).toMatchFileSnapshot('messages.html');
});
