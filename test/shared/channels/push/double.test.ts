import { describe, expect, it } from 'vitest';
import { pushDouble } from '#shared/channels/push/double.ts';
import type { PushMessage } from '#shared/channels/push/message.ts';
import { encryptPush, vapidAuthorization } from '#shared/clients/web-push.ts';
import { NOON } from '#test/support/builders.ts';
import { PUSH_KEY, VAPID } from '#test/support/push-key.ts';

const OTHER_KEY = 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94';
const { endpoint, p256dh, auth } = pushDouble.channel;
const MESSAGE: PushMessage = {
  title: 'Punks below 60 ETH',
  options: {
    ...{ body: 'Was: 61 ETH', tag: 'a', renotify: true, silent: false, actions: [] },
    data: { address: null },
  },
};
const HEADERS = { 'content-encoding': 'aes128gcm', ttl: '60', urgency: 'high', topic: 'a' };

type Given = {
  readonly url?: string;
  readonly key?: string;
  readonly now?: number;
  readonly contact?: string;
  readonly signedFor?: string;
  readonly message?: object;
  readonly headers?: object;
  readonly bytes?: Buffer;
};

/** A valid request in which the given parts are replaced. */
function postOf(given: Given = {}) {
  const { url = endpoint, key = PUSH_KEY, now = NOON, contact = VAPID.contact } = given;
  const { signedFor = url, message = MESSAGE, headers = {}, bytes } = given;
  const randomness = {
    ...{ salt: Buffer.alloc(16, 1), privateKey: Buffer.from(PUSH_KEY, 'base64url') },
  };
  const encrypted = encryptPush(JSON.stringify(message), { p256dh, auth }, randomness);
  const authorization = vapidAuthorization(new URL(signedFor), { key, contact, now });
  return {
    ...{ path: new URL(url).pathname, body: '', bytes: bytes ?? encrypted ?? Buffer.alloc(0) },
    headers: { authorization, ...HEADERS, ...headers },
  };
}

describe('the fake of push services', () => {
  it.each([
    endpoint,
    'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABx',
    'https://web.push.apple.com/QGuQyavXutnMH',
    'https://wns2-by3p.notify.windows.com/w/?token=BQYAAA',
  ])('the fake of push services decrypts a message for its device, at %s', (url) => {
    const answer = pushDouble.create(() => NOON)(postOf({ url }));

    const { title: subject } = MESSAGE;
    expect(answer).toMatchObject({ status: 201, taken: { subject, message: MESSAGE } });
  });

  it.each<[string, number, Given]>([
    ['no subscription', 404, { url: 'https://fcm.googleapis.com/other' }],
    ['no signature', 403, { headers: { authorization: undefined } }],
    ['a signature for another service', 403, { signedFor: 'https://web.push.apple.com/Qx' }],
    ['an expired signature', 403, { now: NOON - 13 * 3_600_000 }],
    ['a signature for more than a day', 403, { now: NOON + 13 * 3_600_000 }],
    ['no contact', 403, { contact: 'nobody' }],
    ['no encoding', 400, { headers: { 'content-encoding': undefined } }],
    ['no time to live', 400, { headers: { ttl: undefined } }],
    ['an unknown urgency', 400, { headers: { urgency: 'at once' } }],
    ['a long topic', 400, { headers: { topic: 'x'.repeat(33) } }],
    ['more than 4096 bytes', 413, { message: { title: 'x'.repeat(5000) } }],
    ['a text that is not encrypted', 410, { bytes: Buffer.from(JSON.stringify(MESSAGE)) }],
    ['another message', 400, { message: { title: 'x' } }],
    [
      'a silent notification that rings',
      400,
      { message: { ...MESSAGE, options: { ...MESSAGE.options, silent: true } } },
    ],
  ])('the fake of push services rejects %s with %i and a reason', (_what, status, given) => {
    const answer = pushDouble.create(() => NOON)(postOf(given));

    expect(answer).toMatchObject({ status, issue: expect.stringMatching(/^Web Push: ./) });
    expect(answer.taken).toBeUndefined();
  });

  it('the fake of push services accepts only the key of the first message to a subscription', () => {
    const answer = pushDouble.create(() => NOON);

    const [first, other] = [PUSH_KEY, OTHER_KEY].map((key) => answer(postOf({ key })).status);

    expect([first, other]).toEqual([201, 403]);
  });
});
