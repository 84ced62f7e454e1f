import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Chat } from '#shared/channels/post-to-chat.ts';
import { makePushKey } from '#shared/clients/push-key.ts';
import { encryptPush, vapidAuthorization } from '#shared/clients/web-push.ts';
import { notificationSeverity } from '#shared/domain/alerting/notification.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { isSubscription, type PushBody } from './kind.ts';
import { pushMessage } from './message.ts';

/**
 * The push service of a browser (RFC 8030), which stores a message for up to a day until the device
 * is online. This code has never called a real service.
 */
export const pushChat: Chat<Pick<PushBody, 'endpoint' | 'p256dh' | 'auth'>> = {
  requestOf: async (subscription, notification, { now, vapid }) => {
    if (vapid === undefined || !isSubscription(subscription)) return undefined;
    const message = pushMessage(notification);
    const encrypted = encryptPush(JSON.stringify(message), subscription, {
      salt: randomBytes(16),
      privateKey: Buffer.from(makePushKey(), 'base64url'),
    });
    if (encrypted === undefined) return undefined;
    const { silent, tag } = message.options;
    const isUrgent = !silent && notificationSeverity(notification) !== 'info';
    const signed = { key: await vapid.readKey(), contact: vapid.contact, now: now() };
    return {
      url: subscription.endpoint,
      headers: {
        authorization: vapidAuthorization(new URL(subscription.endpoint), signed),
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: `${DAY / SECOND}`,
        urgency: isUrgent ? 'high' : 'normal',
        // While the device is offline, a message replaces the one with the same topic.
        topic: createHash('sha256').update(tag).digest('base64url').slice(0, 32),
      },
      message: encrypted,
    };
  },
  problemIn: ({ status, body }) => ({
    code: Problem.safeParse(body).data,
    seconds: undefined,
    isGone: status === 404 || status === 410,
  }),
};

/**
 * The error codes of Apple (a reason) and Mozilla (a number). Google and Microsoft return sentences
 * without a code.
 */
const Problem = JsonText.pipe(
  z.union([
    z
      .object({ reason: z.string().regex(/^[A-Z][A-Za-z]{1,40}$/) })
      .transform(({ reason }) => reason),
    z.object({ errno: z.int().min(100).max(999) }).transform(({ errno }) => `errno ${errno}`),
  ]),
);
