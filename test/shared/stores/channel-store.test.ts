import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { inboxSortKey } from '#shared/domain/channels/alert-record.ts';
import { type ChannelRecord, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { anAlert, anInboxEntry, NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const DESK = 'acme#punks#desk';

describe.each(ENGINES)('channels and inboxes in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  describe('channel records', () => {
    it.each<{ what: string; record: ChannelRecord }>([
      { what: 'only its destination', record: newChannelRecord(DESK, NOON) },
      { what: 'the destination of the operators', record: newChannelRecord('stack-topic', NOON) },
      { what: 'every member', record: aFullRecord() },
    ])('reads back a channel record with $what', async ({ record }) => {
      const channels = createChannelStore(await engine.createTable());

      const written = await channels.put(record);

      expect(await channels.get(record.destinationId)).toStrictEqual({ ...record, version: NOON });
      expect(written.version).toBe(NOON);
    });

    it('rejects a change or removal of a channel record by a writer that read an older version', async () => {
      const channels = createChannelStore(await engine.createTable());
      const read = await channels.put(newChannelRecord(DESK, NOON));
      const written = await channels.put({ ...read, recent: [NOON] });

      await expect(channels.put(newChannelRecord(DESK, NOON))).rejects.toThrow(
        VersionConflictError,
      );
      await expect(channels.put(read)).rejects.toThrow(VersionConflictError);
      await expect(channels.remove(read)).rejects.toThrow(VersionConflictError);
      await channels.remove(written);

      expect(await channels.get(DESK)).toBeUndefined();
    });

    it('rejects a writer that read a channel record before it was removed and created again', async () => {
      const channels = createChannelStore(await engine.createTable());
      const former = await channels.put(newChannelRecord(DESK, NOON));
      await channels.remove(former);
      await channels.put(newChannelRecord(DESK, NOON + 1));

      await expect(channels.put(former)).rejects.toThrow(VersionConflictError);
      await expect(channels.remove(former)).rejects.toThrow(VersionConflictError);
    });

    it('lists the channel records of one list', async () => {
      const channels = createChannelStore(await engine.createTable());
      const destinationIds: readonly DestinationId[] = [
        DESK,
        'acme#punks#chat',
        'acme#punks-2#desk',
        'beta#punks#desk',
      ];
      for (const destinationId of destinationIds)
        await channels.put(newChannelRecord(destinationId, NOON));

      const { entries: found } = await channels.ofList({ tenant: 'acme', id: 'punks' });

      expect(found.map(({ destinationId }) => destinationId)).toEqual(['acme#punks#chat', DESK]);
    });
  });

  describe('inboxes', () => {
    it('returns urgent inbox entries before older ordinary ones', async () => {
      const inbox = createInboxStore(await engine.createTable());
      const lesser = anEntry('2026-11-21T12:00:00.000Z', 'b.1.2');
      const urgent = ['2026-11-21T12:02:00.000Z', '2026-11-21T12:01:00.000Z'].map((at, index) =>
        anEntry(at, `a.1.${index}`, true),
      );
      for (const entry of [lesser, ...urgent]) await inbox.put(entry);

      expect(await inbox.next(DESK, 10, NOON)).toEqual({
        ...{ entries: [urgent[1], urgent[0], lesser], held: [], unreadable: [] },
      });
      expect(await inbox.next(DESK, 1, NOON)).toMatchObject({ entries: [urgent[1]], held: [] });
      expect(await inbox.oldest(DESK, 2)).toEqual([lesser, urgent[1]]);
      expect(await inbox.oldest(DESK, 9, '2026-11-21T12:01:30.000Z')).toEqual([lesser, urgent[1]]);
    });

    it('returns a held inbox entry once its hold has ended, after urgent entries and before ordinary ones', async () => {
      const inbox = createInboxStore(await engine.createTable());
      const urgent = anEntry('2026-11-21T12:03:00.000Z', 'a.1.0', true);
      const ordinary = anEntry('2026-11-21T12:00:00.000Z', 'b.1.2');
      const held = (minutes: number, why: 'quiet' | 'group') => ({
        ...anEntry('2026-11-21T12:02:00.000Z', `c.1.${minutes}`),
        held: { for: why, until: NOON + minutes * MINUTE },
      });
      const [first, second] = [held(1, 'group'), held(480, 'quiet')];
      for (const entry of [ordinary, second, first, urgent]) await inbox.put(entry);

      const at = (minutes: number, limit = 10) => inbox.next(DESK, limit, NOON + minutes * MINUTE);
      expect(await at(0)).toMatchObject({ entries: [urgent, ordinary], held: [first, second] });
      expect(await at(1)).toMatchObject({ entries: [urgent, first, ordinary], held: [second] });
      expect(await at(480)).toMatchObject({ entries: [urgent, first, second, ordinary], held: [] });
      expect(await at(0, 1)).toMatchObject({ entries: [urgent], held: [] });
      expect(await at(0, 2)).toMatchObject({ entries: [urgent, ordinary], held: [first] });
      const name = inboxSortKey(second);
      expect(await inbox.named(DESK, [name])).toEqual([second]);
      expect(await inbox.oldest(DESK, 10)).toHaveLength(4);
    });

    it('names unreadable inbox entries, and still returns as many readable ones as requested', async () => {
      const table = await engine.createTable();
      const inbox = createInboxStore(table);
      const minutes = [1, 2, 3, 4, 5].map((minute) =>
        anEntry(`2026-11-21T12:0${minute}:00.000Z`, `a.1.${minute}`),
      );
      for (const entry of minutes) await inbox.put(entry);
      const broken = minutes
        .slice(0, 3)
        .map((entry) => ({ pk: `INBOX#${DESK}`, sk: inboxSortKey(entry) }));
      for (const key of broken) await table.put({ ...key, version: 2, tenant: 7 }, 1);

      expect(await inbox.next(DESK, 2, NOON)).toEqual({
        ...{ entries: minutes.slice(3), held: [] },
        unreadable: broken.map(({ sk }) => sk),
      });
      expect(await inbox.oldest(DESK, 10)).toEqual(minutes.slice(3));
      expect(await inbox.named(DESK, minutes.map(inboxSortKey))).toEqual(minutes.slice(3));
    });

    it('returns inbox entries oldest first, by the time and number of the alert', async () => {
      const inbox = createInboxStore(await engine.createTable());
      const early = anEntry('2026-11-21T12:00:00.000Z', 'b.1.2');
      const entries = [
        anEntry('2026-11-21T12:01:00.000Z', 'a.1.10'),
        early,
        anEntry('2026-11-21T12:01:00.000Z', 'a.1.9'),
      ];
      for (const entry of entries) await inbox.put(entry);
      await inbox.put({ ...early, destinationId: 'stack-topic' });

      const all = await inbox.oldest(DESK, 10);

      expect(all.map(({ alert }) => alert.id)).toEqual(['b.1.2', 'a.1.9', 'a.1.10']);
      expect(all[0]).toStrictEqual(early);
      expect(await inbox.oldest(DESK, 1)).toEqual([early]);
      expect(await inbox.oldest(DESK, 10, '2026-11-21T12:01:00.000Z')).toEqual([early]);
    });

    it('stores an inbox entry once and removes it once, even if the operations are repeated', async () => {
      const inbox = createInboxStore(await engine.createTable());
      const entry = anEntry('2026-11-21T12:00:00.000Z', 'a.1.1');
      await inbox.put(entry);
      await inbox.put(entry);

      const before = await inbox.oldest(DESK, 10);
      await inbox.remove(entry);
      await inbox.remove(entry);

      expect(before).toEqual([entry]);
      expect(await inbox.oldest(DESK, 10)).toEqual([]);
    });

    it('finds inbox entries by name, and skips names that do not exist', async () => {
      const inbox = createInboxStore(await engine.createTable());
      const [first, second, third] = [1, 2, 3].map((number) =>
        anEntry('2026-11-21T12:00:00.000Z', `a.1.${number}`),
      );
      for (const entry of [first, second, third]) if (entry) await inbox.put(entry);
      const nameOf = (number: number) =>
        inboxSortKey(anEntry('2026-11-21T12:00:00.000Z', `a.1.${number}`));

      expect(await inbox.named(DESK, [nameOf(1), nameOf(3), nameOf(4)])).toEqual([first, third]);
      expect(await inbox.named(DESK, [])).toEqual([]);
    });
  });
});

function anEntry(at: string, id: string, isUrgent = false) {
  return anInboxEntry(DESK, anAlert({ at, id, severity: isUrgent ? 'critical' : 'warning' }));
}

function aFullRecord(): ChannelRecord {
  return {
    ...{ version: 0, destinationId: DESK, since: NOON, configuration: 'email desk@example.com' },
    ...{ dueAt: NOON, recent: [NOON - 1, NOON], notBefore: NOON, lastSuccessAt: NOON },
    notification: {
      id: 'digest.1',
      entries: ['a', 'b'],
      outcome: { state: 'failed', at: NOON, reason: '404' },
    },
    failure: {
      ...{ count: 3, reason: '503', since: NOON },
      givingUp: { since: NOON, announced: true },
    },
    off: { reason: 'HTTP 410 Gone', since: NOON, announced: false },
    subscription: { state: 'confirmed-unprotected', since: NOON },
  };
}
