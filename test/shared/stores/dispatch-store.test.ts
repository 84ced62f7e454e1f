import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newChannelRecord, rested } from '#shared/domain/channels/channel-record.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Watch } from '#shared/domain/watching/watch.ts';
import type { Pending, PendingTarget } from '#shared/domain/watchlists/pending.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createPendingStore } from '#shared/stores/pending-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { anAlert, aWatch, NOON, PUNKS } from '#test/support/builders.ts';
import { EMBEDDED_ENGINES } from '#test/support/tables.ts';

const LATER = NOON + MINUTE;

describe.each(EMBEDDED_ENGINES)('the dispatcher in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  describe('progress', () => {
    it('is nothing at first, then what was finished', async () => {
      const dispatch = createDispatchStore(await engine.createTable());

      const before = await dispatch.progress();
      await dispatch.finish({ version: 0, tickedAt: NOON, polledUntil: NOON });

      expect(before).toBeUndefined();
      expect(await dispatch.progress()).toStrictEqual({
        version: 1,
        tickedAt: NOON,
        polledUntil: NOON,
      });
    });

    it('is finished by one of two who read the same version', async () => {
      const dispatch = createDispatchStore(await engine.createTable());
      await dispatch.finish({ version: 0, tickedAt: NOON, polledUntil: NOON });
      await dispatch.finish({ version: 1, tickedAt: NOON, polledUntil: LATER });

      const late = dispatch.finish({ version: 1, tickedAt: NOON, polledUntil: LATER + 1 });

      await expect(late).rejects.toThrow(VersionConflictError);
      expect(await dispatch.progress()).toEqual({ version: 2, tickedAt: NOON, polledUntil: LATER });
    });

    it('that is corrupt is never half-read', async () => {
      const table = await engine.createTable();
      await table.put({
        pk: 'DISPATCH#0',
        sk: 'PROGRESS',
        version: 1,
        tickedAt: NOON,
        polledUntil: 'noon',
      });

      await expect(createDispatchStore(table).progress()).rejects.toThrow();
    });
  });

  describe('appointments', () => {
    it('of a watch come when its outbox is due, and go with it', async () => {
      const table = await engine.createTable();
      const [dispatch, watches] = [createDispatchStore(table), createWatchStore(table)];
      const id = { tenant: 'acme', list: 'punks', rule: 'floor-60', contract: PUNKS };
      const full = aWatch({ ...id, version: 0, outbox: [anAlert()], outboxDueAt: NOON });
      const written = await watches.put(full);

      const { appointments: early } = await dispatch.due(NOON - 1, 10);
      const { appointments: due } = await dispatch.due(NOON, 10);
      const { outboxDueAt: _done, ...emptied } = { ...written, outbox: [] };
      await watches.put(emptied);

      expect([early, due]).toStrictEqual([[], [{ kind: 'watch', id }]]);
      expect((await dispatch.due(LATER, 10)).appointments).toEqual([]);
    });

    it.each<PendingTarget>([
      { kind: 'contract', contract: 'polygon-amoy:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb' },
      { kind: 'topic' },
      { kind: 'expiry', rule: 'floor-60', revision: 12 },
    ])('of a pending $kind come when it is due, and go with it', async (target) => {
      const table = await engine.createTable();
      const [dispatch, pending] = [createDispatchStore(table), createPendingStore(table)];
      const list = { tenant: 'acme', id: 'punks' };
      const note: Pending = {
        ...{ list, target, revision: 12, version: 5 },
        ...{ notedAt: NOON - 1, dueAt: NOON },
      };
      await pending.note(note);

      const { appointments: early } = await dispatch.due(NOON - 1, 10);
      const { appointments: due } = await dispatch.due(NOON, 10);
      await pending.settle(note);

      expect([early, due]).toStrictEqual([[], [{ kind: 'pending', list, target }]]);
      expect((await dispatch.due(LATER, 10)).appointments).toEqual([]);
    });

    it.each(['stack-topic', 'acme#punks#desk'] as const)(
      'of a channel come while something waits for it: %s',
      async (sink) => {
        const table = await engine.createTable();
        const [dispatch, channels] = [createDispatchStore(table), createChannelStore(table)];
        const written = await channels.put({ ...newChannelRecord(sink, NOON), dueAt: NOON });

        const { appointments: early } = await dispatch.due(NOON - 1, 10);
        const { appointments: due } = await dispatch.due(NOON, 10);
        await channels.put(rested(written));

        expect([early, due]).toStrictEqual([[], [{ kind: 'channel', sink }]]);
        expect((await dispatch.due(NOON + LATER, 10)).appointments).toEqual([]);
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
      await createWatchStore(table).put(aWatch({ version: 0, outboxDueAt: NOON }));

      const { appointments: due } = await createDispatchStore(table).due(NOON, 1);

      expect(due.map(({ kind }) => kind)).toContain('watch');
    });

    it('of instants, which may wait for an answer, take no place of any other, and are not owed', async () => {
      const table = await engine.createTable();
      const watches = createWatchStore(table);
      for (let number = 0; number < 20; number += 1) {
        await watches.put(aPendingWatch(`held-${number}`, NOON - 1));
      }
      const dispatch = createDispatchStore(table);
      const alone = await dispatch.due(NOON, 1);
      await watches.put(aWatch({ rule: 'full', version: 0, outboxDueAt: NOON }));

      const { appointments, owedSince } = await dispatch.due(NOON, 1);

      expect(appointments).toContainEqual({
        kind: 'watch',
        id: expect.objectContaining({ rule: 'full' }),
      });
      expect([alone.owedSince, owedSince]).toEqual([undefined, NOON]);
    });

    it('of a watch are at its outbox or at its instant, whichever comes first', async () => {
      const table = await engine.createTable();
      const dispatch = createDispatchStore(table);
      await createWatchStore(table).put({
        ...aPendingWatch('held', NOON),
        outboxDueAt: NOON + 1,
      });

      expect((await dispatch.due(NOON - 1, 10)).appointments).toEqual([]);
      expect((await dispatch.due(NOON, 10)).appointments).toHaveLength(1);
    });

    it('tell since when the longest waiting is due, of channels too', async () => {
      const table = await engine.createTable();
      const [dispatch, channels] = [createDispatchStore(table), createChannelStore(table)];
      await createWatchStore(table).put(aWatch({ version: 0, outboxDueAt: NOON - 1 }));
      await channels.put({ ...newChannelRecord('acme#punks#desk', 0), dueAt: NOON - 2 });

      expect((await dispatch.due(NOON, 10)).owedSince).toBe(NOON - 2);
      expect((await dispatch.due(NOON - 3, 10)).owedSince).toBeUndefined();
    });

    it('are told of every shard, of each the oldest', async () => {
      const table = await engine.createTable();
      const watches = createWatchStore(table);
      const all = Array.from({ length: 80 }, (_, number) =>
        aWatch({ rule: `rule-${number}`, version: 0, outboxDueAt: NOON - number }),
      );
      await Promise.all(all.map(watches.put));

      const { appointments: due } = await createDispatchStore(table).due(NOON, 5);

      const oldest = [...Map.groupBy(all.toReversed(), shardOfWatch).values()].flatMap((shard) =>
        shard.slice(0, 5).map(({ rule }) => rule),
      );
      const told = due.map((appointment) => appointment.kind === 'watch' && appointment.id.rule);
      expect(told.toSorted()).toEqual(oldest.toSorted());
      expect(told).toHaveLength(SHARDS * 5);
    });

    it('that nobody knows are named and stop no other', async () => {
      const table = await engine.createTable();
      await table.put({ pk: 'UNKNOWN', sk: 'thing', dueShard: 'DUE#0', dueAt: NOON });

      const due = await createDispatchStore(table).due(NOON, 10);

      expect(due).toEqual({ appointments: [], owedSince: NOON, unreadable: ['UNKNOWN thing'] });
    });
  });
});

/** A watch with an instant of its own. */
function aPendingWatch(rule: string, until: Instant): Watch {
  const meaning = { for: MINUTE };
  return aWatch({ rule, meaning, version: 0, state: 'pending', stateSince: until - MINUTE });
}

function shardOfWatch({
  rule,
  contract,
}: {
  readonly rule: string;
  readonly contract: ContractKey;
}) {
  return shardOf(`WATCHES#${contract} acme#punks#${rule}`);
}
