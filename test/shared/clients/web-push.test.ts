import { createPublicKey, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { isPushKey, makePushKey, publicPushKeyOf } from '#shared/clients/push-key.ts';
import { encryptPush, MOST_PUSH_BYTES, vapidAuthorization } from '#shared/clients/web-push.ts';
import { NOON } from '#test/support/builders.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';

/** The example of RFC 8291, Appendix A. */
const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  device: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  randomness: {
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
  },
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

it('encrypts a push message as in the example of RFC 8291', () => {
  const message = encryptPush(RFC.text, RFC.device, RFC.randomness);

  expect(message?.toString('base64url')).toBe(RFC.message);
});

it('encrypts the longest push message to 4096 bytes', () => {
  const message = encryptPush('x'.repeat(MOST_PUSH_BYTES), RFC.device, RFC.randomness);

  expect(message?.length).toBe(4096);
});

it('encrypts no push message for a device key that is not a point of the curve', () => {
  const p256dh = `B${'A'.repeat(86)}`;

  expect(encryptPush(RFC.text, { ...RFC.device, p256dh }, RFC.randomness)).toBeUndefined();
});

it('signs sender, push service and expiry as RFC 8292 requires', () => {
  const endpoint = new URL('https://push.example.com/a/subscription?x=1');
  const contact = 'https://api.example.com/';

  const written = vapidAuthorization(endpoint, { key: PUSH_KEY, contact, now: NOON });

  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(written) ?? [];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(head)).toEqual({ typ: 'JWT', alg: 'ES256' });
  expect(read(claims)).toEqual({
    ...{ aud: 'https://push.example.com', sub: contact },
    exp: NOON / 1000 + 12 * 3600,
  });
  expect(key).toBe(publicPushKeyOf(PUSH_KEY));
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
    half.toString('base64url'),
  ) as [string, string];
  const publicKey = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x, y },
    format: 'jwk',
  });
  const bytes = Buffer.from(signature, 'base64url');
  expect(bytes.length).toBe(64);
  expect(
    verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      bytes,
    ),
  ).toBe(true);
});

it('creates keys for Web Push with 32 bytes, whose public half is a point of the curve', () => {
  const keys = Array.from({ length: 20 }, makePushKey);

  expect(new Set(keys).size).toBe(20);
  for (const key of keys) {
    expect(isPushKey(key)).toBe(true);
    expect(publicPushKeyOf(key)).toMatch(/^B[\w-]{86}$/);
  }
});

it.each(['', 'a key', PUSH_KEY.slice(1), `${PUSH_KEY}A`, 'A'.repeat(43), '_'.repeat(43)])(
  'rejects %j as a key for Web Push',
  (text) => {
    expect(isPushKey(text)).toBe(false);
  },
);
