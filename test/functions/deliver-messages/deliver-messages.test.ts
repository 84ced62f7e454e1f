import { describe, expect, it } from 'vitest';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import type { Channel } from '#shared/channels/channel.ts';
import { channelPartition } from '#shared/channels/channel-partition.ts';
import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import { sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import {
  configured,
  newChannelRecord,
  subscribed,
} from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { tombstoneOf, withoutChannels } from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { anAlert, anInboxEntry, NOON } from '#test/support/builders.ts';
import { DESK, deliveryWorld, numbered, QUEUE, sent } from '#test/support/delivery-world.ts';

const LIST = { tenant: 'acme', id: 'punks' };
const { signal } = new AbortController();

describe('the chart of a message', () => {
  const chartsOf = (notifications: readonly Notification[]) =>
    notifications.map((one) => (one.kind === 'alert' ? one.chart : 'a digest'));

  it('each message has a chart of the current rule, and links made for its channel', async () => {
    const { post, deliver, notifications } = await deliveryWorld();
    await post(1, [DESK, QUEUE, 'stack-slack']);

    for (const destinationId of [DESK, QUEUE, 'stack-slack'] as const) await deliver(destinationId);

    const charts = ['a.1.0 of floor-60', 'a.1.0 of floor-60', 'a.1.0 of undefined'];
    expect(chartsOf(notifications)).toEqual(charts);
    expect(notifications).toMatchObject(
      ['desk', 'queue', 'undefined'].map((channel) => ({ actions: `a.1.0 for ${channel}` })),
    );
  });

  it('a retried message has no chart, because the picture may have caused the failure', async () => {
    const { post, deliver, comeDue, state, notifications } = await deliveryWorld();
    const tried: Notification[] = [];
    state.answer = (notification) => {
      tried.push(notification);
      return tried.length === 1 ? { kind: 'failed', reason: 'timeout' } : { kind: 'sent' };
    };
    await post(1);

    await deliver();
    await comeDue();

    expect(chartsOf(tried)).toEqual(['a.1.0 of floor-60', undefined]);
    expect(notifications).toHaveLength(1);
  });
});

describe('the message of an episode', () => {
  /** For each sent notification, the earlier message that it updates. */
  const shownBy = (notifications: readonly Notification[]) =>
    notifications.map((one) => (one.kind === 'alert' ? one.shownBy : 'a digest'));
  const inEpisode = (number: number, given: Parameters<typeof anAlert>[0]) =>
    anAlert({ ...numbered(number), open: true, episode: 1, ...given });

  it('each alert of an episode refers to the latest message of its episode, until the episode ends', async () => {
    const { ports, deliver, state, notifications, records } = await deliveryWorld();
    state.answer = () => ({ kind: 'sent', shows: `message ${notifications.length}` });
    const made = [
      inEpisode(0, { kind: 'fired' }),
      inEpisode(1, { kind: 'fired', episode: 2 }),
      inEpisode(2, { kind: 'worsened' }),
      inEpisode(3, { kind: 'recovered', open: false }),
    ];
    await postAlerts(ports, made, [DESK]);

    await deliver();

    expect(shownBy(notifications)).toEqual([undefined, undefined, 'message 0', 'message 2']);
    expect((await records.get(DESK))?.shown).toEqual({
      'a.1.episode-2': { message: 'message 1', news: expect.stringContaining('a.1.1') },
    });
  });

  it('an alert to a new address of a channel does not update a message at the old address', async () => {
    const { ports, deliver, state, notifications, watchlists, list } = await deliveryWorld();
    state.answer = () => ({ kind: 'sent', shows: 'there' });
    await postAlerts(ports, [inEpisode(0, { kind: 'fired' })], [DESK]);
    await deliver();
    const elsewhere = { id: 'desk', kind: 'email', to: 'other@example.com' } as const;
    await watchlists.put({ ...list, revision: list.revision + 1, channels: [elsewhere] });
    await postAlerts(ports, [inEpisode(1, { kind: 'worsened' })], [DESK]);

    await deliver();

    expect(shownBy(notifications)).toEqual([undefined, undefined]);
  });

  it('a channel record has the messages of the fifty episodes with the most recent alerts', async () => {
    const { ports, deliver, state, records } = await deliveryWorld();
    state.answer = (notification) => ({ kind: 'sent', shows: notificationId(notification) });
    for (let number = 0; number < 52; number += 1) {
      state.now += MINUTE;
      const episode = number === 51 ? 1 : number;
      const alert = { kind: 'fired', episode, at: formatInstant(state.now) } as const;
      await postAlerts(ports, [inEpisode(number, alert)], [DESK]);
      await deliver();
    }

    const shown = Object.keys((await records.get(DESK))?.shown ?? {});

    expect(shown).toHaveLength(50);
    expect(shown).toContain('a.1.episode-1');
    expect(shown).not.toContain('a.1.episode-0');
  });
});

describe('the delivery to a channel', () => {
  it('a channel receives its pending alerts once, oldest first, and then has no timer', async () => {
    const { post, deliver, notifications, deliveryOf, waiting, records } = await deliveryWorld();
    await post(2);
    await post(1, [DESK], -1);

    await deliver();
    await deliver();

    expect(sent(notifications)).toEqual(['a.1.-1', 'a.1.0', 'a.1.1']);
    expect(await deliveryOf(0)).toMatchObject({ state: 'sent' });
    expect(await waiting()).toBe(0);
    expect(await records.get(DESK)).toMatchObject({
      recent: [NOON, NOON + SECOND, NOON + 2 * SECOND],
    });
    expect((await records.get(DESK))?.dueAt).toBeUndefined();
  });

  it('a channel receives alerts with the same time in the order of their numbers', async () => {
    const { ports, deliver, notifications } = await deliveryWorld();
    const { at } = numbered(0);
    const made = [9, 10, 11].map((number) => anAlert({ id: `a.1.${number}`, at }));
    await postAlerts(ports, made, [DESK]);

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.9', 'a.1.10', 'a.1.11']);
  });

  it.each([
    ['an alert', 'LIST#', { alert: 'garbage' }],
    ['an inbox entry', 'INBOX#', { tenant: 7 }],
  ])(
    'a channel receives the readable alerts although %s is unreadable',
    async (_what, partition, broken) => {
      const { post, deliver, notifications, table, waiting } = await deliveryWorld();
      await post(2);
      const item = table
        .items()
        .find(({ pk, sk }) => pk.startsWith(partition) && sk.endsWith('a.1.0'));
      if (item !== undefined) await table.put({ ...item, ...broken });

      await deliver();

      expect(sent(notifications)).toEqual(['a.1.1']);
      expect(await waiting()).toBe(0);
    },
  );

  it('a channel receives no alert twice, even if the inbox contains it again', async () => {
    const { post, deliver, notifications, inbox, waiting } = await deliveryWorld();
    await post(1);
    await deliver();
    await inbox.put(anInboxEntry(DESK, numbered(0)));

    await deliver();

    expect(notifications).toHaveLength(1);
    expect(await waiting()).toBe(0);
  });

  it('a failing channel is retried with growing delays, and then receives its alerts in order', async () => {
    const { post, state, notifications, records, comeDue, deliver } = await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: '503' });
    await post(2);

    await deliver();
    const pauses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const begun = state.now;
      pauses.push((((await records.get(DESK))?.dueAt ?? 0) - begun) / MINUTE);
      await comeDue();
    }
    state.answer = () => ({ kind: 'sent' });
    await comeDue();

    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(sent(notifications)).toEqual(['a.1.0', 'a.1.1']);
    expect((await records.get(DESK))?.failure).toBeUndefined();
  });

  it('a channel with Retry-After receives nothing before that time, even if new alerts arrive', async () => {
    const { post, state, notifications, records, deliver } = await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: '429', retryAfterSeconds: 300 });
    await post(1);
    await deliver();
    state.answer = () => ({ kind: 'sent' });
    await post(1, [DESK], 1);

    await deliver();

    expect(notifications).toEqual([]);
    expect((await records.get(DESK))?.dueAt).toBe(NOON + 300 * SECOND);
  });

  it('a channel with Retry-After 0 is retried after a second at the earliest', async () => {
    const { post, state, deliver, records } = await deliveryWorld();
    let asked = 0;
    state.answer = () => {
      asked += 1;
      state.remaining -= 1000;
      return { kind: 'failed', reason: '503', retryAfterSeconds: 0 };
    };
    await post(1);

    await deliver();

    expect(asked).toBe(1);
    expect((await records.get(DESK))?.dueAt).toBe(NOON + SECOND);
  });

  it('a channel with Retry-After beyond a day is retried after a day, and its alert is given up a minute later', async () => {
    const { post, state, deliver, comeDue, deliveryOf } = await deliveryWorld();
    const retryAfterSeconds = (3 * DAY) / SECOND;
    state.answer = () => ({ kind: 'failed', reason: '429', retryAfterSeconds });
    await post(1);

    await deliver();
    await comeDue();
    const triedAt = state.now;
    await comeDue();

    expect([triedAt, state.now]).toEqual([NOON + DAY, NOON + DAY + MINUTE]);
    expect(await deliveryOf(0)).toMatchObject({ state: 'failed', reason: '429' });
  });

  it('a channel is retried if the request to the channel could not be made', async () => {
    const { ports, post, records, deliveryOf } = await deliveryWorld();
    await post(1);
    const send = () => Promise.reject(new RangeError('no secret'));

    await deliverMessages({ ...ports, send }, { destinationId: DESK }, signal);

    expect((await records.get(DESK))?.failure).toMatchObject({ count: 1, reason: 'RangeError' });
    expect(await deliveryOf(0)).toEqual({ state: 'pending' });
  });

  it('a missing topic makes the topic job due at the next tick, after which the channel receives its alert', async () => {
    const { post, deliver, state, notifications, jobs, deliveryOf } = await deliveryWorld();
    const topic = { list: LIST, target: { kind: 'topic' }, revision: 1, version: 1 } as const;
    await jobs.make({ ...topic, createdAt: NOON, dueAt: NOON + DAY });
    await post(1);
    state.answer = () => ({ kind: 'no_topic' });

    await deliver();
    const note = await jobs.get(LIST, { kind: 'topic' });
    state.answer = () => ({ kind: 'sent' });
    state.now += MINUTE;
    await deliver();

    expect([note?.dueAt, note?.revision]).toEqual([NOON, 1]);
    expect(notifications).toHaveLength(1);
    expect((await deliveryOf(0))?.state).toBe('sent');
  });

  it('if a topic is missing and has no job, the job is created again', async () => {
    const { post, deliver, state, jobs } = await deliveryWorld();
    await post(1);
    state.answer = () => ({ kind: 'no_topic' });

    await deliver();

    const note = await jobs.get(LIST, { kind: 'topic' });
    expect([note?.dueAt, note?.revision]).toEqual([NOON, 1]);
  });

  it('a channel that refuses an alert still receives the next alert', async () => {
    const { post, state, notifications, deliver, deliveryOf, records } = await deliveryWorld();
    state.answer = (notification) =>
      notificationId(notification) === 'a.1.0'
        ? { kind: 'refused', reason: '400' }
        : { kind: 'sent' };
    await post(2);

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.1']);
    expect(await deliveryOf(0)).toMatchObject({ state: 'failed', reason: '400' });
    expect((await records.get(DESK))?.failure).toBeUndefined();
  });

  it('an alert that its channel has not accepted for a day is given up, with the reason', async () => {
    const { post, state, notifications, deliver, deliveryOf, comeDue, waiting } =
      await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: '503 busy' });
    await post(2);
    await deliver();
    while (state.now < NOON + DAY) await comeDue();
    await comeDue();

    expect(await deliveryOf(0)).toMatchObject({ state: 'failed', reason: '503 busy' });
    expect(await waiting()).toBe(0);
    expect(notifications).toEqual([]);
  });

  it('a channel whose alerts are given up is reported once to the other channels and to the operators', async () => {
    const { post, state, notifications, deliver, comeDue, records } = await deliveryWorld();
    state.answer = (_notification, destination) =>
      destination.kind === 'channel' && destination.channel.id === 'desk'
        ? { kind: 'failed', reason: '503 busy' }
        : { kind: 'sent' };
    await post(1);
    await deliver();
    while (state.now < NOON + DAY) await comeDue();
    await post(1, [DESK], 3600);
    while (state.now < NOON + 3 * DAY) {
      if ((await records.get(DESK))?.dueAt === undefined) break;
      await comeDue();
    }

    for (const destinationId of [QUEUE, 'stack-topic', 'stack-slack'] as const)
      await deliver(destinationId);

    const alerts = notifications.flatMap((notification) =>
      notification.kind === 'alert' ? [notification.alert] : [],
    );
    expect(alerts.map(({ kind }) => kind)).toEqual(Array(3).fill('channel_off'));
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(1);
    expect(alerts[0]?.title).toMatch(/^Channel "desk" of watchlist "\w+" does not accept alerts$/);
    expect(alerts[0]?.facts[0]?.value).toContain('503 busy');
  });

  it('giving up the alerts of a channel is reported under one alert id, whichever call the function crashes at', async () => {
    let calls = Number.POSITIVE_INFINITY;
    for (let dies = 0; dies < calls; dies += 1) {
      const { ports, post, state, notifications, deliver, deliveryOf } = await deliveryWorld();
      state.answer = (_notification, { kind }) =>
        kind === 'channel' ? { kind: 'refused', reason: '404 no_service' } : { kind: 'sent' };
      await post(1);
      let made = 0;
      const dying = <Given extends readonly unknown[], Answer>(
        port: (...given: Given) => Promise<Answer>,
      ) => {
        return async (...given: Given): Promise<Answer> => {
          const answer = await port(...given);
          made += 1;
          if (made === dies) throw new Error('died');
          return answer;
        };
      };
      const mortal = {
        ...ports,
        putChannel: dying(ports.putChannel),
        putOutcome: dying(ports.putOutcome),
        removeFromInbox: dying(ports.removeFromInbox),
        sendToChannels: dying(ports.sendToChannels),
      };

      await deliverMessages(mortal, { destinationId: DESK }, signal).catch(() => {});
      if (dies === 0) calls = made + 1;
      state.now += HOUR;
      await deliver();
      await deliver('stack-topic');

      expect(sent(notifications), `died after call ${dies}`).toEqual([
        expect.stringMatching(/\.given-up$/),
      ]);
      expect(await deliveryOf(0)).toMatchObject({ state: 'failed', reason: '404 no_service' });
    }
  });

  it('an alert older than a day is still sent once', async () => {
    const { post, state, notifications, deliver } = await deliveryWorld();
    await post(1);
    state.now = NOON + 2 * DAY;

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.0']);
  });

  it('twenty channels record their outcome for the same alert concurrently without a failure', async () => {
    const { post, deliver, deliveryOf, watchlists, list } = await deliveryWorld();
    const twenty = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const emails = twenty.map((id): Channel => ({ id, kind: 'email', to: `${id}@example.com` }));
    await watchlists.put({ ...list, revision: 2, channels: emails });
    const destinationIds = twenty.map((id) => channelDestinationId(LIST, id));
    await post(1, destinationIds);

    await Promise.all(destinationIds.map(deliver));

    for (const destinationId of destinationIds)
      expect(await deliveryOf(0, destinationId)).toMatchObject({ state: 'sent' });
  });

  it('a channel that times out delays no other channel', async () => {
    const { post, state, deliver, notifications } = await deliveryWorld();
    state.answer = (_notification, destination) =>
      destination.kind === 'stack-slack' ? { kind: 'failed', reason: 'timeout' } : { kind: 'sent' };
    await post(1, [DESK, 'stack-slack', 'stack-topic']);

    for (const destinationId of ['stack-slack', DESK, 'stack-topic'] as const)
      await deliver(destinationId);

    expect(notifications).toHaveLength(2);
  });

  it('a digest for people is split into single alerts when its channel becomes a queue', async () => {
    const { post, state, notifications, deliver, comeDue, watchlists, list } =
      await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: '503' });
    await post(1);
    await deliver();
    await post(4, [DESK], 1);
    state.answer = (notification) =>
      notification.kind === 'alert' ? { kind: 'sent' } : { kind: 'failed', reason: '503' };
    await comeDue();
    const given = [{ id: 'desk', kind: 'sqs' as const, queue: 'arn:aws:sqs:eu-west-1:1:alerts' }];
    await watchlists.put({ ...list, revision: 2, channels: given });
    state.answer = () => ({ kind: 'sent' });

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.0', 'a.1.1', 'a.1.2', 'a.1.3', 'a.1.4']);
  });

  it('a new address resets the failures of its channel', async () => {
    const { post, state, notifications, deliver, watchlists, list, records } =
      await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: '503' });
    await post(1);
    await deliver();
    const moved = [{ id: 'desk', kind: 'email' as const, to: 'night@example.com' }];
    await watchlists.put({ ...list, revision: 2, channels: moved });
    state.answer = () => ({ kind: 'sent' });

    await deliver();

    expect(sent(notifications)).toEqual(['a.1.0']);
    expect((await records.get(DESK))?.failure).toBeUndefined();
  });

  it.each(['removed from its list', 'deleted with its list'])(
    'no items of a channel remain after it is %s, and its alerts are marked as failed',
    async (fate) => {
      const { post, deliver, watchlists, list, table, deliveryOf } = await deliveryWorld();
      await post(3);
      const after =
        fate === 'removed from its list'
          ? { ...list, revision: 2, channels: [] }
          : { ...withoutChannels(tombstoneOf(list, NOON)), revision: 2 };
      await watchlists.put(after);

      await deliver();

      expect(await deliveryOf(1)).toMatchObject({
        state: 'failed',
        reason: 'the channel was removed',
      });
      const left = table.items().filter(({ pk, sk }) => `${pk} ${sk}`.match(/INBOX|CHANNEL/));
      expect(left).toEqual([]);
    },
  );
});

