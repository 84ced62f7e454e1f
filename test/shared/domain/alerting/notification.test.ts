import { expect, it } from 'vitest';
import {
  digestOf,
  notificationId,
  notificationSeverity,
  notificationSubject,
  notificationText,
} from '#shared/domain/alerting/notification.ts';
import { anAlert } from '#test/support/builders.ts';

it('of one alert says what the alert says', () => {
  const alert = anAlert();
  const notification = { kind: 'alert', alert } as const;

  expect(notificationSubject(notification)).toBe('CryptoPunks: floor price 59.9 ETH');
  expect(notificationText(notification)).toBe(alert.text);
  expect(notificationId(notification)).toBe(alert.id);
  expect(notificationSeverity(notification)).toBe('warning');
});

it('of many lists them by their subjects, with their times and where to read them', () => {
  const alerts = [
    anAlert({ at: '2026-11-21T12:01:00.000Z', severity: 'critical', text: 'Apes: down\n\nmore' }),
    anAlert({ at: '2026-11-21T12:02:00.000Z', text: 'Punks: up\n\nmore' }),
  ];

  expect(notificationText(digestOf('d1', alerts))).toBe(
    [
      '[critical] 2 alerts of watchlist "punks": 1 critical, 1 warning',
      '',
      '2026-11-21 12:01 UTC  Apes: down',
      '2026-11-21 12:02 UTC  Punks: up',
      '',
      'Watchlist: punks of acme, read them all: GET /v1/watchlists/punks/alerts',
      'Digest: d1',
    ].join('\n'),
  );
});

it('of too many to list counts all and lists the newest fifty', () => {
  const alerts = Array.from({ length: 60 }, (_, n) =>
    anAlert({ severity: n < 10 ? 'critical' : 'info', text: `alert ${n}\n\nmore` }),
  );

  const notification = digestOf('d1', alerts);
  const text = notificationText(notification);

  expect(notificationSubject(notification)).toContain(
    '60 alerts of watchlist "punks": 10 critical, 50 info',
  );
  expect(notificationSeverity(notification)).toBe('critical');
  expect(text).toContain('The newest 50; 10 earlier ones are not listed.');
  expect(text).toContain('alert 10\n');
  expect(text).not.toContain('alert 9\n');
});

it('names the watchlists of all, also of those that are not listed, up to twenty', () => {
  const alerts = Array.from({ length: 80 }, (_, n) =>
    anAlert({ watchlist: n < 30 ? `early-${n}` : 'punks' }),
  );

  const notification = digestOf('d1', alerts);
  const text = notificationText(notification);

  expect(notificationSubject(notification)).toBe('80 alerts: 80 warning');
  expect(text.match(/^Watchlist: .*(?= of acme)/gm)).toEqual([
    ...Array.from({ length: 19 }, (_, n) => `Watchlist: early-${n + 11}`),
    'Watchlist: punks',
  ]);
  expect(text).toContain('\nAnd 11 other watchlists.\n');
});

it('of several watchlists names each where it is read, and none in its subject', () => {
  const notification = digestOf('d1', [
    anAlert({ watchlist: 'apes' }),
    anAlert({ watchlist: 'punks' }),
  ]);

  expect(notificationSubject(notification)).toBe('2 alerts: 2 warning');
  expect(notificationText(notification)).toContain('GET /v1/watchlists/apes/alerts');
  expect(notificationText(notification)).toContain('GET /v1/watchlists/punks/alerts');
});

it('of two tenants reports their lists of one name apart', () => {
  const notification = digestOf('d1', [anAlert(), anAlert({ tenant: 'umbrella' }), anAlert()]);

  expect(notificationSubject(notification)).toBe('3 alerts: 3 warning');
  expect(notificationText(notification).match(/^Watchlist: .*(?=, read)/gm)).toEqual([
    'Watchlist: punks of umbrella',
    'Watchlist: punks of acme',
  ]);
});
