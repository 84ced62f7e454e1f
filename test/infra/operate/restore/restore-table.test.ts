import { describe, expect, it } from 'vitest';
import { restoreTable } from '#infra/operate/restore/restore-table.ts';

const SOURCE = 'floorwatch-prod-WatchTable1';
const earliest = new Date('2026-10-22T12:00:00Z');
const latest = new Date('2026-11-26T11:55:00Z');

/**
 * An account in which a restore takes three status checks, optionally with a restore in progress.
 */
function anAccount({ hasRecovery = true, underWay = [] as readonly string[] } = {}) {
  const looks = new Map<string, number>(underWay.map((name) => [name, 0]));
  const did: string[] = [];
  const restore = (at: Date | 'latest' | undefined) =>
    restoreTable(
      {
        tables: {
          restoreWindow: async () => (hasRecovery ? { earliest, latest } : undefined),
          restore: async (source, target, moment) => {
            did.push(`${source} as of ${moment.toISOString()}`);
            looks.set(target, 0);
          },
          status: async (name) => {
            const seen = looks.get(name);
            if (seen === undefined) return undefined;
            looks.set(name, seen + 1);
            return seen < 2 ? 'CREATING' : 'ACTIVE';
          },
        },
        wait: async () => void did.push('waits'),
        report: (event) => {
          if (event.event === 'began') did.push(`makes ${event.table}`);
          if (event.event === 'restored') did.push(`${event.table} is there`);
        },
      },
      { stage: 'prod', source: SOURCE, at },
    );
  return { restore, did };
}

describe('a restore', () => {
  it('a restore creates a table named after its point in time, and waits until it is ready', async () => {
    const { restore, did } = anAccount();

    await restore(new Date('2026-11-26T01:59:00Z'));

    expect(did).toEqual([
      `${SOURCE} as of 2026-11-26T01:59:00.000Z`,
      'makes floorwatch-prod-Restored-20261126T015900Z',
      ...['waits', 'waits'],
      'floorwatch-prod-Restored-20261126T015900Z is there',
    ]);
  });

  it('a restore that is started again waits for the one in progress', async () => {
    const { restore, did } = anAccount({
      underWay: ['floorwatch-prod-Restored-20261126T015900Z'],
    });

    await restore(new Date('2026-11-26T01:59:00Z'));

    expect(did.at(0)).toBe('makes floorwatch-prod-Restored-20261126T015900Z');
    expect(did.at(-1)).toContain('is there');
  });

  it('a restore to "latest" uses the latest possible point in time', async () => {
    const { restore, did } = anAccount();

    await restore('latest');

    expect(did[0]).toBe(`${SOURCE} as of 2026-11-26T11:55:00.000Z`);
  });

  it('a restore without a point in time changes nothing', async () => {
    const { restore, did } = anAccount();

    await restore(undefined);

    expect(did).toEqual([]);
  });

  it.each([
    ['2026-10-22T11:59:59Z', 'the nearest possible time is 2026-10-22T12:00:00.000Z'],
    ['2026-11-26T11:55:01Z', 'the nearest possible time is 2026-11-26T11:55:00.000Z'],
  ])('a restore to %s is rejected with the nearest possible point in time', async (at, advice) => {
    const { restore, did } = anAccount();

    await expect(restore(new Date(at))).rejects.toThrow(advice);
    expect(did).toEqual([]);
  });

  it('a restore of a table without point-in-time recovery is rejected', async () => {
    const { restore } = anAccount({ hasRecovery: false });

    await expect(restore('latest')).rejects.toThrow('its point-in-time recovery is off');
  });
});
