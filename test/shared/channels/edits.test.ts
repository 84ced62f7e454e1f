import { describe, expect, it, onTestFinished } from 'vitest';
import type { Delivery } from '#infra/local/mailbox.ts';
import { startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { createChats } from '#shared/channels/channel-sender.ts';
import { CHATS } from '#shared/channels/chats.ts';
import { DOUBLES } from '#shared/channels/doubles.ts';
import type { ChatKind } from '#shared/channels/kinds.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { VAPID } from '#test/support/push-key.ts';

const { signal } = new AbortController();
const EDITING: readonly ChatKind[] = ['slack_bot', 'discord', 'telegram'];

const fired = anAlert({ kind: 'fired', open: true, title: 'It fell' });
const recovered = anAlert({ kind: 'recovered', open: false, title: 'It is over' });
const notificationOf = (alert: Alert, shownBy?: string): Notification => ({
  kind: 'alert',
  alert,
  shownBy,
});

it('edits messages in exactly those chats whose services can change a message', () => {
  const editing = Object.entries(CHATS).flatMap(([kind, chat]) => ('editing' in chat ? kind : []));

  expect(new Set(editing)).toEqual(new Set(EDITING));
});

describe.each(EDITING)('the fake of %s', (kind) => {
  it('edits the message of an episode when the episode is over', async () => {
    const chat = await channel(kind);

    const first = await chat.post(notificationOf(fired));
    const last = await chat.post(notificationOf(recovered, shownBy(first)));

    expect(last).toEqual(first);
    expect(chat.edits()).toEqual([undefined, '1']);
    expect(JSON.stringify(chat.taken[1])).toContain('It is over');
  });

  it('accepts an edit that does not change the message', async () => {
    const chat = await channel(kind);

    const first = await chat.post(notificationOf(fired));
    await chat.post(notificationOf(recovered, shownBy(first)));
    const again = await chat.post(notificationOf(recovered, shownBy(first)));

    expect(again).toEqual(first);
  });

  it.each([
    ['a reminder', { kind: 'reminder' }],
    ['a critical worsening', { kind: 'worsened', severity: 'critical' }],
  ] as const)(
    'posts %s as a separate message, and edits that message from then on',
    async (_, given) => {
      const chat = await channel(kind);

      const first = await chat.post(notificationOf(fired));
      const second = await chat.post(
        notificationOf(anAlert({ ...given, open: true }), shownBy(first)),
      );
      await chat.post(notificationOf(recovered, shownBy(second)));

      expect(shownBy(second)).not.toBe(shownBy(first));
      expect(chat.edits()).toEqual([undefined, undefined, '2']);
    },
  );

  it('edits the message for a worsening that is not critical', async () => {
    const chat = await channel(kind);

    const first = await chat.post(notificationOf(fired));
    const worse = anAlert({ kind: 'worsened', severity: 'warning', open: true });
    await chat.post(notificationOf(worse, shownBy(first)));

    expect(chat.edits()).toEqual([undefined, '1']);
  });

  it('posts the news as a new message if somebody deleted the earlier one', async () => {
    const chat = await channel(kind);
    const unknown = { discord: '999', telegram: '999', slack_bot: '999.000100' }[kind as 'discord'];

    const answer = await chat.post(notificationOf(recovered, unknown));

    expect(answer).toMatchObject({ kind: 'sent', shows: expect.stringMatching(/^1\b/) });
    expect(chat.edits()).toEqual([undefined]);
  });

  it('posts every digest as a new message, and every alert if the channel is configured so', async () => {
    const chat = await channel(kind);

    const first = await chat.post(notificationOf(fired), 'post');
    await chat.post(notificationOf(recovered, shownBy(first)), 'post');
    await chat.post(digestOf('digest.1', [fired, recovered]));

    expect(chat.edits()).toEqual([undefined, undefined, undefined]);
  });

  it('waits before an edit as long as the service requests, and does not post a message instead', async () => {
    const chat = await channel(kind, 0);
    const first = await chat.post(notificationOf(fired));
    for (let edits = 0; edits < 60; edits += 1) {
      const alert = { ...recovered, title: `It is over ${edits}` };
      const answer = await chat.post(notificationOf(alert, shownBy(first)));
      if (answer.kind === 'sent') continue;

      expect(answer).toMatchObject({ kind: 'failed', retryAfterSeconds: expect.any(Number) });
      expect(chat.edits().filter((edited) => edited === undefined)).toHaveLength(1);
      return;
    }
    throw new Error('it takes as many changes as one likes');
  });
});

function shownBy(answer: object): string | undefined {
  return 'shows' in answer ? String(answer.shows) : undefined;
}

/** A channel with its fake; the time between two messages is `apart` milliseconds. */
async function channel(kind: ChatKind, apart = 10_000) {
  const taken: Delivery[] = [];
  let now = NOON;
  const running = await startReceivers({
    ...{ webhookSecret: `whsec_${Buffer.alloc(24).toString('base64')}`, webhookPort: 0 },
    now: () => now,
    deliver: (delivery) => taken.push(delivery),
    onRefusal: () => {},
  });
  onTestFinished(running.close);
  const http = createHttpClient({ deadlineMs: 8000, maxBodyBytes: 65_536, maxConnections: 2 });
  const world = { http, now: () => now, vapid: VAPID, destinations: 'loopback-only' } as const;
  const postToChat = createChats({ ...world, origins: running.chatOrigins });
  const written = DOUBLES[kind].channel;
  return {
    post: async (notification: Notification, updates?: 'post') => {
      now += apart;
      const address = { ...written, ...(updates && { updates }) };
      return await postToChat(kind, address, notification, signal);
    },
    taken,
    /** The id of the message that each accepted message edits. */
    edits: () => taken.map((delivery) => ('edits' in delivery ? delivery.edits : undefined)),
  };
}
