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
    ['nothing asked yet', aNewRecord()],
    ['an answer to every part, steps that wait, and timers', aFullRecord()],
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
    const written = await contracts.put({ ...read, tenants: ['acme'] });

    await expect(contracts.put({ ...read, tenants: ['beta'] })).rejects.toThrow(
      VersionConflictError,
    );
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
    ['a point of an unknown series', { reading: { ceiling: aStoredPrice() } }],
    ['an unknown part', { parts: { ceiling: {} } }],
    ['an unknown outcome', { parts: { floor: { is: 'fine' } } }],
    ['a step without its number', { steps: [{ at: NOON, asked: NOON, of: ['floor'] }] }],
    ['a step of an unknown part', { steps: [{ n: 1, at: NOON, asked: NOON, of: ['ceiling'] }] }],
    ['no number of the last step', { seq: undefined }],
    ['a suspect without a price', { suspect: { t: NOON } }],
    ['a timer without an instant', { timers: { answer: 'soon' } }],
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
  const answers = {
    ...answeredBy(NOON + 1),
    floors: [aPrice('20', { time: NOON + 1 })],
    latest: { 'lowest.7d': { kind: 'empty', time: NOON } },
  } as const;
  return aNewRecord({
    parts: {
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
    timers: { answer: NOON, window: NOON + 1, clock: NOON + 2, awaited: NOON + 3 },
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
