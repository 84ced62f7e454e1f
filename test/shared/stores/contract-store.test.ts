import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import type { Item, Table } from '#shared/stores/table.ts';
import {
  APES,
  aContractRecord,
  answeredBy,
  aPrice,
  aTimeline,
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
    ['no answer yet', aNewRecord()],
    ['an answer for every series, pending steps, and timers', aFullRecord()],
    ['no series needed', aNewRecord({ series: {} })],
  ])('reads back a contract record with %s', async (_, record) => {
    const contracts = createContractStore(await engine.createTable(), now);

    const written = await contracts.put(record);

    expect(written).toStrictEqual({ ...record, version: 1 });
    expect(await contracts.get(record.contract)).toStrictEqual(written);
  });

  it('returns undefined for a contract that is not stored', async () => {
    const contracts = createContractStore(await engine.createTable(), now);
    await contracts.put(aNewRecord());

    expect(await contracts.get(APES)).toBeUndefined();
  });

  it('rejects the second of two writers that read the same version of a contract record', async () => {
    const contracts = createContractStore(await engine.createTable(), now);
    const read = await contracts.put(aNewRecord());
    const written = await contracts.put({ ...read, tenants: ['acme'] });

    await expect(contracts.put({ ...read, tenants: ['beta'] })).rejects.toThrow(
      VersionConflictError,
    );
    await expect(contracts.put(aNewRecord())).rejects.toThrow(VersionConflictError);

    expect(await contracts.get(PUNKS)).toEqual(written);
  });

  it('expires a contract record a day after it was last needed, unless it is needed again', async () => {
    const table = await engine.createTable();
    const contracts = createContractStore(table, now);

    const needed = await contracts.put(aNewRecord());
    const ttlWhenNeeded = (await onlyItem(table)).ttl;
    const idle = await contracts.put({ ...needed, series: {} });
    const ttlWhenIdle = (await onlyItem(table)).ttl;
    await contracts.put({ ...idle, series: { floor: {} } });
    const ttlWhenNeededAgain = (await onlyItem(table)).ttl;

    expect([ttlWhenNeeded, ttlWhenIdle, ttlWhenNeededAgain]).toEqual([
      undefined,
      NOON / 1000 + 24 * 3600,
      undefined,
    ]);
  });

  it('returns the contract records of every shard', async () => {
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
    ['a point without a price, unlike an empty window', withFloor({ p: undefined })],
    ['a point without a time', withFloor({ t: undefined })],
    ['a point of an unknown series', { reading: { ceiling: aStoredPrice() } }],
    ['an unknown series in its parts', { series: { ceiling: {} } }],
    ['an unknown outcome', { series: { floor: { is: 'fine' } } }],
    ['a step without its number', { steps: [{ at: NOON, asked: NOON, of: ['floor'] }] }],
    ['a step of an unknown series', { steps: [{ n: 1, at: NOON, asked: NOON, of: ['ceiling'] }] }],
    ['no number of the last step', { seq: undefined }],
    ['a suspect without a price', { suspect: { t: NOON } }],
    ['a timer without an instant', { timers: { answer: 'soon' } }],
    ['no parts', { series: undefined }],
    ['no version', { version: undefined }],
  ])('rejects a contract record with %s, and names it as unreadable', async (_, corruption) => {
    const table = await engine.createTable();
    const contracts = createContractStore(table, now);
    await contracts.put(aNewRecord());
    await table.put({ ...(await onlyItem(table)), ...corruption });

    await expect(contracts.get(PUNKS)).rejects.toThrow();
    expect(await contracts.all()).toEqual({ records: [], unreadable: [PUNKS] });
  });
});

describe('contract records in many pages', () => {
  it('returns every contract record once if a shard has more than one page', async () => {
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

/** A record that is not in the table yet. */
function aNewRecord(given: Partial<ContractRecord> = {}): ContractRecord {
  return aContractRecord({ version: 0, ...given });
}

function aFullRecord(): ContractRecord {
  const floor = aPrice('59.900000000000000001', { usd: 10n ** 37n, source: 'opensea, “Ξ”' });
  const trade = aTrade('12', NOON - 5000, { time: NOON });
  const answers = {
    ...answeredBy(NOON + 1),
    floors: [aPrice('20', { time: NOON + 1 })],
    latest: { 'lowest.7d': { kind: 'empty', time: NOON } },
  } as const;
  return aNewRecord({
    series: {
      floor: {
        outcome: 'failed',
        reason: 'garbage',
        since: NOON - 1000,
        answeredAt: NOON - 2000,
        failures: 3,
        retryAt: NOON + 60_000,
      },
      'lowest.7d': { outcome: 'empty', since: NOON, answeredAt: NOON },
      'lowest.90d': { outcome: 'ok' },
    },
    timeline: appendPoll(aTimeline({ floor, 'lowest.90d': trade }), answers, false),
    timers: { answer: NOON, window: NOON + 1, clock: NOON + 2, refreshRequested: NOON + 3 },
  });
}

function aStoredPrice() {
  return { t: NOON, p: '59900000000000000000', c: 'eth' };
}

function withFloor(given: object) {
  return { reading: { floor: { ...aStoredPrice(), ...given } } };
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
