import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import type { Item, Table } from '#shared/stores/table.ts';
import {
  APES,
  aContractRecord,
  anObservation,
  aPrice,
  aTrade,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const now = () => NOON;

describe.each(ENGINES)('contracts in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([
    ['nothing asked yet', aNewRecord()],
    ['an answer to every part, observations unevaluated and parts wanted', aFullRecord()],
    ['no part needed', aNewRecord({ parts: {} })],
  ])('are read back with %s', async (_, record) => {
    const contracts = createContractStore(await engine.createTable(), now);

    const written = await contracts.put(record);

    expect(written).toStrictEqual({ ...record, version: 1 });
    expect(await contracts.get(record.contract)).toStrictEqual(written);
  });

  it('are nothing where there is none', async () => {
    const contracts = createContractStore(await engine.createTable(), now);
    await contracts.put(aNewRecord());

    expect(await contracts.get(APES)).toBeUndefined();
  });

  it('are written by one of two writers that read the same version', async () => {
    const contracts = createContractStore(await engine.createTable(), now);
    const read = await contracts.put(aNewRecord());
    const written = await contracts.put({ ...read, seq: 1 });

    await expect(contracts.put({ ...read, seq: 2 })).rejects.toThrow(VersionConflictError);
    await expect(contracts.put(aNewRecord())).rejects.toThrow(VersionConflictError);

    expect(await contracts.get(PUNKS)).toEqual(written);
  });

  it('leave the registry a day after they were last needed, unless they are needed again', async () => {
    const table = await engine.createTable();
    const contracts = createContractStore(table, now);

    const needed = await contracts.put(aNewRecord());
    const ttlWhenNeeded = (await onlyItem(table)).ttl;
    const idle = await contracts.put({ ...needed, parts: {} });
    const ttlWhenIdle = (await onlyItem(table)).ttl;
    await contracts.put({ ...idle, parts: { floor: {} } });
    const ttlWhenNeededAgain = (await onlyItem(table)).ttl;

    expect([ttlWhenNeeded, ttlWhenIdle, ttlWhenNeededAgain]).toEqual([
      undefined,
      NOON / 1000 + 24 * 3600,
      undefined,
    ]);
  });

  it('are returned all, from every shard', async () => {
    const contracts = createContractStore(await engine.createTable(), now);
    const keys = Array.from({ length: 60 }, (_, number) => aContract(number));
    await Promise.all(keys.map((contract) => contracts.put(aNewRecord({ contract }))));

    const { records: found } = await contracts.all();

    expect(new Set(keys.map(shardOf)).size).toBe(SHARDS);
    expect(found.map(({ contract }) => contract).toSorted()).toEqual(keys.toSorted());
  });

  it.each([
    ['a price that is no number', withFloor({ p: '59.9' })],
    ['a price that is a number', withFloor({ p: 59 })],
    ['a price without a currency', withFloor({ c: undefined })],
    ['a point without a price, which is no empty window', withFloor({ p: undefined })],
    ['a point without a time', withFloor({ t: undefined })],
    ['a newest point without its number', { parts: { floor: { at: aStoredPrice() } } }],
    ['the number of a newest point without the point', { parts: { floor: { n: 1 } } }],
    ['an unknown part', { parts: { ceiling: {} } }],
    ['an unknown outcome', { parts: { floor: { is: 'fine' } } }],
    ['an observation without its number', { unevaluated: [{ of: 'floor', at: aStoredPrice() }] }],
    ['wanted parts without an instant', { wanted: { floor: 'soon' } }],
    ['no parts', { parts: undefined }],
    ['no version', { version: undefined }],
  ])('with %s are never half-read', async (_, corruption) => {
    const table = await engine.createTable();
    const contracts = createContractStore(table, now);
    await contracts.put(aNewRecord());
    await table.put({ ...(await onlyItem(table)), ...corruption });

    await expect(contracts.get(PUNKS)).rejects.toThrow();
    expect(await contracts.all()).toEqual({ records: [], unreadable: [PUNKS] });
  });
});

describe('the registry', () => {
  it('is reported whole where a shard has more than one page', async () => {
    const [engine] = ENGINES;
    const table = await engine?.createTable();
    if (table === undefined) throw new Error('no table');
    const contracts = createContractStore(table, now);
    const keys = Array.from({ length: SHARDS * 1300 }, (_, number) => aContract(number));
    await Promise.all(keys.map((contract) => contracts.put(aNewRecord({ contract }))));

    const { records: found } = await contracts.all();

    expect(new Set(found.map(({ contract }) => contract))).toEqual(new Set(keys));
    expect(found).toHaveLength(keys.length);
  });
});

/** A record that the table does not hold yet. */
function aNewRecord(given: Partial<ContractRecord> = {}): ContractRecord {
  return aContractRecord({ version: 0, ...given });
}

function aFullRecord(): ContractRecord {
  const floor = aPrice('59.900000000000000001', { usd: 10n ** 37n, source: 'opensea, “Ξ”' });
  const trade = aTrade('12', NOON - 5000, { time: NOON });
  return aNewRecord({
    seq: 47,
    parts: {
      floor: {
        outcome: 'failed',
        reason: 'garbage',
        since: NOON - 1000,
        answeredAt: NOON - 2000,
        newest: { seq: 45, point: floor },
        failures: 3,
        retryAt: NOON + 60_000,
      },
      'lowest.7d': {
        outcome: 'empty',
        since: NOON,
        answeredAt: NOON,
        newest: { seq: 47, point: { kind: 'empty', time: NOON } },
      },
      'lowest.90d': { outcome: 'ok', newest: { seq: 46, point: trade } },
    },
    unevaluated: [
      anObservation(45, floor),
      anObservation(46, trade, { part: 'lowest.90d', previous: aTrade('13', NOON - 9000) }),
      anObservation(47, { kind: 'empty', time: NOON }, { part: 'lowest.7d', previous: trade }),
    ],
    wanted: { floor: NOON, 'lowest.1d': 0 },
  });
}

function aStoredPrice() {
  return { t: NOON, p: '59900000000000000000', c: 'eth' };
}

function withFloor(given: object) {
  return { parts: { floor: { n: 1, at: { ...aStoredPrice(), ...given } } } };
}

function aContract(number: number): ContractKey {
  return `eth:0x${number.toString(16).padStart(40, '0')}`;
}

async function onlyItem(table: Table): Promise<Item> {
  const range = { from: ' ', to: '~' };
  const query = { pk: `CONTRACTS#${shardOf(PUNKS)}`, range, limit: 2 };
  const [item, ...others] = (await table.query(query)).entries;
  if (item === undefined || others.length > 0) throw new Error('expected one item');
  return item;
}
