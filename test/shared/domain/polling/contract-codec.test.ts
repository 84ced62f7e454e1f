import { expect, it } from 'vitest';
import { itemSizeOf } from '#infra/local/item-size.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { UNITS } from '#shared/domain/market/currency.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import {
  type Observation,
  PARTS,
  type Part,
  type Point,
  type PricePoint,
} from '#shared/domain/market/point.ts';
import { METRIC_NAMES, Metric } from '#shared/domain/metrics/metric.ts';
import { EncodedContract, encodeContract } from '#shared/domain/polling/contract-codec.ts';
import type { ContractRecord, PartRecord } from '#shared/domain/polling/contract-record.ts';
import { ALL } from '#shared/domain/rules/threshold-index.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { aContractRecord, aPrice, aTrade, eth, NOON, PUNKS } from '#test/support/builders.ts';
import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';

/** One half of them have a member, chosen anew each time. */
const maybe = <Value extends object>(random: SeededRandom, value: Value) =>
  random.below(2) === 0 ? {} : value;

function anyPrice(random: SeededRandom): PricePoint {
  return {
    ...aPrice(`${random.below(1000)}.${random.below(1e9)}`, { time: NOON + random.below(HOUR) }),
    ...maybe(random, { usd: BigInt(random.below(1e9)) ** 2n }),
    ...maybe(random, { source: random.pick(['opensea', 'opensea, blur', '0xabc', '…']) }),
    ...maybe(random, { tradedAt: NOON - random.below(HOUR) }),
    ...maybe(random, { confirmedBy: 'coingecko' as const }),
  };
}

function anyPoint(random: SeededRandom): Point {
  return random.below(4) === 0 ? { kind: 'empty', time: NOON } : anyPrice(random);
}

function anyRecord(random: SeededRandom): ContractRecord {
  const some = PARTS.filter(() => random.below(2) === 0);
  const knownOf = (): PartRecord => ({
    ...maybe(random, { outcome: random.pick(['ok', 'empty', 'denied', 'disputed', 'failed']) }),
    ...maybe(random, { reason: random.pick(['quota', 'no trade, they say']) }),
    ...maybe(random, { since: NOON }),
    ...maybe(random, { answeredAt: NOON - 1 }),
    ...maybe(random, {
      newest: {
        seq: random.below(100),
        ...maybe(random, { poll: random.below(100) }),
        point: anyPoint(random),
        ...maybe(random, { standing: anyPrice(random) }),
        ...maybe(random, { base: anyPrice(random) }),
      },
    }),
    ...maybe(random, { failures: random.below(6) }),
    ...maybe(random, { timesAlone: random.below(6) }),
    ...maybe(random, { retryAt: NOON + 1 }),
    ...maybe(random, { silentSince: NOON }),
    ...maybe(random, { disputedSince: NOON - 2 }),
    ...maybe(random, { skipped: { at: NOON, records: { other_money: 2, no_price: 1 } } }),
    ...maybe(random, { confirmed: { by: 'coingecko' as const, at: NOON } }),
  });
  const observation = (seq: number): Observation => ({
    seq,
    poll: random.below(100),
    part: random.pick(PARTS),
    point: anyPoint(random),
    ...maybe(random, { previous: anyPrice(random) }),
    ...maybe(random, { standing: anyPrice(random) }),
    ...maybe(random, { stood: anyPrice(random) }),
  });
  const ofParts = <Value>(make: () => Value) =>
    Object.fromEntries(some.map((part): [Part, Value] => [part, make()]));
  return {
    contract: random.pick([PUNKS, `polygon-amoy:${PUNKS.slice(4)}`] as const) as typeof PUNKS,
    version: random.below(1000),
    seq: random.below(1000),
    parts: ofParts(knownOf),
    tenants: random.pick([[], ['acme'], ['acme', 'umbrella']]),
    thresholdIndexes: random.pick([
      [],
      [{ metric: 'floor_price', unit: 'eth' }],
      [
        { metric: 'floor_change_pct.24h', unit: 'usd' },
        { metric: 'all', unit: '' },
      ],
    ]),
    ...maybe(random, {
      sweep: { after: 'acme#punks#low', unseen: [{ metric: 'lowest_price.7d', unit: 'eth' }] },
    }),
    ...maybe(random, { windowExpiries: { until: NOON, ...maybe(random, { nextAt: NOON + 1 }) } }),
    ...maybe(random, {
      past: {
        known: HOUR,
        ...maybe(random, { wanted: 7 * HOUR }),
        ...maybe(random, { since: NOON }),
        ...maybe(random, { next: { interval: '30d' as const, ...maybe(random, { cursor: 'a' }) } }),
      },
    }),
    ...maybe(random, { lackedBy: { coingecko: NOON } }),
    unevaluated: Array.from({ length: random.below(4) }, (_, index) => observation(index)),
    wanted: random.below(2) === 0 ? {} : ofParts(() => NOON),
  };
}

