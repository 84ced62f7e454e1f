import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';
import { BY } from '#test/support/own.ts';
import { puttingInto } from '#test/support/putting.ts';

const said = { at: NOON, by: BY, silences: 'reminders' } as const;
const episode = {
  ...{ tenant: 'acme', list: 'punks', rule: 'low', contract: PUNKS },
  ...{ generation: 3, episode: 2 },
};

describe.each(ENGINES)('acknowledgements in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('reads stored acknowledgements by episode and by list', async () => {
    const table = await engine.createTable();
    const [acknowledgements, putting] = [createAcknowledgementStore(table), puttingInto(table)];
    const all = [
      { ...episode, ...said },
      { ...episode, ...said, episode: 3, silences: 'worsening' as const, note: 'seen' },
      { ...episode, ...said, contract: APES, at: NOON + 1 },
    ];

    for (const acknowledgement of all) await putting.acknowledgement(acknowledgement);
    await putting.acknowledgement({ ...episode, ...said, list: 'punks-2' });

    for (const known of all) expect(await acknowledgements.get(known)).toEqual(known);
    const { entries: ofList } = await acknowledgements.ofList({ tenant: 'acme', id: 'punks' });
    expect(ofList).toHaveLength(3);
    expect(ofList).toEqual(expect.arrayContaining(all));
  });

  it('stores an acknowledgement with a TTL of 400 days, like its alerts', async () => {
    const table = await engine.createTable();

    await puttingInto(table).acknowledgement({ ...episode, ...said });

    const item = await table.get({ pk: 'TENANT#acme', sk: `ACK#punks#${PUNKS}#low#3#2` });
    expect(item?.ttl).toBe(NOON / 1000 + 400 * 86_400);
  });

  it('replaces an acknowledgement only if the stored one is the one that the writer read', async () => {
    const table = await engine.createTable();
    const [acknowledgements, putting] = [createAcknowledgementStore(table), puttingInto(table)];
    const [first, second] = [
      { ...episode, ...said },
      { ...episode, ...said, at: NOON + 1 },
    ];
    await putting.acknowledgement(first);
    await putting.acknowledgement(second, first);

    await expect(putting.acknowledgement({ ...second, at: NOON + 2 }, first)).rejects.toThrow(
      VersionConflictError,
    );

    expect(await acknowledgements.get(episode)).toEqual(second);
  });

  it.each([{ generation: 4 }, { episode: 20 }, { rule: 'lo' }, { contract: APES }])(
    'returns no acknowledgement for another episode: %j',
    async (other) => {
      const table = await engine.createTable();
      const [acknowledgements, putting] = [createAcknowledgementStore(table), puttingInto(table)];
      await putting.acknowledgement({ ...episode, ...said });

      expect(await acknowledgements.get({ ...episode, ...other })).toBeUndefined();
    },
  );
});