describe('a channel that returned 410 Gone', () => {
  const off = async () => {
    const made = await deliveryWorld();
    made.state.answer = (_notification, destination) =>
      destination.kind === 'channel' && destination.channel.id === 'queue'
        ? { kind: 'gone', reason: 'HTTP 410 Gone' }
        : { kind: 'sent' };
    await made.post(3, [QUEUE]);
    await made.deliver(QUEUE);
    return made;
  };

  it('a channel that returns 410 Gone is switched off, and its alerts are marked as failed', async () => {
    const { records, deliveryOf, waiting, post, deliver, notifications } = await off();
    await post(1, [QUEUE], 7);
    await deliver(QUEUE);

    expect((await records.get(QUEUE))?.off).toMatchObject({ since: NOON, announced: true });
    for (const number of [0, 2, 7]) {
      expect(await deliveryOf(number, QUEUE)).toMatchObject({
        state: 'failed',
        reason: 'HTTP 410 Gone',
      });
    }
    expect(await waiting(QUEUE)).toBe(0);
    expect((await records.get(QUEUE))?.dueAt).toBeUndefined();
    expect(notifications).toEqual([]);
  });

  it('a channel that returns 410 Gone stays off, even if its record changes before the response arrives', async () => {
    const { ports, post, deliver, records, state, inbox } = await deliveryWorld();
    await post(1, [QUEUE]);
    const send: typeof ports.send = async (...notification) => {
      const known = await records.get(QUEUE);
      // Simulates a channel whose configuration was never stored.
      if (known) await records.put({ ...known, configuration: '' });
      await ports.send(...notification);
      return { kind: 'gone', reason: 'HTTP 410 Gone' };
    };

    await deliverMessages({ ...ports, send }, { destinationId: QUEUE }, signal);
    state.answer = () => ({ kind: 'sent' });
    await deliver(QUEUE);

    expect((await records.get(QUEUE))?.off).toMatchObject({ announced: true });
    expect(await inbox.oldest(QUEUE, 10)).toEqual([]);
  });

  it('a channel that returns 410 Gone is reported once to the other channels and to the operators', async () => {
    const { deliver, notifications, waiting } = await off();

    for (const destinationId of [QUEUE, DESK, 'stack-topic', 'stack-slack'] as const)
      await deliver(destinationId);

    const alerts = notifications.flatMap((notification) =>
      notification.kind === 'alert' ? [notification.alert] : [],
    );
    expect(alerts.map(({ kind }) => kind)).toEqual(Array(3).fill('channel_off'));
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(1);
    expect(alerts[0]).toMatchObject({ rule: null, metric: null, generation: null });
    expect(await waiting(QUEUE)).toBe(0);
  });

  it('a successful test switches a channel on again', async () => {
    const { deliver, notifications, ports, records, post, state } = await off();
    state.answer = () => ({ kind: 'sent' });
    const sample = sampleAlert({ list: LIST, channel: 'queue' }, 1, NOON);

    await postAlerts(ports, [sample], [QUEUE]);
    await deliver(QUEUE);
    await post(1, [QUEUE], 9);
    await deliver(QUEUE);

    expect(sent(notifications)).toEqual([sample.id, 'a.1.9']);
    expect((await records.get(QUEUE))?.off).toBeUndefined();
  });

  it('a new address switches a channel on again', async () => {
    const { deliver, notifications, post, state, watchlists, list } = await off();
    state.answer = () => ({ kind: 'sent' });
    const queue = 'arn:aws:sqs:eu-west-1:123456789012:others';
    await watchlists.put({ ...list, revision: 2, channels: [{ id: 'queue', kind: 'sqs', queue }] });

    await post(1, [QUEUE], 9);
    await deliver(QUEUE);

    expect(sent(notifications)).toEqual(['a.1.9']);
  });
});

