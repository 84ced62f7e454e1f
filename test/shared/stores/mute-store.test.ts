import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';
import { BY } from '#test/support/own.ts';
import { puttingInto } from '#test/support/putting.ts';

const list = { tenant: 'acme', id: 'punks' };
const mute = { id: 'a', by: BY, from: NOON, until: NOON + HOUR };
const full = {
  ...mute,
  id: 'b',
  rule: 'low',
  contract: PUNKS,
  severity: 'critical',
  reason: 'Release',
} as const;

describe.each(ENGINES)('mutes in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('reads back the mutes of one list', async () => {
    const table = await engine.createTable();
    const [mutes, putting] = [createMuteStore(table), puttingInto(table)];

    await putting.mutes({ list, version: 1, mutes: [mute, full] });

    expect(await mutes.get(list)).toEqual({ list, version: 1, mutes: [mute, full] });
    const other = { tenant: 'acme', id: 'apes' };
    expect(await mutes.get(other)).toEqual({ list: other, version: 0, mutes: [] });
  });

  it('reads back mutes that end with episodes, and stores them where version 0.4.0 ignores them', async () => {
    const table = await engine.createTable();
    const episodes = [{ watch: 'low~floor', name: 'w.1.episode-2' }];

    await puttingInto(table).mutes({ list, version: 1, mutes: [{ ...full, episodes }, mute] });

    const { mutes } = await createMuteStore(table).get(list);
    expect(mutes).toEqual([mute, { ...full, episodes }]);
    expect(await table.get({ pk: 'TENANT#acme', sk: 'MUTES#punks' })).toMatchObject({
      mutes: [mute],
    });
  });

  it('rejects the second of two writers that read the same version of the mutes', async () => {
    const table = await engine.createTable();
    const [mutes, putting] = [createMuteStore(table), puttingInto(table)];
    await putting.mutes({ list, version: 1, mutes: [mute] });
    await putting.mutes({ list, version: 2, mutes: [] });

    const late = putting.mutes({ list, version: 2, mutes: [full] });

    await expect(late).rejects.toThrow(VersionConflictError);
    expect((await mutes.get(list)).mutes).toEqual([]);
  });
});
