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

/** A list with an email and a webhook; each answer takes as long as the test says. */
async function world() {
  const table = createMemoryTable();
  const records = createChannelStore(table);
  const watchlists = createWatchlistStore(table);
  await watchlists.put(aWatchlist({ channels }));
  const sent: string[] = [];
  const hints: ChannelMessage[] = [];
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
      hints.push(...messages.map(({ message }) => message));
    },
    remainingTime: () => 30_000,
  };
  return {
    ...{ table, records, sent, hints, reports, state, ports },
    handle: (message: ChannelMessage) => deliverMessages(ports, message, signal),
    post: async (count: number, destinationIds: readonly DestinationId[] = [HOOK]) => {
      const made = Array.from({ length: count }, (_, index) => anAlert({ id: `a.1.${index}` }));
      await postAlerts(ports, made, destinationIds);
      hints.length = 0;
    },
    /** The message that goes on with it. */
    next: () => hints.shift() ?? { destinationId: 'nothing##' as const },
  };
}

const QUICK = /^quick [0-7] acme$/;
const SLOW = /^slow [01] acme$/;

describe('a channel that answers over HTTP', () => {
  it('is posted to in a lane of its tenant, wherever its message was', async () => {
    const { handle, post, sent, hints, next } = await world();
    await post(1);

    await handle({ destinationId: HOOK });
    expect([sent, hints]).toEqual([
      [],
      [{ destinationId: HOOK, lane: expect.stringMatching(QUICK) }],
    ]);

    await handle(next());
    expect([sent, hints]).toEqual([['hook'], []]);
  });

  it('has a lane for slow ones after a slow answer, and leaves it after a quick one', async () => {
    const { handle, post, sent, state, next } = await world();
    await post(3);
    state.answersAfter = 2001;
    await handle({ destinationId: HOOK });

    await handle(next());
    const slow = next();
    expect([sent.length, slow.lane]).toEqual([1, expect.stringMatching(SLOW)]);

    state.answersAfter = 100;
    await handle(slow);
    const quick = next();
    expect([sent.length, quick.lane]).toEqual([2, expect.stringMatching(QUICK)]);

    await handle(quick);
    expect(sent.length).toBe(3);
  });

  it('stays in its lane while its new address is asked, so no second worker begins', async () => {
    const { handle, post, records, state, ports, next, hints } = await world();
    await post(2);
    state.answersAfter = 2001;
    await handle({ destinationId: HOOK });
    await handle(next());
    const slow = next();
    const record = await records.get(HOOK);
    if (record !== undefined) await records.put({ ...record, configuration: 'another address' });
    const secondHints: ChannelMessage[] = [];

    await deliverMessages(
      {
        ...ports,
        send: async () => {
          await handle({ destinationId: HOOK });
          secondHints.push(...hints.splice(0));
          return { kind: 'sent' };
        },
      },
      slow,
      signal,
    );

    expect(secondHints).toEqual([slow]);
  });

  it('has a lane for slow ones while it is slow to tell its challenge again, with or without alerts', async () => {
    for (const alerts of [0, 1]) {
      const { handle, post, records, state, next } = await world();
      await post(alerts);
      state.provesAfter = 2001;
      await handle({ destinationId: HOOK });

      await handle(next());

      expect(await records.get(HOOK)).toMatchObject({ isSlow: true, provenAt: expect.any(Number) });
    }
  });

  it('has its turn for five seconds, and then goes on behind the others of its lane', async () => {
    const { handle, post, sent, state, hints, next } = await world();
    await post(9);
    state.answersAfter = 1500;
    await handle({ destinationId: HOOK });
    const turn = next();

    await handle(turn);

    expect([sent.length, hints]).toEqual([4, [turn]]);
  });

  it('holds up no other by a message that fails: its timer repeats it', async () => {
    const { handle, post, hints, reports, ports, records, next } = await world();
    await post(1);
    await handle({ destinationId: HOOK });
    const failing = { ...ports, nextInInbox: () => Promise.reject(new Error('the table refuses')) };

    await deliverMessages(failing, next(), signal);

    expect([hints, reports]).toEqual([[], ['delivery_failed']]);
    expect((await records.get(HOOK))?.dueAt).toBeLessThanOrEqual(NOON + 120 * SECOND);
  });

  it('leaves its lane when it becomes a queue', async () => {
    const { handle, post, sent, hints, ports, next } = await world();
    await post(1);
    await handle({ destinationId: HOOK });
    const queue = { id: 'hook', kind: 'sqs', queue: 'arn:aws:sqs:eu-west-1:1:q' } as const;
    const changed = { ...ports, getWatchlist: async () => aWatchlist({ channels: [queue] }) };

    await deliverMessages(changed, next(), signal);

    expect([sent, hints]).toEqual([[], [{ destinationId: HOOK }]]);
  });
});

it.each([channelDestinationId(LIST, 'desk'), 'stack-topic', 'stack-slack'] as const)(
  '%s has its messages to itself, and no lane',
  async (destinationId) => {
    const { handle, post, sent, hints } = await world();
    await post(1, [destinationId]);

    await handle({ destinationId });

    expect([sent.length, hints]).toEqual([1, []]);
  },
);
