import { type ContractKey, isOfTraits } from '#shared/domain/market/contract.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { startActors } from '#test/simulation/actors/actors.ts';
import { startClients } from '#test/simulation/actors/clients.ts';
import { createLinkReaders } from '#test/simulation/actors/link-readers.ts';
import { redriveAll, startOperators } from '#test/simulation/actors/operators.ts';
import { createInvariants } from '#test/simulation/invariants/invariants.ts';
import { createChats } from '#test/simulation/services/chats.ts';
import { createFaults } from '#test/simulation/services/faults.ts';
import { createFaultyTable } from '#test/simulation/services/faulty-table.ts';
import { createMarket } from '#test/simulation/services/market.ts';
import { createSandboxes } from '#test/simulation/services/sandbox.ts';
import { createSecondProvider } from '#test/simulation/services/second-provider.ts';
import { bewitched, drawSpells } from '#test/simulation/services/spells.ts';
import { createStreams } from '#test/simulation/services/streams.ts';
import { createTimeline } from '#test/simulation/services/timeline.ts';
import { createTopics } from '#test/simulation/services/topics.ts';
import { createKeyRing } from '#test/simulation/services/upstream-adapter.ts';
import { createWallets } from '#test/simulation/services/wallets.ts';
import { variablesOf } from '#test/support/outside.ts';
import { aRememberingOpener } from '#test/support/sealer.ts';
import { createCalendar, type Outage } from './calendar.ts';
import { createEventLog, type Violation } from './event-log.ts';
import { type Expansion, expand } from './expansion.ts';
import type { FunctionsWorld } from './functions.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createQueues } from './queues.ts';
import { type Healing, heal, LONGEST_HEALING_MINUTES } from './rest.ts';
import { createRunner } from './runner.ts';

/** The outcome of one seed. */
export type Outcome = {
  readonly seed: number;
  readonly expansion: Expansion;
  readonly violations: readonly Violation[];
  /** How often each event of interest happened. */
  readonly met: Readonly<Record<string, number>>;
  /** Undefined if the system did not become idle in time. */
  readonly healing: Healing | undefined;
  readonly hash: string;
  readonly lastEvents: readonly string[];
  /** The used rights: function, operation, and kind of item or queue. */
  readonly rightsUsed: readonly string[];
};

const TENANTS = ['acme', 'umbrella'];
const CONTRACTS = [
  'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
  'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb?Fur=Solid+Gold',
] as const satisfies readonly ContractKey[];
const START = Date.parse('2026-01-05T12:00:00Z');

/** A wallet holds tokens of a collection, whatever their traits. */
const isWhole = (contract: ContractKey) => !contract.includes('?');

