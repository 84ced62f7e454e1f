import { pushDouble } from '#shared/channels/push/double.ts';
import type { ChannelExample } from '#test/support/channel-example.ts';

const TOKEN = 'cX1abcDEF_-:APA91bExampleOfASubscription0123456789';
const ENDPOINT = `https://fcm.googleapis.com/fcm/send/${TOKEN}`;
/** An endpoint of 1024 characters, the longest possible. */
const WINDOWS = 'https://wns2-by3p.notify.windows.com/w/?token='.padEnd(1024, 'BQYAAA');
const { p256dh, auth } = pushDouble.channel;

export const pushExample: ChannelExample<'push'> = {
  written: { id: 'a', kind: 'push', device: 'Chrome on Android', endpoint: ENDPOINT, p256dh, auth },
  elsewhere: { id: 'a', kind: 'push', endpoint: WINDOWS, p256dh, auth },
  ...{ secrets: [ENDPOINT, auth], isForPeople: true, isByTopic: false },
  refused: [
    ...[
      ENDPOINT.replace('https', 'http'),
      ENDPOINT.replace('fcm.', ''),
      ENDPOINT.replace('.com/', '.com.evil.example/'),
      ENDPOINT.replace('.com/', '.com:8443/'),
      ENDPOINT.replace('.com/', '.com@evil.example/'),
      'https://push.apple.com.evil.example/QGuQyavXutnMH',
      'https://evil-notify.windows.com/w/?token=BQYAAA0123',
      `${ENDPOINT}#x`,
      `${ENDPOINT}\n`,
      ` ${ENDPOINT}`,
    ].map((endpoint) => [{ endpoint }, 'endpoint', 'expected an endpoint of fcm'] as const),
    ...[p256dh.slice(1), `${p256dh}A`, p256dh.replace('B', 'A')].map(
      (key) => [{ p256dh: key }, 'p256dh', 'expected "keys.p256dh"'] as const,
    ),
    [{ auth: auth.slice(1) }, 'auth', 'expected "keys.auth"'],
  ],
  chat: {
    path: `/fcm/send/${TOKEN}`,
    to: 'fcm.googleapis.com',
    isBinary: true,
    answers: [
      { status: 201, body: '', means: { kind: 'sent' } },
      { status: 404, body: '', means: { kind: 'gone', reason: 'HTTP 404' } },
      {
        ...{ status: 410, body: '{"reason":"Unregistered"}' },
        means: { kind: 'gone', reason: 'HTTP 410 Unregistered' },
      },
      {
        ...{ status: 410, body: '{"code":410,"errno":106,"error":"Gone"}' },
        means: { kind: 'gone', reason: 'HTTP 410 errno 106' },
      },
      {
        ...{ status: 403, body: '{"reason":"BadJwtToken"}' },
        means: { kind: 'refused', reason: 'HTTP 403 BadJwtToken' },
      },
      {
        ...{ status: 413, body: 'Payload too large' },
        means: { kind: 'refused', reason: 'HTTP 413' },
      },
      {
        ...{ status: 429, body: '', headers: { 'retry-after': '35' } },
        means: { kind: 'failed', reason: 'HTTP 429', retryAfterSeconds: 35 },
      },
    ],
  },
};
