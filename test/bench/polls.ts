import { composePollPrices } from '#functions/poll-prices/compose.ts';
import { pollPrices } from '#functions/poll-prices/poll-prices.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { HOUR, SECOND } from '#shared/domain/market/instant.ts';
import type { FloorPage, Outcome } from '#shared/domain/market/upstream.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { anAnsweredRecord, aPrice, someLimits } from '#test/support/builders.ts';
import { countingCalls } from '#test/support/counting-calls.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { anOutside, variablesOf } from '#test/support/outside.ts';
import { SQLITE } from '#test/support/tables.ts';

/**
 * A pass over ten thousand contracts. A server counts the calls in a rolling window, as providers
 * do. Measures the duration of planning and of the whole pass, the highest call rate, and the
 * number of writes. Exits with 1 if a contract is not polled within the minute, if the rate limit
 * is exceeded, or if polls without a change write.
 */
const CONTRACTS = 10_000;
const LIMITS = someLimits({
  ...{ callsPerSecond: 350, budgetPerDay: 1e9, budgetPerMonth: 1e10 },
  shares: { polling: 99, interface: 1 },
});
const WINDOW = 4 * SECOND;
/** A call may start half a second after its slot, and may take another half second to arrive. */
const ALLOWED = LIMITS.callsPerSecond * 5;
const LONGEST_PLANNING_SECONDS = 5;
const MOST_WRITES = 0.01;
const { signal } = new AbortController();

const { planned, took, polls, calls, writes, busiest, late } = await pass();
const isKept =
  planned <= LONGEST_PLANNING_SECONDS &&
  busiest <= ALLOWED &&
  writes / polls <= MOST_WRITES &&
  calls === CONTRACTS;
process.stdout.write(
  `planned in ${planned.toFixed(1)} s, ${polls} polls in ${took.toFixed(1)} s, ${calls} calls, ${late} of them missed, at most ${busiest} in four seconds (${ALLOWED} allowed), ${writes} writes${isKept ? '' : '  BROKEN'}\n`,
);
process.exitCode = isKept ? 0 : 1;

async function pass() {
  await using table = await aTable();
  await using upstream = await anUpstreamThatCounts();
  const counted = countingCalls(table.table);
  const point = aPrice('50', { time: Math.floor(now() / HOUR) * HOUR });
  const page: Outcome<FloorPage> = {
    kind: 'ok',
    value: { points: [{ ...point, marketplaces: [] }] },
  };
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / SECOND;
  let planned: number | undefined;
  let late = 0;
  const { ports } = composePollPrices(
    anOutside({
      variables: variablesOf({ limits: LIMITS, pollCadenceMinutes: 1 }),
      ...{ now, sleepUntil, table: () => counted.table },
      logOf: () => ({
        info: (event) => {
          if (event === 'contract_not_polled') late += 1;
        },
        error: () => {},
      }),
      upstream: () => ({
        floorHistory: async () => {
          planned ??= seconds();
          noteRequest();
          return await upstream.ask(page);
        },
        lowestTrade: async () => ({ kind: 'empty' }),
        answer: async () => ({ kind: 'unsupported', reason: 'retired' }),
      }),
    }),
  );
  const all = Array.from({ length: CONTRACTS }, (_, index) => ({
    ...anAnsweredRecord('floor', point),
    contract: `eth:0x${(index * 7919).toString(16).padStart(40, '0')}` as ContractKey,
    tenants: [`tenant-${index % 20}`],
    version: 0,
  }));
  for (let first = 0; first < all.length; first += 100) {
    await Promise.all(all.slice(first, first + 100).map(ports.putContract));
  }
  counted.calls.clear();

  const setUp = seconds();
  const remainingTime = () => (58 - (seconds() - setUp)) * SECOND;
  const { polls } = await pollPrices({ ...ports, remainingTime }, signal);
  const took = seconds() - setUp;
  const writes = counted.calls.get('put') ?? 0;
  return { planned: (planned ?? 0) - setUp, took, polls, writes, late, ...upstream.seen() };
}

async function aTable() {
  await SQLITE.start();
  return { table: await SQLITE.createTable(), [Symbol.asyncDispose]: SQLITE.stop };
}

/** Counts calls in a rolling window, as providers do. Each response takes a third of a second. */
async function anUpstreamThatCounts() {
  const times: number[] = [];
  let busiest = 0;
  const server = await startHttpServer((response) => {
    times.push(performance.now());
    const from = (times.at(-1) ?? 0) - WINDOW;
    busiest = Math.max(busiest, times.length - times.findIndex((time) => time > from));
    setTimeout(() => response.end('{}'), SECOND / 3);
  });
  return {
    ask: async <Answer>(answer: Answer): Promise<Answer> => {
      await (await fetch(server.url)).text();
      return answer;
    },
    seen: () => ({ calls: times.length, busiest }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