it('reads back every record that it wrote, also through JSON and the table', async () => {
  const random = createSeededRandom(4);
  const records = Array.from({ length: 300 }, () => anyRecord(random));
  const contracts = createContractStore(createMemoryTable(), () => NOON);

  for (const record of records) {
    const sent: unknown = JSON.parse(JSON.stringify(encodeContract(record)));
    await contracts.put({
      ...record,
      version: (await contracts.get(record.contract))?.version ?? 0,
    });
    const { version: _version, ...kept } = (await contracts.get(record.contract)) ?? record;

    expect(EncodedContract.parse(sent)).toEqual(record);
    expect(record).toMatchObject(kept);
  }
});

it.each([
  { price: 1.5, what: 'a price that is a number' },
  { price: '1.5', what: 'a price with a point' },
  { price: '-1', what: 'a price below zero' },
])('refuses $what', ({ price }) => {
  const encoded = encodeContract(aContractRecord());
  const part = { is: 'ok', n: 1, at: { t: NOON, p: price, c: 'eth' } };

  expect(EncodedContract.safeParse({ ...encoded, parts: { floor: part } }).error).toBeDefined();
});

it('keeps an item of two parts with nothing unevaluated within 640 bytes', async () => {
  const table = createMemoryTable();
  const usd = eth('181000.129912345678901234');
  const hash = `0x${'ab'.repeat(32)}`;
  const floor = aPrice('59.987654321098765432', { usd, source: 'opensea, blur, looksrare' });
  const base = aPrice('59.987654321098765433');
  const trade = aTrade('1059.987654321098765432', NOON, { usd, source: hash });
  const answered = { since: NOON, answeredAt: NOON } as const;
  const record = aContractRecord({
    contract: `polygon-amoy:${PUNKS.slice(4)}` as typeof PUNKS,
    version: 0,
    seq: 123_456,
    parts: {
      floor: {
        ...answered,
        outcome: 'failed',
        reason: 'server_error',
        failures: 4,
        retryAt: NOON,
        newest: { seq: 123_456, point: floor, base },
      },
      'lowest.30d': { ...answered, outcome: 'ok', newest: { seq: 123_455, point: trade, base } },
    },
  });

  await createContractStore(table, () => NOON).put(record);

  const [size] = table.items().map(itemSizeOf);
  expect(size).toBeGreaterThan(300);
  expect(size).toBeLessThanOrEqual(640);
});

it('keeps an item small whatever rules watch its contract, also while they are swept', async () => {
  const table = createMemoryTable();
  const metrics = METRIC_NAMES.map((name) => Metric.parse(name));
  const thresholdIndexes = metrics.flatMap((metric) => UNITS.map((unit) => ({ metric, unit })));
  const record = aContractRecord({
    version: 0,
    thresholdIndexes: [...thresholdIndexes, ALL],
    sweep: { after: 'acme#list-0#rule-1', unseen: thresholdIndexes },
  });

  await createContractStore(table, () => NOON).put(record);

  const [size] = table.items().map(itemSizeOf);
  expect(size).toBeLessThanOrEqual(64 * 1024);
});
