import { setTimeout as wait } from 'node:timers/promises';
import { dispatchWork } from '#functions/dispatch-work/dispatch-work.ts';
import { pollContract } from '#functions/run-contracts/poll-contract.ts';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { HOUR, SECOND } from '#shared/domain/market/instant.ts';
import type { FloorPage, Outcome } from '#shared/domain/market/upstream.ts';
import { ContractMessage, type PollMessage } from '#shared/domain/messages/contract-message.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { anAnsweredRecord, aPrice, someLimits } from '#test/support/builders.ts';
import { countingCalls } from '#test/support/counting-calls.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { SQLITE } from '#test/support/tables.ts';

/**
 * One tick over ten thousand contracts, and twenty, fifty and a hundred pollers for what it sends:
 * how long planning takes, whether the provider is ever asked faster than it may be, and how many
 * writes of the table a poll takes. Ends with 1 where a promise is broken.
 */
const CONTRACTS = 10_000;
const LIMITS = someLimits({
  ...{ callsPerSecond: 50, budgetPerDay: 1e9, budgetPerMonth: 1e10 },
  shares: { polling: 99, interface: 1 },
});
const WINDOW = 4 * SECOND;
/** A call may start half a second after its slot, and be as long on its way. */
const ALLOWED = LIMITS.callsPerSecond * 5;
const LONGEST_PLANNING_SECONDS = 20;
const MOST_WRITES = 1.1;
const { signal } = new AbortController();

let isKept = true;
for (const pollers of [20, 50, 100]) {
  const found = await tick(pollers);
  const { planned, polls, calls, writes, busiest } = found;
  const isGood =
    planned <= LONGEST_PLANNING_SECONDS && busiest <= ALLOWED && writes / polls <= MOST_WRITES;
  isKept &&= isGood;
  process.stdout.write(
    `${pollers} pollers: planned in ${planned.toFixed(1)} s, ${polls} polls, ${calls} calls, at most ${busiest} in four seconds (${ALLOWED} allowed), ${(writes / polls).toFixed(3)} writes a poll${isGood ? '' : '  BROKEN'}\n`,
  );
}
process.exitCode = isKept ? 0 : 1;

async function tick(pollers: number) {
  await using table = await aTable();
  await using upstream = await anUpstreamThatCounts();
  const counted = countingCalls(table.table);
  const contracts = createContractStore(counted.table, now);
  const governor = createGovernorStore(counted.table, 'nft-data');
  const cadences = createCadenceStore(counted.table);
  const progress = createDispatchStore(counted.table);
  const point = aPrice('50', { time: Math.floor(now() / HOUR) * HOUR });
  const page: Outcome<FloorPage> = {
    kind: 'ok',
    value: { points: [{ ...point, marketplaces: [] }] },
  };
  const all = Array.from({ length: CONTRACTS }, (_, index) => ({
    ...anAnsweredRecord('floor', point),
    contract: `eth:0x${(index * 7919).toString(16).padStart(40, '0')}` as ContractKey,
    tenants: [`tenant-${index % 20}`],
    version: 0,
  }));
  for (let first = 0; first < all.length; first += 100) {
    await Promise.all(all.slice(first, first + 100).map(contracts.put));
  }
  counted.calls.clear();

  const queue: PollMessage[] = [];
  let isOver = false;
  const begun = performance.now();
  let planned: number | undefined;
  const poll = async () => {
    const lease = createUpstreamGovernor(governor, 'polling', LIMITS, now);
    const ports = {
      ...{ now, sleepUntil, remainingTime: () => 30 * SECOND, provider: 'nft-data', others: [] },
      leaseCalls: lease.lease,
      learnOfCall: lease.learn,
      upstream: { floorHistory: () => upstream.ask(page) },
      putContract: contracts.put,
      getContract: contracts.get,
      recordHistory: async () => {},
      report: () => {},
    } as unknown as RunContractsPorts;
    while (!isOver || queue.length > 0) {
      const message = queue.shift();
      if (message === undefined) await wait(5);
      else await pollContract(ports, message, signal);
    }
  };
  const working = Promise.all(Array.from({ length: pollers }, poll));
  const { polls } = await dispatchWork(
    {
      ...{ now, sleepUntil, cadenceMinutes: 1, limits: LIMITS, others: [] },
      getGovernor: governor.get,
      putGovernor: governor.put,
      getCadences: cadences.cadences,
      noteCadences: cadences.noteCadences,
      getProgress: progress.progress,
      finish: progress.finish,
      allContracts: contracts.all,
      dueTimers: progress.dueFromCursors,
      channelsDue: progress.channelsDue,
      sendToContracts: async (messages) => {
        if (messages.length > 0) planned ??= (performance.now() - begun) / SECOND;
        for (const { message } of messages) {
          const read = ContractMessage.parse(JSON.parse(JSON.stringify(message)));
          if (read.kind === 'poll') queue.push(read);
        }
      },
      sendToLists: async () => {},
      getHints: async () => undefined,
      putHints: async () => {},
      removeHints: async () => {},
      hasWaiting: async () => false,
      sendToChannels: async () => {},
    },
    signal,
  );
  isOver = true;
  await working;
  const writes = counted.calls.get('put') ?? 0;
  return { planned: planned ?? 0, polls, writes, ...upstream.seen() };
}

async function aTable() {
  await SQLITE.start();
  return { table: await SQLITE.createTable(), [Symbol.asyncDispose]: SQLITE.stop };
}

/** Counts the calls of a rolling window, as the provider does; it takes a third of a second for each. */
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
