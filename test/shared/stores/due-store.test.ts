import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idle, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { newPostIntent, type PostIntent } from '#shared/domain/channels/post-intent.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { DueCursors } from '#shared/domain/messages/due-cursors.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import type { Job, JobTarget } from '#shared/domain/watchlists/job.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createDueStore, type DueStore } from '#shared/stores/due-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { aWatch, NOON } from '#test/support/builders.ts';
import { countingCalls } from '#test/support/counting-calls.ts';
import { ENGINES } from '#test/support/engines.ts';

const LATER = NOON + MINUTE;
const TWO = { oldest: 2, behind: 2 };

describe.each(ENGINES)('due work in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('reads back the cursors of the shards', async () => {
    const due = createDueStore(await engine.createTable());
    const cursors = { 'DUE#0': { pk: 'JOBS#acme#punks', sk: noteOf(1), dueAt: NOON } };

    const before = await due.cursors();
    await due.noteCursors(cursors);

    expect([before, await due.cursors()]).toEqual([{}, cursors]);
  });

  describe('timers', () => {
    it('returns the timer of cached records from the instant it is due until they are removed', async () => {
      const table = await engine.createTable();
      const [store, intents] = [createDueStore(table), createPostIntentStore(table)];
      const made = newPostIntent('7', 1, ['stack-topic'], NOON);
      const { dueAt } = made;
      await intents.put(made);

      const { timers: early } = await store.due(dueAt - 1, 10);
      const { timers: due } = await store.due(dueAt, 10);
      await intents.remove(made);

      expect([early, due]).toStrictEqual([[], [{ kind: 'postIntent', id: '7' }]]);
      expect((await store.due(LATER, 10)).timers).toEqual([]);
    });

    it.each<JobTarget>([
      { kind: 'apply' },
      { kind: 'topic' },
      { kind: 'expiry', rule: 'floor-60', end: 12 },
    ])(
      'returns the timer of a $kind job from the instant it is due until the job is settled',
      async (target) => {
        const table = await engine.createTable();
        const [store, pending] = [createDueStore(table), createJobStore(table)];
        const list = { tenant: 'acme', id: 'punks' };
        const note: Job = {
          ...{ list, target, revision: 12, version: 5 },
          ...{ createdAt: NOON - 1, dueAt: NOON },
        };
        await pending.make(note);

        const { timers: early } = await store.due(NOON - 1, 10);
        const { timers: due } = await store.due(NOON, 10);
        await pending.settle(note);

        expect([early, due]).toStrictEqual([[], [{ kind: 'job', job: { list, target } }]]);
        expect((await store.due(LATER, 10)).timers).toEqual([]);
      },
    );

    it.each(['stack-topic', 'acme#punks#desk'] as const)(
      'returns the timer of %s from the instant it is due until the channel is idle',
      async (destinationId) => {
        const table = await engine.createTable();
        const [store, channels] = [createDueStore(table), createChannelStore(table)];
        const written = await channels.put({
          ...newChannelRecord(destinationId, NOON),
          dueAt: NOON,
        });

        const { timers: early } = await store.due(NOON - 1, 10);
        const { timers: due } = await store.due(NOON, 10);
        await channels.put(idle(written));

        expect([early, due]).toStrictEqual([[], [{ kind: 'channel', destinationId }]]);
        expect((await store.due(NOON + LATER, 10)).timers).toEqual([]);
      },
    );

    it('returns other timers even if more channels are due than the limit', async () => {
      const table = await engine.createTable();
      const channels = createChannelStore(table);
      for (let number = 0; number < 20; number += 1) {
        await channels.put({
          ...newChannelRecord(`acme#punks#c-${number}`, NOON),
          dueAt: NOON - 1,
        });
      }
      await createPostIntentStore(table).put({ ...newPostIntent('7', 1, [], 0), dueAt: NOON });

      const { timers: due } = await createDueStore(table).due(NOON, 1);

      expect(due.map(({ kind }) => kind)).toContain('postIntent');
    });

    it('does not postpone or delete a record to which another invocation added destinations after it was read', async () => {
      const table = await engine.createTable();
      const intents = createPostIntentStore(table);
      const read = newPostIntent('7', 1, ['stack-topic'], NOON);
      await intents.put(read);
      const added = newPostIntent('7', 2, ['stack-topic', 'stack-slack'], NOON);

      await intents.put(added);
      await intents.putAfterCheck({ ...read, dueAt: LATER });
      await intents.remove(read);

      expect(await intents.get('7')).toEqual(added);
    });

    it('returns no timers of rules, which the polls of their contract evaluate', async () => {
      const table = await engine.createTable();
      const ruleCondition = { for: MINUTE };
      const pending = { state: 'pending', stateSince: NOON - MINUTE } as const;
      await createWatchStore(table).put(aWatch({ ruleCondition, version: 0, ...pending }));

      const { timers, overdueSince } = await createDueStore(table).due(LATER, 10);

      expect([timers, overdueSince]).toEqual([[], undefined]);
    });

    it('returns the due time of the most overdue timer, including those of channels', async () => {
      const table = await engine.createTable();
      const [store, channels] = [createDueStore(table), createChannelStore(table)];
      await createPostIntentStore(table).put({ ...newPostIntent('7', 1, [], 0), dueAt: NOON - 1 });
      await channels.put({ ...newChannelRecord('acme#punks#desk', 0), dueAt: NOON - 2 });

      expect((await store.due(NOON, 10)).overdueSince).toBe(NOON - 2);
      expect((await store.due(NOON - 3, 10)).overdueSince).toBeUndefined();
    });

    it('returns the oldest timers of every shard', async () => {
      const table = await engine.createTable();
      const intents = createPostIntentStore(table);
      const all = Array.from({ length: 80 }, (_, number) => ({
        ...newPostIntent(`intent-${number}`, 1, [], 0),
        dueAt: NOON - number,
      }));
      await Promise.all(all.map(intents.put));

      const { timers: due } = await createDueStore(table).due(NOON, 5);

      const shardOfIntent = ({ id }: PostIntent) => shardOf(`INTENT#${id} INTENT`);
      const oldest = [...Map.groupBy(all.toReversed(), shardOfIntent).values()].flatMap((shard) =>
        shard.slice(0, 5).map(({ id }) => id),
      );
      const reported = due.map((timer) => timer.kind === 'postIntent' && timer.id);
      expect(reported.toSorted()).toEqual(oldest.toSorted());
      expect(reported).toHaveLength(SHARDS * 5);
    });

    it('each page has the oldest timers and the next of the others, and the first page follows the last', async () => {
      const table = await engine.createTable();
      const store = createDueStore(table);
      await fillShard(table, 9, () => NOON);

      const pages = await inTurn(store, 5);

      const oldest = pages[0]?.slice(0, 2) ?? [];
      const others = pages.map((page) => page.slice(2));
      expect(pages.map((page) => page.slice(0, 2))).toEqual(Array(5).fill(oldest));
      expect(others.map(({ length }) => length)).toEqual([2, 2, 2, 1, 2]);
      expect(new Set([...oldest, ...others.slice(0, 4).flat()]).size).toBe(9);
      expect(others[4]).toEqual(others[0]);
    });

    it('makes two queries per shard and stores no cursor if only the oldest timers are due', async () => {
      const { table, calls } = countingCalls(await engine.createTable());
      await fillShard(table, 1, () => NOON);
      calls.clear();

      const { timers, dueCursors } = await createDueStore(table).dueFromCursors(NOON, TWO, {});

      expect([timers.length, dueCursors]).toEqual([1, {}]);
      expect(calls.get('due')).toBe(2 * SHARDS);
    });

    it('continues after the last returned timer, even if it was removed', async () => {
      const table = await engine.createTable();
      const store = createDueStore(table);
      await fillShard(table, 7, (number) => NOON + number);
      const { dueCursors } = await store.dueFromCursors(LATER, TWO, {});
      await table.delete({ pk: 'JOBS#acme#punks', sk: noteOf(3) }, 1);

      const { timers } = await store.dueFromCursors(LATER, TWO, dueCursors);

      expect(timers.map(ruleOf)).toEqual(['rule-0', 'rule-1', 'rule-4', 'rule-5']);
    });

    it.each([
      ['is among the oldest timers', NOON],
      ['comes from a clock that is ahead', LATER + 1],
    ])('starts after the oldest timers if the cursor %s', async (_name, dueAt) => {
      const table = await engine.createTable();
      await fillShard(table, 4, (number) => NOON + 1 + number);
      const dueCursors = { 'DUE#0': { pk: 'JOBS#acme#punks', sk: noteOf(1), dueAt } };

      const { timers } = await createDueStore(table).dueFromCursors(LATER, TWO, dueCursors);

      expect(timers.map(ruleOf)).toEqual(['rule-0', 'rule-1', 'rule-2', 'rule-3']);
    });

    it('names unknown due items and still returns the others', async () => {
      const table = await engine.createTable();
      await table.put({ pk: 'UNKNOWN', sk: 'thing', dueShard: 'DUE#0', dueAt: NOON });

      const due = await createDueStore(table).due(NOON, 10);

      expect(due).toEqual({ timers: [], overdueSince: NOON, unreadable: ['UNKNOWN thing'] });
    });
  });
});

function noteOf(number: number): string {
  return `expiry#rule-${number}#1`;
}

/** Puts a number of timers into one shard. */
async function fillShard(table: Table, count: number, dueAt: (number: number) => Instant) {
  for (let number = 0; number < count; number += 1) {
    const key = { pk: 'JOBS#acme#punks', sk: noteOf(number) };
    await table.put({ ...key, version: 1, dueShard: 'DUE#0', dueAt: dueAt(number) });
  }
}

function ruleOf(timer: Timer): string | undefined {
  if (timer.kind !== 'job' || timer.job.target.kind !== 'expiry') return undefined;
  return timer.job.target.rule;
}

/** The rules of the timers that each tick returns: the two oldest, and two after the cursor. */
async function inTurn(store: DueStore, ticks: number) {
  const pages: (readonly (string | undefined)[])[] = [];
  let dueCursors: DueCursors = {};
  for (let tick = 0; tick < ticks; tick += 1) {
    const due = await store.dueFromCursors(NOON, TWO, dueCursors);
    dueCursors = due.dueCursors;
    pages.push(due.timers.map(ruleOf));
  }
  return pages;
}
