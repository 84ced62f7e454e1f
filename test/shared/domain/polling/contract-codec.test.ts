import { expect, it } from 'vitest';
import { itemSize } from '#infra/local/item-size.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { UNITS } from '#shared/domain/market/currency.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { PRICE_SERIES_NAMES, type PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { familyOf, METRIC_NAMES, Metric } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import { EncodedContract, encodeContract } from '#shared/domain/polling/contract-codec.ts';
import type { ContractRecord, SeriesRecord } from '#shared/domain/polling/contract-record.ts';
import { ALL } from '#shared/domain/rules/threshold-index.ts';
import {
  type Reading,
  SERIES,
  type Step,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import {
  aContractRecord,
  aPrice,
  aTimeline,
  aTrade,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';

/** Returns the member at random in half of the cases, otherwise an empty object. */
const maybe = <Value extends object>(random: SeededRandom, value: Value) =>
  random.below(2) === 0 ? {} : value;

function anyPrice(random: SeededRandom): PricePoint {
  return {
    ...aPrice(`${random.below(1000)}.${random.below(1e9)}`, { time: NOON + random.below(HOUR) }),
    ...maybe(random, { usd: BigInt(random.below(1e9)) ** 2n }),
    ...maybe(random, { source: random.pick(['opensea', 'opensea, blur', '0xabc', '…']) }),
    ...maybe(random, { tradedAt: NOON - random.below(HOUR) }),
    ...maybe(random, { confirmedBy: 'coingecko' as const }),
    ...maybe(random, { isWithheld: true as const }),
  };
}

function anyPoint(random: SeededRandom): Point {
  return random.below(4) === 0 ? { kind: 'empty', time: NOON } : anyPrice(random);
}

function anyReading(random: SeededRandom): Reading {
  const some = SERIES.filter(() => random.below(2) === 0);
  return Object.fromEntries(some.map((name) => [name, anyPoint(random)]));
}

function anyTimeline(random: SeededRandom): Timeline {
  const stepOf = (seq: number): Step => ({
    ...{ seq, at: NOON + seq, asked: NOON + 2 * seq },
    answeredAt: Object.fromEntries(
      PRICE_SERIES_NAMES.filter(() => random.below(2) === 0).map((series) => [
        series,
        random.below(2 ** 30),
      ]),
    ),
    points: anyReading(random),
    ...maybe(random, { forTimers: true as const }),
  });
  return {
    seq: random.below(1000),
    at: random.pick([0, NOON]),
    before: anyReading(random),
    beforeAt: random.pick([0, NOON]),
    steps: Array.from({ length: random.below(4) }, (_, index) => stepOf(index)),
    ...maybe(random, { suspect: anyPrice(random), ahead: [anyPrice(random)] }),
    accepted: Array.from({ length: random.below(3) }, () => anyPrice(random)),
  };
}

function anyRecord(random: SeededRandom): ContractRecord {
  const some = PRICE_SERIES_NAMES.filter(() => random.below(2) === 0);
  const knownOf = (): SeriesRecord => ({
    ...maybe(random, { outcome: random.pick(['ok', 'empty', 'denied', 'disputed', 'failed']) }),
    ...maybe(random, { reason: random.pick(['quota', 'no trade, they say']) }),
    ...maybe(random, { since: NOON }),
    ...maybe(random, { answeredAt: NOON - 1 }),
    ...maybe(random, { failures: random.below(6) }),
    ...maybe(random, { timesAlone: random.below(6) }),
    ...maybe(random, { retryAt: NOON + 1 }),
    ...maybe(random, { noDataSince: NOON }),
    ...maybe(random, { disputedSince: NOON - 2 }),
    ...maybe(random, { skipped: { at: NOON, records: { other_money: 2, no_price: 1 } } }),
    ...maybe(random, { confirmed: { by: 'coingecko' as const, at: NOON } }),
  });
  const ofSeries = <Value>(make: () => Value) =>
    Object.fromEntries(some.map((series): [PriceSeriesName, Value] => [series, make()]));
  return {
    contract: random.pick([PUNKS, `polygon-amoy:${PUNKS.slice(4)}`] as const) as typeof PUNKS,
    version: random.below(1000),
    series: ofSeries(knownOf),
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
    ...maybe(random, {
      past: {
        known: HOUR,
        ...maybe(random, { requested: 7 * HOUR }),
        ...maybe(random, { since: NOON }),
        ...maybe(random, { next: { interval: '30d' as const, ...maybe(random, { cursor: 'a' }) } }),
      },
    }),
    ...maybe(random, { unsupportedBy: { coingecko: NOON } }),
    timeline: anyTimeline(random),
    timers: {
      ...maybe(random, { answer: NOON }),
      ...maybe(random, { window: NOON + 1 }),
      ...maybe(random, { clock: NOON + 2 }),
      ...maybe(random, { refreshRequested: NOON + 3 }),
    },
  };
}

it('reads back every contract record, through JSON and through the table', async () => {
  const random = createSeededRandom(4);
  const records = Array.from({ length: 300 }, () => anyRecord(random));
  const contracts = createContractStore(createMemoryTable(), () => NOON);

  for (const record of records) {
    const sent: unknown = JSON.parse(JSON.stringify(encodeContract(record)));
    await contracts.put({
      ...record,
      version: (await contracts.get(record.contract))?.version ?? 0,
    });
    const kept = omit((await contracts.get(record.contract)) ?? record, 'version');

    expect(EncodedContract.parse(sent)).toEqual(record);
    expect(record).toMatchObject(kept);
  }
});

it.each([
  { price: 1.5, what: 'a price that is a number' },
  { price: '1.5', what: 'a price with a point' },
  { price: '-1', what: 'a price below zero' },
])('rejects a contract record with $what', ({ price }) => {
  const encoded = encodeContract(aContractRecord());
  const reading = { floor: { t: NOON, p: price, c: 'eth' } };

  expect(EncodedContract.safeParse({ ...encoded, reading }).error).toBeDefined();
});

it('stores a record of two series without pending steps in at most 800 bytes', async () => {
  const table = createMemoryTable();
  const usd = eth('181000.129912345678901234');
  const hash = `0x${'ab'.repeat(32)}`;
  const floor = aPrice('59.987654321098765432', { usd, source: 'opensea, blur, looksrare' });
  const trade = aTrade('1059.987654321098765432', NOON, { usd, source: hash });
  const answered = { since: NOON, answeredAt: NOON } as const;
  const record = aContractRecord({
    contract: `polygon-amoy:${PUNKS.slice(4)}` as typeof PUNKS,
    version: 0,
    timeline: { ...aTimeline({ floor, 'lowest.30d': trade }), seq: NOON + 123_456 },
    series: {
      floor: {
        ...answered,
        outcome: 'failed',
        reason: 'server_error',
        failures: 4,
        retryAt: NOON,
      },
      'lowest.30d': { ...answered, outcome: 'ok' },
    },
  });

  await createContractStore(table, () => NOON).put(record);

  const [size] = table.items().map(itemSize);
  expect(size).toBeGreaterThan(300);
  expect(size).toBeLessThanOrEqual(800);
});

it('a stored record stays small whatever rules its contract has, even during a sweep', async () => {
  const table = createMemoryTable();
  const metrics = METRIC_NAMES.map((name) => Metric.parse(name)).filter(
    (metric) => familyOf(metric).subject === undefined,
  );
  const thresholdIndexes = metrics.flatMap((metric) => UNITS.map((unit) => ({ metric, unit })));
  const record = aContractRecord({
    version: 0,
    thresholdIndexes: [...thresholdIndexes, ALL],
    sweep: { after: 'acme#list-0#rule-1', unseen: thresholdIndexes },
  });

  await createContractStore(table, () => NOON).put(record);

  const [size] = table.items().map(itemSize);
  expect(size).toBeLessThanOrEqual(64 * 1024);
});

it('keeps the item of a list value small for the maximum number of contracts', async () => {
  const table = createMemoryTable();
  const held = Array.from({ length: LIMITS.watchlist.contracts }, (_, index) => {
    const contract: ContractKey = `eth:0x${index.toString(16).padStart(40, '0')}`;
    return { contract, amount: LIMITS.member.amount };
  });

  const store = createContractStore(table, () => NOON);
  const { version } = await store.put(aContractRecord({ version: 0, held }));

  const [size] = table.items().map(itemSize);
  expect(size).toBeLessThanOrEqual(40 * 1024);
  expect(await store.get(PUNKS)).toMatchObject({ version, held });
});