it('an alert for an unsubscribed recipient is marked as failed, and not sent', async () => {
  const { post, deliver, notifications, records, deliveryOf } = await deliveryWorld();
  await post(1);
  const here = configured(newChannelRecord(DESK, NOON), 'email desk@example.com');
  await records.put(subscribed(here, 'gone', NOON));

  await deliver();

  expect(notifications).toEqual([]);
  expect(await deliveryOf(0)).toMatchObject({ state: 'failed' });
});

describe('messages to people', () => {
  it('people receive five messages in a rolling minute, and the other alerts as one digest', async () => {
    const { post, deliver, notifications, comeDue, state, deliveryOf, records } =
      await deliveryWorld();
    await post(12);

    await deliver();
    const atOnce = sent(notifications);
    const held = await records.get(DESK);
    await comeDue();

    expect(atOnce).toEqual(['a.1.0', 'a.1.1', 'a.1.2', 'a.1.3', 'a.1.4']);
    expect(held?.dueAt).toBe(NOON + MINUTE);
    expect(sent(notifications).slice(5)).toEqual(['7 at once']);
    expect(await deliveryOf(11)).toEqual({ state: 'sent', at: state.now });
  });

  it('people receive a single delayed alert as a normal message, not as a digest', async () => {
    const { post, deliver, notifications, comeDue } = await deliveryWorld();
    await post(6);

    await deliver();
    await comeDue();

    expect(sent(notifications).at(-1)).toBe('a.1.5');
  });

  it.each([{ lesser: 7 }, { lesser: 300 }])(
    'people receive critical alerts immediately, one per message, even if $lesser less severe alerts wait',
    async ({ lesser }) => {
      const { ports, post, deliver, notifications, comeDue } = await deliveryWorld();
      await post(lesser);
      await deliver();
      const before = sent(notifications).length;
      const urgent = [1, 2].map((number) =>
        anAlert({ id: `c.1.${number}`, severity: 'critical', at: formatInstant(NOON + HOUR) }),
      );

      await postAlerts(ports, urgent, [DESK]);
      await deliver();
      const after = sent(notifications).slice(before);
      await comeDue();
      // Critical messages count towards the rate limit, so the digest may need a second timer.
      await comeDue();

      expect(before).toBe(5);
      expect(after).toEqual(['c.1.1', 'c.1.2']);
      expect(sent(notifications).slice(before + 2)).toEqual([`${lesser - 5} at once`]);
    },
  );

  it('people receive waiting alerts as soon as the rate limit permits, even after critical alerts', async () => {
    const { ports, post, deliver, state, records } = await deliveryWorld();
    await post(7);
    await deliver();
    const opens = (await records.get(DESK))?.notBefore ?? 0;
    const urgent = (number: number) => anAlert({ id: `c.${number}.1`, severity: 'critical' });

    state.now += 10 * SECOND;
    await postAlerts(ports, [urgent(1)], [DESK]);
    await deliver();
    const afterOne = (await records.get(DESK))?.dueAt;
    await postAlerts(ports, [2, 3, 4, 5, 6].map(urgent), [DESK]);
    await deliver();
    const afterAll = (await records.get(DESK))?.dueAt;

    expect(opens).toBeGreaterThan(NOON);
    expect(afterOne).toBe(opens);
    expect(afterAll).toBeLessThanOrEqual(opens);
  });

  it('people receive five other alerts after five critical ones, and at most ten messages in a minute', async () => {
    const { ports, post, deliver, notifications, records } = await deliveryWorld();
    const urgent = [1, 2, 3, 4, 5].map((number) =>
      anAlert({ id: `c.${number}.1`, rule: `critical-${number}`, severity: 'critical' }),
    );
    for (const alert of urgent) {
      await postAlerts(ports, [alert], [DESK]);
      await deliver();
    }

    await post(5);
    await deliver();
    const inTheMinute = notifications.length;
    await postAlerts(ports, [anAlert({ id: 'c.6.1', severity: 'critical' })], [DESK]);
    await deliver();

    expect(inTheMinute).toBe(10);
    expect(notifications).toHaveLength(10);
    expect((await records.get(DESK))?.notBefore).toBe(NOON + MINUTE);
  });

  it('people receive a critical alert before older alerts, and not in their digest', async () => {
    const { ports, post, deliver, notifications, comeDue, state } = await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: 'server_error' });
    await post(3);
    await deliver();
    const urgent = anAlert({ id: 'c.1.1', severity: 'critical', at: formatInstant(NOON + HOUR) });
    await postAlerts(ports, [urgent], [DESK]);
    state.answer = () => ({ kind: 'sent' });

    await comeDue();

    // The interrupted notification is retried before any other starts.
    expect(sent(notifications)).toEqual(['a.1.0', 'c.1.1', '2 at once']);
  });

  it('people receive the alerts that arrived during an outage of their channel as one digest', async () => {
    const { post, deliver, notifications, comeDue, state } = await deliveryWorld();
    state.answer = () => ({ kind: 'failed', reason: '503' });
    await post(1);
    await deliver();
    await post(40, [DESK], 1);
    state.answer = () => ({ kind: 'sent' });

    await comeDue();

    expect(sent(notifications)).toEqual(['a.1.0', '40 at once']);
  });

  it('people receive a failed digest again with the same id and contents', async () => {
    const { post, deliver, comeDue, state } = await deliveryWorld();
    const tried: string[] = [];
    await post(12);
    await deliver();
    state.answer = (notification) => {
      tried.push(
        `${notificationId(notification)} ${notification.kind === 'digest' && notification.count}`,
      );
      return { kind: 'failed', reason: 'timeout' };
    };

    await comeDue();
    await post(3, [DESK], 20);
    await post(1, [DESK], -1);
    await comeDue();

    expect(tried).toHaveLength(2);
    expect(new Set(tried).size).toBe(1);
    expect(tried[0]).toMatch(/^digest\.[0-9a-f]{20} 7$/);
  });

  it.each([
    { what: 'an alert', waiting: 1 },
    { what: 'a digest', waiting: 7 },
  ])(
    'people receive $what again unchanged after a crash, even if other alerts have arrived',
    async ({ waiting }) => {
      const { ports, post, deliver, notifications, state, records } = await deliveryWorld();
      await post(5, [DESK], -10);
      await deliver();
      await post(waiting);
      await deliver();
      state.now = (await records.get(DESK))?.dueAt ?? Number.NaN;
      let isSent = false;
      const send: typeof ports.send = async (...notification) => {
        isSent = true;
        return await ports.send(...notification);
      };
      const putChannel: typeof ports.putChannel = (record) =>
        isSent ? Promise.reject(new Error('crashed')) : ports.putChannel(record);
      const settleInInbox: typeof ports.settleInInbox = () => Promise.reject(new Error('crashed'));
      const crashed = deliverMessages(
        { ...ports, send, putChannel, settleInInbox },
        { destinationId: DESK },
        signal,
      );
      await expect(crashed).rejects.toThrow('crashed');
      await post(2, [DESK], 20);
      await post(1, [DESK], -1);

      await deliver();

      const [before, after, ...others] = notifications.slice(5);
      expect(after).toEqual(before);
      expect(others.flatMap((notification) => sent([notification]))).not.toContain(
        sent([before ?? never()])[0],
      );
      expect(others.length).toBeGreaterThan(0);
    },
  );

  it('people receive a thousand alerts in one digest, and ten thousand alerts in ten digests', async () => {
    const { post, deliver, notifications, comeDue, state, waiting, deliveryOf } =
      await deliveryWorld();
    state.answer = () => ({
      kind: 'failed',
      reason: '503',
      retryAfterSeconds: (4 * HOUR) / SECOND,
    });
    await post(1);
    await deliver();
    await post(10_000, [DESK], 1);
    state.answer = () => ({ kind: 'sent' });

    while ((await waiting()) > 0) await comeDue();

    const [, ...digests] = sent(notifications);
    expect(digests).toEqual(Array.from({ length: 10 }, () => '1000 at once'));
    expect(await deliveryOf(10_000)).toMatchObject({ state: 'sent' });
  });
});

