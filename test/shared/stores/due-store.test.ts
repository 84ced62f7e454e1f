import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idle, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { type Hints, newHints } from '#shared/domain/channels/hints.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { DueCursors } from '#shared/domain/messages/due-cursors.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import type { Job, JobTarget } from '#shared/domain/watchlists/job.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createDueStore, type DueStore } from '#shared/stores/due-store.ts';
import { createHintStore } from '#shared/stores/hint-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
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

  it('keeps the cursors of shards', async () => {
    const due = createDueStore(await engine.createTable());
    const cursors = { 'DUE#0': { pk: 'JOBS#acme#punks', sk: noteOf(1), dueAt: NOON } };

    const before = await due.cursors();
    await due.noteCursors(cursors);

    expect([before, await due.cursors()]).toEqual([{}, cursors]);
  });

  describe('timers', () => {
    it('of hints come when they are due, and go with them', async () => {
      const table = await engine.createTable();
      const [store, hints] = [createDueStore(table), createHintStore(table)];
      const made = newHints('7', 1, ['stack-topic'], NOON);
      const { dueAt } = made;
      await hints.put(made);

      const { timers: early } = await store.due(dueAt - 1, 10);
      const { timers: due } = await store.due(dueAt, 10);
      await hints.remove(made);

      expect([early, due]).toStrictEqual([[], [{ kind: 'hints', id: '7' }]]);
      expect((await store.due(LATER, 10)).timers).toEqual([]);
    });

    it.each<JobTarget>([
      { kind: 'apply' },
      { kind: 'topic' },
      { kind: 'expiry', rule: 'floor-60', end: 12 },
    ])('of a pending $kind come when it is due, and go with it', async (target) => {
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
    });

    it.each(['stack-topic', 'acme#punks#desk'] as const)(
      'of a channel come while something waits for it: %s',
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

    it('of channels take no place of any other', async () => {
      const table = await engine.createTable();
      const channels = createChannelStore(table);
      for (let number = 0; number < 20; number += 1) {
        await channels.put({
          ...newChannelRecord(`acme#punks#c-${number}`, NOON),
          dueAt: NOON - 1,
        });
      }
      await createHintStore(table).put({ ...newHints('7', 1, [], 0), dueAt: NOON });

      const { timers: due } = await createDueStore(table).due(NOON, 1);

      expect(due.map(({ kind }) => kind)).toContain('hints');
    });

    it('of hints stay due if the invocation added destinations while its inboxes were looked into', async () => {
      const table = await engine.createTable();
      const hints = createHintStore(table);
      const read = newHints('7', 1, ['stack-topic'], NOON);
      await hints.put(read);
      const added = newHints('7', 2, ['stack-topic', 'stack-slack'], NOON);

      await hints.put(added);
      await hints.putAfterLook({ ...read, dueAt: LATER });
      await hints.remove(read);

      expect(await hints.get('7')).toEqual(added);
    });

    it('of rules are none of them: the polls of their contract pass them', async () => {
      const table = await engine.createTable();
      const ruleCondition = { for: MINUTE };
      const pending = { state: 'pending', stateSince: NOON - MINUTE } as const;
      await createWatchStore(table).put(aWatch({ ruleCondition, version: 0, ...pending }));

      const { timers, overdueSince } = await createDueStore(table).due(LATER, 10);

      expect([timers, overdueSince]).toEqual([[], undefined]);
    });

    it('tell since when the longest waiting is due, of channels too', async () => {
      const table = await engine.createTable();
      const [store, channels] = [createDueStore(table), createChannelStore(table)];
      await createHintStore(table).put({ ...newHints('7', 1, [], 0), dueAt: NOON - 1 });
      await channels.put({ ...newChannelRecord('acme#punks#desk', 0), dueAt: NOON - 2 });

      expect((await store.due(NOON, 10)).overdueSince).toBe(NOON - 2);
      expect((await store.due(NOON - 3, 10)).overdueSince).toBeUndefined();
    });

    it('are returned of every shard, of each the oldest', async () => {
      const table = await engine.createTable();
      const hints = createHintStore(table);
      const all = Array.from({ length: 80 }, (_, number) => ({
        ...newHints(`hints-${number}`, 1, [], 0),
        dueAt: NOON - number,
      }));
      await Promise.all(all.map(hints.put));

      const { timers: due } = await createDueStore(table).due(NOON, 5);

      const shardOfHints = ({ id }: Hints) => shardOf(`HINTS#${id} HINTS`);
      const oldest = [...Map.groupBy(all.toReversed(), shardOfHints).values()].flatMap((shard) =>
        shard.slice(0, 5).map(({ id }) => id),
      );
      const reported = due.map((timer) => timer.kind === 'hints' && timer.id);
      expect(reported.toSorted()).toEqual(oldest.toSorted());
      expect(reported).toHaveLength(SHARDS * 5);
    });

    it('behind the oldest have their turn, page by page, and anew when all have had it', async () => {
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

    it('are as many as of each shard the oldest where no more are due, and no turn is kept', async () => {
      const { table, calls } = countingCalls(await engine.createTable());
      await fillShard(table, 1, () => NOON);
      calls.clear();

      const { timers, dueCursors } = await createDueStore(table).dueFromCursors(NOON, TWO, {});

      expect([timers.length, dueCursors]).toEqual([1, {}]);
      expect(calls.get('due')).toBe(2 * SHARDS);
    });

    it('continue after the last one that was returned, even if it was removed', async () => {
      const table = await engine.createTable();
      const store = createDueStore(table);
      await fillShard(table, 7, (number) => NOON + number);
      const { dueCursors } = await store.dueFromCursors(LATER, TWO, {});
      await table.delete({ pk: 'JOBS#acme#punks', sk: noteOf(3) }, 1);

      const { timers } = await store.dueFromCursors(LATER, TWO, dueCursors);

      expect(timers.map(ruleOf)).toEqual(['rule-0', 'rule-1', 'rule-4', 'rule-5']);
    });

    it.each([
      ['lies among the oldest by now', NOON],
      ['is of a clock that goes before ours', LATER + 1],
    ])('have their turn behind the oldest where the turn %s', async (_name, dueAt) => {
      const table = await engine.createTable();
      await fillShard(table, 4, (number) => NOON + 1 + number);
      const dueCursors = { 'DUE#0': { pk: 'JOBS#acme#punks', sk: noteOf(1), dueAt } };

      const { timers } = await createDueStore(table).dueFromCursors(LATER, TWO, dueCursors);

      expect(timers.map(ruleOf)).toEqual(['rule-0', 'rule-1', 'rule-2', 'rule-3']);
    });

    it('that are unknown are named and stop no other', async () => {
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

/** Puts so many timers into one shard. */
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

/** The rules that so many ticks tell, of which each takes two and two. */
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
