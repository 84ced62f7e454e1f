import { describe, expect, it } from 'vitest';
import { emailText } from '#shared/domain/alerting/email-text.ts';
import {
  digestOf,
  type Notification,
  notificationId,
  notificationSeverity,
  notificationTitle,
  notificationTone,
} from '#shared/domain/alerting/notification.ts';
import { anAlert, anAlertInWords, PUNKS } from '#test/support/builders.ts';

const of = (given: Parameters<typeof anAlert>[0]): Notification => ({
  kind: 'alert',
  alert: anAlert(given),
});

it('a notification of one alert has the title, id and severity of the alert', () => {
  const notification = of({});

  expect(notificationTitle(notification)).toBe('CryptoPunks below 60 ETH: 59.9 ETH');
  expect(notificationId(notification)).toBe(anAlert().id);
  expect(notificationSeverity(notification)).toBe('warning');
});

it('orders an alert email for skimming: news, reason, links, then details and ids', () => {
  const text = emailText({ kind: 'alert', alert: anAlertInWords() });

  expect(text).toBe(`🟠 CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)
Floor price at or below 60 ETH, now 0.1 ETH (0.1%) below

https://opensea.io/assets/ethereum/${PUNKS.slice(4)}

Was: 61.25 ETH
Source: OpenSea
As of: 2026-11-21 12:00 UTC

punks · floor-60
Alert: 0123456789abcdef0123.1.1`);
});

it('shows the address of a contract on a chain without an explorer in the email', () => {
  const contract = 'nowhere:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

  expect(emailText(of({ contract }))).toMatch(
    new RegExp(`\nContract: ${contract}\nAlert: [^\n]*$`),
  );
});

it('leaves the severity of a resolved alert out of its email', () => {
  const text = emailText(of({ severity: 'critical', kind: 'recovered', open: false }));

  expect(text).not.toContain('critical');
});

describe('the tone of a notification', () => {
  it.each([
    ['critical', { kind: 'fired', open: true }],
    ['critical', { kind: 'fired', open: null }],
    ['resolved', { kind: 'recovered', open: false }],
    ['resolved', { kind: 'summary', open: false }],
    ['info', { kind: 'closed', open: false }],
  ] as const)('gives the tone %s to a critical alert that is %j', (tone, given) => {
    expect(notificationTone(of({ severity: 'critical', ...given }))).toBe(tone);
  });

  it('gives a resolved critical alert no critical tone, alone or in a digest', () => {
    const good = anAlert({ kind: 'recovered', open: false, severity: 'critical' });
    const digest = digestOf('d1', [good, anAlert({ severity: 'info' })]);

    expect(notificationTone(digest)).toBe('info');
    expect(notificationTitle(digest)).toBe('2 alerts from watchlist "punks": 1 info, 1 resolved');
  });
});

it('lists the alerts of a digest by title, with their marks, times and watchlist', () => {
  const alerts = [
    anAlert({ at: '2026-11-21T12:01:00.000Z', severity: 'critical', title: 'Apes: down' }),
    anAlert({ at: '2026-11-21T12:02:00.000Z', title: 'Punks: up' }),
  ];

  expect(emailText(digestOf('d1', alerts))).toBe(
    [
      '🔴 2 alerts from watchlist "punks": 1 critical, 1 warning',
      '',
      '2026-11-21 12:01 UTC  🔴 Apes: down',
      '2026-11-21 12:02 UTC  🟠 Punks: up',
      '',
      'Digest: d1',
    ].join('\n'),
  );
});

it('counts all alerts of a large digest and lists the newest fifty', () => {
  const alerts = Array.from({ length: 60 }, (_, n) =>
    anAlert({ severity: n < 10 ? 'critical' : 'info', title: `alert ${n}` }),
  );

  const notification = digestOf('d1', alerts);
  const text = emailText(notification);

  expect(notificationTitle(notification)).toContain(
    '60 alerts from watchlist "punks": 10 critical, 50 info',
  );
  expect(notificationSeverity(notification)).toBe('critical');
  expect(text).toContain('Showing the newest 50; 10 earlier ones are not listed.');
  expect(text).toContain('alert 10\n');
  expect(text).not.toContain('alert 9\n');
});

it('names up to twenty watchlists of a digest, including those of unlisted alerts', () => {
  const alerts = Array.from({ length: 80 }, (_, n) =>
    anAlert({ watchlist: n < 30 ? `early-${n}` : 'punks' }),
  );

  const notification = digestOf('d1', alerts);
  const text = emailText(notification);

  expect(notificationTitle(notification)).toBe('80 alerts: 80 warning');
  expect(text.match(/^(early-\d+|punks)$/gm)).toEqual([
    ...Array.from({ length: 19 }, (_, n) => `early-${n + 11}`),
    'punks',
  ]);
  expect(text).toContain('\nAnd 11 other watchlists\n');
});

it('counts one unlisted alert and one unlisted watchlist in the singular', () => {
  const alerts = Array.from({ length: 51 }, (_, n) =>
    anAlert({ watchlist: n < 20 ? `early-${n}` : 'punks' }),
  );

  const text = emailText(digestOf('d1', alerts));

  expect(text).toContain('Showing the newest 50; 1 earlier one is not listed.');
  expect(text).toContain('\nAnd 1 other watchlist\n');
});

it('names the tenant of each watchlist in a digest for operators', () => {
  const alerts = [anAlert(), anAlert({ tenant: 'umbrella' }), anAlert()];
  const notification = { ...digestOf('d1', alerts), isForOperators: true };

  expect(notificationTitle(notification)).toBe('3 alerts: 3 warning');
  expect(emailText(notification)).toContain('\numbrella · punks\nacme · punks\n');
});
