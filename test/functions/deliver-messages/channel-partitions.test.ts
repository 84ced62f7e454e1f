import { describe, expect, it } from 'vitest';
import { composeDeliverMessages } from '#functions/deliver-messages/compose.ts';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import type { DeliverMessagesPorts } from '#functions/deliver-messages/ports.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { Channel } from '#shared/channels/channel.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { anAlert, aWatchlist, NOON } from '#test/support/builders.ts';
import { anOutside } from '#test/support/outside.ts';

const LIST = { tenant: 'acme', id: 'punks' };
const HOOK = channelDestinationId(LIST, 'hook');
const { signal } = new AbortController();
const secrets = [{ sealed: 'sealed', hash: 'hash' }];
const channels: readonly Channel[] = [
  { id: 'desk', kind: 'email', to: 'desk@example.com' },
  { id: 'hook', kind: 'webhook', url: 'https://example.com/hook', secrets },
];

/** A list with an email channel and a webhook. The test sets how long each answer takes. */
async function world() {
  const table = createMemoryTable();
  const records = createChannelStore(table);
  const watchlists = createWatchlistStore(table);
  await watchlists.put(aWatchlist({ channels }));
  const sent: string[] = [];
  const intent: ChannelMessage[] = [];
  const reports: string[] = [];
  const state = {
    now: NOON,
    answersAfter: 0,
    provesAfter: 0,
    answer: { kind: 'sent' } as ChatAnswer,
  };
  const composed = composeDeliverMessages(
    anOutside({
      table: () => table,
      now: () => state.now,
      uniqueNumber: () => state.now,
      sleepUntil: async (instant) => {
        state.now = Math.max(state.now, instant);
      },
      logOf: () => ({ info: (event) => reports.push(event), error: () => {} }),
    }),
  );
  const ports: DeliverMessagesPorts = {
    ...composed.ports,
    messageLinks: async () => ({}),
    send: async (destination, notification) => {
      state.now += state.answersAfter;
      sent.push(`${destination.kind === 'channel' ? destination.channel.id : destination.kind}`);
      return notification.kind === 'alert' ? state.answer : { kind: 'sent' };
    },
    prove: async () => {
      state.now += state.provesAfter;
      return { kind: 'sent' };
    },
    sendToChannels: async (messages) => {
      intent.push(...messages.map(({ message }) => message));
    },
    remainingTime: () => 30_000,
  };
  return {
    ...{ table, records, sent, intent, reports, state, ports },
    handle: (message: ChannelMessage) => deliverMessages(ports, message, signal),
    post: async (count: number, destinationIds: readonly DestinationId[] = [HOOK]) => {
      const made = Array.from({ length: count }, (_, index) => anAlert({ id: `a.1.${index}` }));
      await postAlerts(ports, made, destinationIds);
      intent.length = 0;
    },
    /** Removes the next message from the queue. */
    next: () => intent.shift() ?? { destinationId: 'nothing##' as const },
  };
}

const QUICK = /^quick [0-7] acme$/;
const SLOW = /^slow [01] acme$/;

describe('a channel that answers over HTTP', () => {
  it('a message for a webhook without a partition is forwarded to a partition of its tenant', async () => {
    const { handle, post, sent, intent, next } = await world();
    await post(1);

    await handle({ destinationId: HOOK });
    expect([sent, intent]).toEqual([
      [],
      [{ destinationId: HOOK, partition: expect.stringMatching(QUICK) }],
    ]);

    await handle(next());
    expect([sent, intent]).toEqual([['hook'], []]);
  });

  it('a webhook moves to a slow partition after a slow answer, and back after a quick one', async () => {
    const { handle, post, sent, state, next } = await world();
    await post(3);
    state.answersAfter = 2001;
    await handle({ destinationId: HOOK });

    await handle(next());
    const slow = next();
    expect([sent.length, slow.partition]).toEqual([1, expect.stringMatching(SLOW)]);

    state.answersAfter = 100;
    await handle(slow);
    const quick = next();
    expect([sent.length, quick.partition]).toEqual([2, expect.stringMatching(QUICK)]);

    await handle(quick);
    expect(sent.length).toBe(3);
  });

  it('a webhook stays in its partition while its new address is challenged, so no second worker starts', async () => {
    const { handle, post, records, state, ports, next, intent } = await world();
    await post(2);
    state.answersAfter = 2001;
    await handle({ destinationId: HOOK });
    await handle(next());
    const slow = next();
    const record = await records.get(HOOK);
    if (record !== undefined) await records.put({ ...record, configuration: 'another address' });
    const secondIntent: ChannelMessage[] = [];

    await deliverMessages(
      {
        ...ports,
        send: async () => {
          await handle({ destinationId: HOOK });
          secondIntent.push(...intent.splice(0));
          return { kind: 'sent' };
        },
      },
      slow,
      signal,
    );

    expect(secondIntent).toEqual([slow]);
  });

  it('a webhook moves to a slow partition after a slow answer to its challenge, with or without alerts', async () => {
    for (const alerts of [0, 1]) {
      const { handle, post, records, state, next } = await world();
      await post(alerts);
      state.provesAfter = 2001;
      await handle({ destinationId: HOOK });

      await handle(next());

      expect(await records.get(HOOK)).toMatchObject({ isSlow: true, provenAt: expect.any(Number) });
    }
  });

  it('a webhook occupies its partition for five seconds, and then continues after the other channels', async () => {
    const { handle, post, sent, state, intent, next } = await world();
    await post(9);
    state.answersAfter = 1500;
    await handle({ destinationId: HOOK });
    const turn = next();

    await handle(turn);

    expect([sent.length, intent]).toEqual([4, [turn]]);
  });

  it('a failed message does not block its partition, because a timer repeats the message', async () => {
    const { handle, post, intent, reports, ports, records, next } = await world();
    await post(1);
    await handle({ destinationId: HOOK });
    const failing = { ...ports, nextInInbox: () => Promise.reject(new Error('the table refuses')) };

    await deliverMessages(failing, next(), signal);

    expect([intent, reports]).toEqual([[], ['delivery_failed']]);
    expect((await records.get(HOOK))?.dueAt).toBeLessThanOrEqual(NOON + 120 * SECOND);
  });

  it('a channel leaves its partition when its kind changes from webhook to queue', async () => {
    const { handle, post, sent, intent, ports, next } = await world();
    await post(1);
    await handle({ destinationId: HOOK });
    const queue = { id: 'hook', kind: 'sqs', queue: 'arn:aws:sqs:eu-west-1:1:q' } as const;
    const changed = { ...ports, getWatchlist: async () => aWatchlist({ channels: [queue] }) };

    await deliverMessages(changed, next(), signal);

    expect([sent, intent]).toEqual([[], [{ destinationId: HOOK }]]);
  });
});

it.each([channelDestinationId(LIST, 'desk'), 'stack-topic', 'stack-slack'] as const)(
  '%s has its own message group, and no partition',
  async (destinationId) => {
    const { handle, post, sent, intent } = await world();
    await post(1, [destinationId]);

    await handle({ destinationId });

    expect([sent.length, intent]).toEqual([1, []]);
  },
);
