import { describe, expect, it } from 'vitest';
import { runJob } from '#functions/run-jobs/run-job.ts';
import { addressOf } from '#shared/channels/channel.ts';
import type { Endpoint } from '#shared/channels/channel-kind.ts';
import { endedByReader, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import {
  tombstoneOf,
  type Watchlist,
  withoutChannels,
} from '#shared/domain/watchlists/watchlist.ts';
import { aWatchlist, NOON } from '#test/support/builders.ts';
import { puttingInto } from '#test/support/putting.ts';
import { createWorld } from '#test/support/world.ts';

const LIST = { tenant: 'acme', id: 'punks' };
const DESK = 'acme#punks#desk';
const desk = { id: 'desk', kind: 'email', to: 'desk@example.com' } as const;
const queue = { id: 'queue', kind: 'sqs', queue: 'arn:aws:sqs:eu-west-1:1:alerts' } as const;
const chat = { id: 'chat', kind: 'slack', url: { sealed: 'x', hash: '0123abcd' } } as const;

/** The topic job of a list that was just written, and a fake SNS whose answers the test sets. */
async function world(channels: Watchlist['channels'] = [desk, queue, chat]) {
  const made = createWorld();
  const { watchlists, jobs, channels: records } = made.stores;
  const list = aWatchlist({ channels });
  await watchlists.put(list);
  const note = async (revision: number) =>
    await puttingInto(made.table).jobs({
      ...{ list: LIST, target: { kind: 'topic' }, revision, version: revision },
      ...{ createdAt: made.now(), dueAt: made.now() + MINUTE },
    });
  await note(1);
  const asked: (readonly Subscriber[])[] = [];
  const sns: {
    states: Record<string, string>;
    /** Confirmed endpoints. */
    confirmed: readonly string[];
    removed: (readonly string[])[];
    hasTopic: boolean;
    meanwhile?: (() => Promise<void>) | undefined;
  } = {
    states: { desk: 'pending', queue: 'confirmed' },
    confirmed: [],
    removed: [],
    hasTopic: true,
  };
  const ports = {
    ...made.ports.notify,
    hasTopic: async () => sns.hasTopic,
    keepSubscribers: async (_list: unknown, subscribers: readonly Subscriber[]) => {
      asked.push(subscribers);
      await sns.meanwhile?.();
      const states = subscribers
        .filter(({ ask }) => ask !== 'later')
        .map(({ channel }) => [channel, sns.states[channel]])
        .filter(([, state]) => state !== undefined);
      return new Map(states as never) as Subscriptions;
    },
    removeTopics: async (_list: unknown, endpoints: readonly Endpoint[]) => {
      sns.removed.push(endpoints.map(({ endpoint }) => endpoint));
      return sns.confirmed.filter((address) => endpoints.some((one) => one.endpoint === address));
    },
  };
  return {
    ...{ made, ports, list, watchlists, jobs, records, asked, sns, note },
    keep: () => runJob(ports, { list: LIST, target: { kind: 'topic' } }),
    nextCheck: async () => {
      const jobFor = await jobs.get(LIST, { kind: 'topic' });
      return jobFor && (jobFor.dueAt - made.now()) / MINUTE;
    },
  };
}

describe('the topics of a list', () => {
  it('the topic job subscribes the email and queue channels of a list, and records the state of each', async () => {
    const { keep, asked, records } = await world();

    await keep();

    expect(asked).toEqual([
      [
        { channel: 'desk', protocol: 'email', endpoint: desk.to, ask: 'now' },
        { channel: 'queue', protocol: 'sqs', endpoint: queue.queue, ask: 'now' },
      ],
    ]);
    expect((await records.get(DESK))?.subscription?.state).toBe('pending');
    expect((await records.get('acme#punks#queue'))?.subscription?.state).toBe('confirmed');
    expect(await records.get('acme#punks#chat')).toBeUndefined();
  });

  it('a channel with a new address becomes due immediately', async () => {
    const { keep, made, records } = await world();
    const known = { ...newChannelRecord(DESK, NOON), dueAt: made.now() + HOUR };
    const chatAt = 'acme#punks#chat';
    await records.put({ ...known, configuration: 'email old@example.com' });
    await records.put({ ...known, destinationId: chatAt, configuration: addressOf(chat) });

    await keep();

    expect((await records.get(DESK))?.dueAt).toBe(made.now());
    expect((await records.get(chatAt))?.dueAt).toBe(made.now() + HOUR);
  });

  it('the topic job runs every five minutes at first, then hourly, and daily once all subscribers are confirmed', async () => {
    const { keep, nextCheck, made, sns } = await world();

    await keep();
    const atFirst = await nextCheck();
    made.pass(HOUR);
    await keep();
    const later = await nextCheck();
    sns.states.desk = 'confirmed';
    await keep();

    expect([atFirst, later, await nextCheck()]).toEqual([5, 60, DAY / MINUTE]);
  });

  it('the topic job runs again while SNS refuses a channel, without affecting the others', async () => {
    const { keep, nextCheck, sns, records } = await world([queue, desk]);
    sns.states = { desk: 'confirmed' };

    await keep();

    expect(await nextCheck()).toBe(60);
    expect((await records.get(DESK))?.subscription?.state).toBe('confirmed');
    expect(await records.get('acme#punks#queue')).toBeUndefined();
  });

  it('a subscriber that has left receives no new confirmation request until its channel has a new address', async () => {
    const { keep, asked, sns, watchlists, list, records, note } = await world([desk]);
    await keep();
    sns.states.desk = 'gone';
    await keep();
    const moved = { ...list, revision: 2, channels: [{ ...desk, to: 'night@example.com' }] };
    await watchlists.put(moved);
    await note(2);
    sns.states.desk = 'pending';

    await keep();

    expect(asked.map(([subscriber]) => subscriber?.ask)).toEqual(['now', 'never', 'now']);
    expect((await records.get(DESK))?.subscription?.state).toBe('pending');
  });

  it('a subscriber does not count as gone right after its subscription', async () => {
    const { keep, sns, records, made, nextCheck } = await world([desk]);
    await keep();
    sns.states.desk = 'gone';

    await keep();
    const atOnce = (await records.get(DESK))?.subscription?.state;
    made.pass(15 * MINUTE);
    await keep();
    const later = (await records.get(DESK))?.subscription?.state;
    sns.states.desk = 'confirmed';
    await keep();

    expect([atOnce, later]).toEqual(['pending', 'gone']);
    expect((await records.get(DESK))?.subscription?.state).toBe('confirmed');
    expect(await nextCheck()).toBe(DAY / MINUTE);
  });

  it('a recipient who has unsubscribed is removed from the topic, and receives no new confirmation request', async () => {
    const { keep, asked, sns, records, made, watchlists, list, note } = await world([desk, queue]);
    sns.states.desk = 'confirmed';
    await keep();
    const known = await records.get(DESK);
    await records.put(endedByReader(known ?? newChannelRecord(DESK, NOON), made.now()));
    await keep();
    sns.hasTopic = false;
    await keep();
    const ended = (await records.get(DESK))?.subscription?.state;
    await watchlists.put({
      ...{ ...list, revision: 2 },
      channels: [{ ...desk, to: 'night@example.com' }, queue],
    });
    await note(2);

    await keep();

    const channels = asked.map((subscribers) => subscribers.map(({ channel }) => channel));
    expect(channels).toEqual([['desk', 'queue'], ['queue'], ['queue'], ['desk', 'queue']]);
    expect(ended).toBe('ended');
  });

  it('a list without email or queue channels needs no topic job', async () => {
    const { keep, asked, nextCheck } = await world([chat]);

    await keep();

    expect(asked).toEqual([[]]);
    expect(await nextCheck()).toBeUndefined();
  });

  it('the topic job schedules the delivery to a removed channel, which deletes the record of the channel', async () => {
    const { keep, records, watchlists, list, made } = await world();
    await records.put(newChannelRecord('acme#punks#chat', NOON));
    await watchlists.put({ ...withoutChannels(tombstoneOf(list, NOON)), revision: 2 });

    await keep();

    expect((await records.get('acme#punks#chat'))?.dueAt).toBe(made.now() + 2 * MINUTE);
  });

  it('the subscribers of a deleted topic are subscribed again, even if an earlier attempt was interrupted', async () => {
    const { keep, asked, sns, records, made } = await world([desk]);
    sns.states.desk = 'confirmed';
    await keep();
    sns.hasTopic = false;
    sns.meanwhile = () => Promise.reject(new Error('died'));
    await expect(keep()).rejects.toThrow('died');
    sns.hasTopic = true;
    sns.meanwhile = undefined;
    sns.states.desk = 'pending';
    made.pass(MINUTE);

    await keep();

    expect(asked.map(([subscriber]) => subscriber?.ask)).toEqual(['now', 'now', 'now']);
    expect((await records.get(DESK))?.subscription?.state).toBe('pending');
  });

  it('the topic job deletes the topic of a removed channel, and subscribes the channel again when it returns to the list', async () => {
    const { keep, asked, sns, watchlists, list } = await world([desk, queue]);
    await keep();
    await watchlists.put({ ...list, revision: 2, channels: [queue] });
    sns.confirmed = [desk.to];
    await keep();
    await watchlists.put({ ...list, revision: 3 });

    await keep();

    expect(sns.removed).toEqual([[desk.to]]);

    const asks = asked.map((all) => all.map((subscriber) => subscriber.ask));
    expect(asks).toEqual([['now', 'now'], ['never'], ['now', 'never']]);
  });

  it('an unconfirmed subscriber receives one request in eight hours, however often the list is edited', async () => {
    const { keep, asked, watchlists, list, nextCheck, made } = await world([desk, queue]);
    await keep();
    for (const revision of [2, 4]) {
      await watchlists.put({ ...list, revision, channels: [queue] });
      await keep();
      await watchlists.put({ ...list, revision: revision + 1 });
      await keep();
    }
    expect(asked.map(([subscriber]) => subscriber?.ask)).toEqual([
      'now',
      'never',
      'later',
      'never',
      'later',
    ]);
    expect(await nextCheck()).toBe(60);
    made.pass(8 * HOUR);

    await keep();

    expect(asked.at(-1)?.[0]).toMatchObject({ channel: 'desk', ask: 'now' });
  });

  it('an address on several lists gets one confirmation request at a time, and the next only after a confirmation', async () => {
    const { made, keep, ...one } = await world([desk]);
    const other = { ...LIST, id: 'apes' };
    await one.watchlists.put({ ...one.list, id: 'apes' });
    await one.jobs.make({
      ...{ list: other, target: { kind: 'topic' }, revision: 1, version: 1 },
      ...{ createdAt: NOON, dueAt: NOON },
    });
    const keepOther = () => runJob(one.ports, { list: other, target: { kind: 'topic' } });

    await Promise.all([keep(), keepOther()]);
    one.sns.states.desk = 'confirmed';
    made.pass(5 * MINUTE);
    await keep();
    await keepOther();

    const asks = one.asked.map(([subscriber]) => subscriber?.ask);
    expect(asks.slice(0, 2).toSorted()).toEqual(['later', 'now']);
    expect(asks.slice(2)).toEqual(['never', 'now']);
  });

  it('an address of two channels receives one confirmation request', async () => {
    const { keep, made, asked } = await world([desk, { ...desk, id: 'night' }]);

    await keep();

    expect(asked[0]?.map(({ ask }) => ask)).toEqual(['now', 'now']);
    const known = await made.ports.notify.getAddress('acme', desk.to);
    expect(known).toMatchObject({ version: 2, isConfirmed: false });
  });

  it('a subscriber receives a new confirmation request if a stale worker has deleted its topic', async () => {
    const { keep, asked, sns, watchlists, list } = await world([desk, queue]);
    sns.states.desk = 'confirmed';
    await keep();
    sns.meanwhile = async () => {
      sns.meanwhile = undefined;
      await watchlists.put({ ...list, revision: 2 });
      // Another worker has just deleted the topic according to an older list.
      sns.hasTopic = false;
    };

    await keep();

    const asks = asked.map((all) => all.map((subscriber) => subscriber.ask));
    expect(asks).toEqual([
      ['now', 'now'],
      ['never', 'never'],
      ['now', 'now'],
    ]);
  });

  it('a worker that created topics for an outdated list repeats its work', async () => {
    const { keep, asked, sns, watchlists, list, nextCheck } = await world([desk]);
    await watchlists.put({ ...withoutChannels(tombstoneOf(list, NOON)), revision: 2 });
    sns.meanwhile = async () => {
      sns.meanwhile = undefined;
      await watchlists.put({ ...list, revision: 3 });
    };

    await keep();

    expect(asked.map((subscribers) => subscribers.map(({ channel }) => channel))).toEqual([
      [],
      ['desk'],
    ]);
    expect(await nextCheck()).toBe(5);
  });
});
