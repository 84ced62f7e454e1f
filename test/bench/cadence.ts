import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { findDataFiles } from '#infra/operate/import/data-files.ts';
import { TradeLine } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import {
  type ContractRecord,
  newContractRecord,
  newestOf,
} from '#shared/domain/polling/contract-record.ts';
import { duePoll } from '#shared/domain/polling/due-work.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { NOTHING_SPENT, shareOut } from '#shared/domain/polling/tenant-shares.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { evaluatedTo } from '#shared/domain/timeline/timeline.ts';
import { someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

/**
 * Compares the delays until a crossing is detected with a fixed and with an adaptive cadence, for
 * the same number of calls. Uses real trades; every thirty days count as a separate collection. The
 * floor is the second lowest of the last eight trades. Thresholds are 3 to 20% below and above the
 * floor, and are set again after each crossing.
 *
 * npm run bench:cadence -- DIR
 */
const SPAN = 30 * DAY;
const [directory = '../shared/data'] = process.argv.slice(2);
const collections = await readCollections(directory);
process.stdout.write(
  `${collections.length} collections of 30 days each, ${collections.flat().length} floors\n`,
);
process.stdout.write('minutes  cadence  calls    seen   mean   half   95%   missed\n');
for (const minutes of [3, 6, 12]) {
  print(minutes, 'fixed', watch(1e6, minutes));
  print(minutes, 'by need', watch((collections.length * 60) / minutes, 1));
}

type Floor = { readonly time: Instant; readonly price: bigint };

async function readCollections(from: string): Promise<readonly (readonly Floor[])[]> {
  const files = (await findDataFiles(from)).filter(({ kind }) => kind === 'trades');
  const read = files.map(async ({ path }) => floorsOf(gunzipSync(await readFile(path)).toString()));
  return (await Promise.all(read))
    .flatMap((floors) => [...Map.groupBy(floors, ({ time }) => Math.floor(time / SPAN)).values()])
    .filter(({ length }) => length > 5)
    .map((floors) => floors.map(({ time, price }) => ({ time: time % SPAN, price })));
}

function floorsOf(lines: string): readonly Floor[] {
  const trades = lines.split('\n').flatMap((line) => {
    const trade = TradeLine.safeParse(line === '' ? undefined : JSON.parse(line));
    if (!trade.success) return [];
    const { price, block_timestamp } = trade.data;
    const time = Date.parse(block_timestamp);
    // Skips records that have only a date, and trades below 0.001 ETH.
    const isTimed = time % DAY !== 0;
    return isTimed && BigInt(price) > 10n ** 15n ? [{ time, price: BigInt(price) }] : [];
  });
  const inOrder = trades.toSorted((one, other) => one.time - other.time);
  return inOrder.flatMap(({ time }, index) => {
    const last = inOrder.slice(Math.max(0, index - 7), index + 1);
    const [, price] = last.map((trade) => trade.price).toSorted((a, b) => (a < b ? -1 : 1));
    return last.length < 8 || price === undefined ? [] : [{ time, price }];
  });
}

type Lines = { readonly below: bigint; readonly above: bigint };

/**
 * Polls all collections together, with a budget of calls per hour; `minutes` is the configured
 * cadence.
 */
function watch(budgetPerHour: number, minutes: number) {
  const limits = someLimits({
    ...{ callsPerSecond: 1000, budgetPerHour, budgetPerDay: 1e9, budgetPerMonth: 1e9 },
    costs: evenCosts(1),
    shares: { polling: 99, interface: 1 },
  });
  const { pick } = createSeededRandom(1);
  const linesAround = (price: bigint): Lines => ({
    below: (price * (100n - pick([3n, 5n, 10n, 20n]))) / 100n,
    above: (price * (100n + pick([3n, 5n, 10n, 20n]))) / 100n,
  });
  const watched = collections.map((floors, index) => {
    const contract = `eth:0x${(index * 7919).toString(16).padStart(40, '0')}` as ContractKey;
    const record: ContractRecord = {
      ...newContractRecord(contract, 0),
      ...{ series: { floor: {} }, tenants: ['acme'] },
    };
    const lines = linesAround(floors[0]?.price ?? 0n);
    return { floors, record, lines, next: 0, crossedAt: undefined as Instant | undefined };
  });
  const delays: number[] = [];
  let [calls, missed] = [0, 0];
  for (let now = 0; now < SPAN; now += MINUTE) {
    const records = watched.map(({ record }) => record);
    const rateLimiter = newRateLimiterRecord();
    const shares = shareOut(records, NOTHING_SPENT, rateLimiter, limits, minutes, now);
    const minute = now / MINUTE;
    for (const one of watched) {
      for (; (one.floors[one.next]?.time ?? Infinity) <= now; one.next += 1) {
        const { time = 0, price = 0n } = one.floors[one.next] ?? {};
        const isBeyond = price <= one.lines.below || price >= one.lines.above;
        if (one.crossedAt !== undefined && !isBeyond) missed += 1;
        one.crossedAt = isBeyond ? (one.crossedAt ?? time) : undefined;
      }
      const span = { after: minute - 1, until: minute };
      const floor = one.floors[one.next - 1];
      if (duePoll(one.record, span, shares.cadenceOf(one.record)) === undefined) continue;
      calls += 1;
      if (floor === undefined) continue;
      one.record = seen(one.record, floor, now);
      if (one.crossedAt === undefined) continue;
      delays.push((now - one.crossedAt) / MINUTE);
      one.crossedAt = undefined;
      one.lines = linesAround(floor.price);
    }
  }
  return { calls, missed, delays: delays.toSorted((a, b) => a - b) };
}

/** The record after a poll; an unchanged floor adds no point. */
function seen(record: ContractRecord, { price }: Floor, now: Instant): ContractRecord {
  const before = newestOf(record, 'floor');
  if (before?.kind === 'price' && before.price === price) return record;
  const floor: PricePoint = { kind: 'price', time: now, price, currency: 'eth' };
  const answers = { asked: now, answeredAt: { floor: now }, floors: [floor], latest: {} };
  const timeline = appendPoll(record.timeline, answers, false);
  return { ...record, timeline: evaluatedTo(timeline, timeline.seq) };
}

function print(
  minutes: number,
  cadence: string,
  { calls, missed, delays }: ReturnType<typeof watch>,
) {
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? 0;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  const numbers = [mean, at(0.5), at(0.95)].map((value) => value.toFixed(1).padStart(5));
  process.stdout.write(
    `${String(minutes).padStart(7)}  ${cadence.padEnd(7)}  ${calls.toLocaleString('en').padStart(7)}  ${String(delays.length).padStart(5)}  ${numbers.join('  ')}  ${String(missed).padStart(6)}\n`,
  );
}