it('programs receive each alert separately, as fast as they accept requests', async () => {
  const { post, deliver, notifications, state } = await deliveryWorld();
  await post(30, [QUEUE]);

  await deliver(QUEUE);

  expect(sent(notifications)).toEqual(Array.from({ length: 30 }, (_, number) => `a.1.${number}`));
  expect(state.now).toBe(NOON);
});

it('programs receive each alert separately even after a failure', async () => {
  const { post, deliver, comeDue, notifications, state } = await deliveryWorld();
  state.answer = () => ({ kind: 'failed', reason: '503' });
  await post(1, [QUEUE]);
  await deliver(QUEUE);
  await post(3, [QUEUE], 1);
  state.answer = () => ({ kind: 'sent' });

  await comeDue(QUEUE);

  expect(sent(notifications)).toEqual(['a.1.0', 'a.1.1', 'a.1.2', 'a.1.3']);
});

describe('a webhook that accepts many alerts in one request', () => {
  const secrets = [{ sealed: 's', hash: 'h' }];
  const hook = { id: 'desk', kind: 'webhook' as const, url: 'https://example.com/', secrets };
  const batching = () => deliveryWorld({ channels: [{ ...hook, batchSize: 3 }] });

  /** Advances the clock to the timer of the channel, and delivers in its partition. */
  async function serve({ ports, state, records, list }: Awaited<ReturnType<typeof batching>>) {
    const { dueAt = state.now, notBefore } = (await records.get(DESK)) ?? {};
    if (notBefore !== undefined) state.now = Math.max(state.now, dueAt);
    const partition = channelPartition({ kind: 'channel', list, channel: hook }, {});
    await deliverMessages(ports, { destinationId: DESK, ...(partition && { partition }) }, signal);
  }

  it('a webhook with batchSize receives pending alerts in batches, each alert with its own links', async () => {
    const world = await batching();
    await world.post(7);

    await serve(world);

    expect(sent(world.notifications)).toEqual(['3 at once', '3 at once', 'a.1.6']);
    const [batch] = world.notifications;
    const singly = batch?.kind === 'digest' ? batch.singly : [];
    expect(singly?.map(({ alert, actions }) => [alert.id, actions])).toEqual([
      ['a.1.0', 'a.1.0 for desk'],
      ['a.1.1', 'a.1.1 for desk'],
      ['a.1.2', 'a.1.2 for desk'],
    ]);
    expect(await world.deliveryOf(4)).toMatchObject({ state: 'sent' });
  });

  it('a failed batch is repeated with the same id and the same alerts', async () => {
    const world = await batching();
    const tried: unknown[] = [];
    world.state.answer = (notification) => {
      tried.push(notification.kind === 'digest' && notification.id);
      return { kind: 'failed', reason: '503' };
    };
    await world.post(2);
    await serve(world);
    await world.post(4, [DESK], 2);
    await serve(world);
    world.state.answer = () => ({ kind: 'sent' });

    await serve(world);

    expect(tried).toEqual([expect.stringMatching(/^digest/), tried[0]]);
    expect(sent(world.notifications)).toEqual(['2 at once', '3 at once', 'a.1.5']);
  });

  it('a pending batch is split into single alerts if the webhook no longer accepts batches', async () => {
    const world = await batching();
    world.state.answer = () => ({ kind: 'failed', reason: '503' });
    await world.post(3);
    await serve(world);
    await world.watchlists.put({ ...world.list, revision: 2, channels: [hook] });
    world.state.answer = () => ({ kind: 'sent' });

    await serve(world);

    expect(sent(world.notifications)).toEqual(['a.1.0', 'a.1.1', 'a.1.2']);
  });
});

it('delivery continues with another queue message when time runs out, and repeats nothing', async () => {
  const { post, deliver, notifications, comeDue, state, waiting, intent } = await deliveryWorld();
  await post(400);
  await deliver();
  state.now += MINUTE;
  state.remaining = 9000;

  let turns = 0;
  do {
    intent.length = 0;
    await deliver();
    turns += 1;
  } while (intent.length > 0);
  await comeDue();

  expect(turns).toBeGreaterThan(10);
  expect(sent(notifications).slice(5)).toEqual(['395 at once']);
  expect(await waiting()).toBe(0);
});

function never(): never {
  throw new Error('nothing was sent');
}