/** Simulates some minutes with faults, then a healing phase without faults. */
export async function simulate(
  seed: number,
  minutes: number,
  listen: (event: string) => void = () => {},
): Promise<Outcome> {
  const streams = createStreams(seed);
  const { workload, schedule } = streams;
  const expansion = expand(streams);
  const { limits, cadenceMinutes, pauseMinutes, redriveMinutes, isGreedy } = expansion;
  const faults = createFaults(expansion.faults, streams.faults);
  const secondFaults = expansion.second && createFaults(expansion.second.faults, streams.second);
  const outage = outageOf(expansion, minutes);
  const worksAt = createCalendar(outage);
  const [start, end] = [START, worksAt(START + minutes * MINUTE)];

  const timeline = createTimeline(start);
  const eventLog = createEventLog(timeline.now, listen);
  const { trace, met } = eventLog;
  const spells =
    expansion.second === undefined
      ? []
      : drawSpells(streams.second, {
          ...{ minutes, at: (minute) => worksAt(start + minute * MINUTE) },
          outageAt: outage && (outage.from - start) / MINUTE,
        });
  const market = bewitched(
    createMarket(CONTRACTS, { start, end, outage }, streams.market, faults),
    spells,
  );
  const second =
    expansion.second &&
    secondFaults &&
    createSecondProvider(expansion.second, {
      ...{ market, spells, faults: secondFaults, stream: streams.second },
    });
  const wallets = createWallets(CONTRACTS.filter(isWhole), { start, end }, streams.wallets, faults);
  const invariants = createInvariants(eventLog, timeline.now, TENANTS, {
    ...expansion,
    // Providers report only the current floor of a trait.
    floorTimes: (contract) => (isOfTraits(contract) ? [] : market.floorTimes(contract)),
  });
  const { asking, fairness, rights, secrecy, written, reported, arrived, answered } = invariants;

  const sandboxes = createSandboxes({
    timeline,
    faults,
    schedule,
    trace,
    broken: eventLog.broken,
    called: rights.called,
    met: (what, port) => {
      met(what);
      met(`${what} at ${port.split(' ')[0]}`);
    },
  });
  const table = createFaultyTable({ timeline, faults, schedule, sandboxes, written, met });
  const links = createLinkReaders(streams.links, eventLog);
  const world: FunctionsWorld = {
    timeline,
    faults,
    schedule,
    sandboxes,
    table,
    market,
    second,
    wallets,
    walletReported: invariants.walletReported,
    outage,
    variables: {
      ...variablesOf({
        ...{ limits, others: second === undefined ? [] : [second] },
        ...{ pollCadenceMinutes: cadenceMinutes, operatorAlerts: 'all' },
      }),
      // Wallets are read more often than once a day, so that they change within the simulated
      // morning.
      WALLET_INTERVAL_MINUTES: '4',
    },
    queues: () => queues,
    keys: createKeyRing({ timeline, faults, schedule, met }),
    topics: createTopics({ timeline, faults, schedule, met }),
    chats: createChats({ now: timeline.now, broken: eventLog.broken, met }),
    broken: eventLog.broken,
    floorAsked: invariants.floorAsked,
    floorReported: invariants.floorReported,
    valueReported: invariants.valueReported,
    asked: (contract, by) => {
      met(isOfTraits(contract) ? 'floor of traits asked' : 'upstream call');
      asking.asked(by);
      fairness.asked(contract);
    },
    throttled: asking.throttled,
    secondAsked: (contract, by) => {
      met('second provider asked');
      fairness.asked(contract);
      invariants.secondAsked(contract, by);
    },
    secondReported: invariants.secondReported,
    arrived: (...given) => {
      arrived(...given);
      links.arrived(given[1]);
    },
    answered,
    openSecret: aRememberingOpener(),
    opened: secrecy.opened,
    reported,
  };
  const runner = createRunner(world, eventLog);
  const queues = createQueues({ timeline, faults, schedule, met }, runner, {
    met,
  });

  startHeartbeat(
    { timeline, faults, schedule, runner, met, worksAt },
    start,
    minutes + LONGEST_HEALING_MINUTES,
  );
  startActors(
    {
      timeline,
      workload: { ...workload, floorTimes: CONTRACTS.flatMap(market.floorTimes) },
      runner,
      met,
      wallets: { addresses: wallets.addresses, stream: streams.wallets },
      quiet: streams.quiet,
      readers: { reported: secrecy.reported, broken: eventLog.broken },
      ...{ links, linkPause: streams.links, escalations: streams.escalations },
      ...{ snoozes: streams.snoozes, holdings: streams.holdings },
      values: streams.values,
      ratios: streams.ratios,
    },
    { tenants: TENANTS, contracts: CONTRACTS, start, minutes, worksAt, pauseMinutes, isGreedy },
  );

  startClients(
    {
      ...{ timeline, runner, stream: streams.clients, reported: secrecy.reported },
      keyedRequests: invariants.keyedRequests,
      apiKeys: invariants.apiKeys,
    },
    { tenants: TENANTS, contract: CONTRACTS[0], start, minutes, worksAt },
  );

  startOperators(timeline, queues, eventLog, { start, minutes, worksAt }, redriveMinutes);

  await timeline.runUntil(end);
  faults.end();
  secondFaults?.end();
  if (redriveAll(queues)) met('redrive');
  const { broken } = eventLog;
  const healing = await heal({
    ...{ timeline, table, queues, sandboxes, invariants, broken, cadenceMinutes },
  });
  invariants.atRest(table.items());
  met('seed');
  return {
    seed,
    expansion,
    violations: eventLog.violations,
    met: Object.fromEntries([...eventLog.counters, ...faults.counts]),
    healing,
    hash: eventLog.hash(),
    lastEvents: eventLog.lastEvents(),
    rightsUsed: rights.used(),
  };
}

/** The outage of a seed, if it begins before the end of the faults. */
function outageOf({ outage }: Expansion, minutes: number): Outage | undefined {
  if (outage === undefined || outage.afterMinutes >= minutes) return undefined;
  const from = START + outage.afterMinutes * MINUTE;
  return { from, until: from + outage.hours * HOUR };
}
