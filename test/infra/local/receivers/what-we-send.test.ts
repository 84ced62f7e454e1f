import { describe, expect, it, onTestFinished } from 'vitest';
import type { Delivery } from '#infra/local/mailbox.ts';
import { startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { createChats } from '#shared/channels/channel-sender.ts';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { anAlertInWords, NOON } from '#test/support/builders.ts';
import { CHAT_EXAMPLES } from '#test/support/channel-examples.ts';
import { VAPID } from '#test/support/push-key.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const { signal } = new AbortController();

/** An alert whose names repeat one character and have the maximum length. */
function alertNamed(character: string, n = 1) {
  const name = character.repeat(100);
  const id = `0123456789abcdef0123.1.${n}`;
  return anAlertInWords({ id, name, source: character.repeat(24) }, { label: name });
}
const many = (character: string, count: number) =>
  digestOf(
    'd1',
    Array.from({ length: count }, (_, n) => alertNamed(character, n)),
  );

const alert = (character: string): Notification => ({
  kind: 'alert',
  alert: alertNamed(character),
});
const notifications: readonly { readonly what: string; readonly notification: Notification }[] = [
  { what: 'an alert', notification: alert('a') },
  { what: 'an alert of punctuation', notification: alert('*') },
  { what: 'an alert of emoji', notification: alert('🦍') },
  { what: 'an alert of characters that Slack escapes', notification: alert('&') },
  { what: 'a digest', notification: many('a', 2) },
  { what: 'the longest digest', notification: many('🦍', 1000) },
  { what: 'the longest digest of punctuation', notification: many('*', 1000) },
];

describe('the fakes of receivers accept the messages of floorwatch', () => {
  describe.each(CHAT_EXAMPLES)('a chat of kind $written.kind', ({ written, chat: { to } }) => {
    it.each(notifications)('the fake of a chat accepts $what', async ({ notification }) => {
      const { chatOrigins, http, taken, refusals } = await receivers();
      const world = { http, now: () => NOON, vapid: VAPID, destinations: 'loopback-only' } as const;
      const postToChat = createChats({ ...world, origins: chatOrigins });

      const answer = await postToChat(written.kind, written, notification, signal);

      expect({ answer, refusals }).toMatchObject({ answer: { kind: 'sent' }, refusals: [] });
      expect(taken).toMatchObject([{ kind: written.kind, to }]);
    });
  });

  it.each(notifications.filter(({ notification }) => notification.kind === 'alert'))(
    'the fake of a webhook accepts $what that is signed with an old and a new secret',
    async ({ notification }) => {
      const { webhookOrigin, http, taken, refusals } = await receivers();
      const webhooks = createSignedWebhooks(
        { alerts: http, challenges: http },
        { now: () => NOON, wallClock: Date.now, newChallenge: () => 'a-challenge' },
      );
      const old = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

      const proof = await webhooks.prove(`${webhookOrigin}/a`, [secret, old], signal);
      const answer = await webhooks.post(`${webhookOrigin}/a`, [secret, old], notification, signal);

      expect(proof).toEqual({ kind: 'sent' });
      expect({ answer, refusals }).toMatchObject({ answer: { kind: 'sent' }, refusals: [] });
      expect(taken).toMatchObject([{ kind: 'webhook', to: '/a' }]);
    },
  );
});

async function receivers() {
  const taken: Delivery[] = [];
  const refusals: string[] = [];
  const running = await startReceivers({
    webhookSecret: secret,
    webhookPort: 0,
    now: () => NOON,
    deliver: (delivery) => taken.push(delivery),
    onRefusal: (reason) => refusals.push(reason),
  });
  onTestFinished(running.close);
  const http = createHttpClient({ deadlineMs: 8000, maxBodyBytes: 65_536, maxConnections: 2 });
  return { ...running, http, taken, refusals };
}
