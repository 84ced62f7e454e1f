import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { type Chronicle, createChronicle, type Violation } from './chronicle.ts';
import { type Expansion, expand } from './expansion.ts';
import { createFaults } from './faults.ts';
import { createFaultyTable } from './faulty-table.ts';
import type { FunctionsWorld, Queues } from './functions.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createMarket } from './market.ts';
import { createQueues } from './queues.ts';
import { whyRestless } from './rest.ts';
import { createRunner } from './runner.ts';
import { createSandboxes } from './sandbox.ts';
import { createStreams } from './streams.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { createWitnesses } from './witnesses.ts';
import { startWorkforce } from './workforce.ts';

/** What one seed came to. */
export type Outcome = {
  readonly seed: number;
  readonly expansion: Expansion;
  readonly violations: readonly Violation[];
  /** How often each interesting thing happened. */
  readonly met: Readonly<Record<string, number>>;
  /** Minutes from the end of the faults until everything had come to rest. */
  readonly healedAfter: number | undefined;
  readonly hash: string;
  readonly lastEvents: readonly string[];
  /** What functions did to which items and queues, each once. */
  readonly rightsUsed: readonly string[];
};

const TENANTS = ['acme', 'umbrella'];
const CONTRACTS: readonly ContractKey[] = [
  'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
];
const START = Date.parse('2026-01-05T12:00:00Z');
const LONGEST_HEALING_MINUTES = 150;

/** Lives through some minutes in which everything may go wrong, and then some in which nothing does. */
export async function simulate(
  seed: number,
  minutes: number,
  listen: (event: string) => void = () => {},
): Promise<Outcome> {
  const streams = createStreams(seed);
  const { workload, schedule } = streams;
  const expansion = expand(streams.expansion);
  const { limits, cadenceMinutes, pauseMinutes } = expansion;
  const faults = createFaults(expansion.faults, streams.faults);
  const [start, end] = [START, START + minutes * MINUTE];

  const timeline = createTimeline(start);
  const chronicle = createChronicle(timeline.now, listen);
  const { trace, met } = chronicle;
  const witnesses = createWitnesses(chronicle, timeline.now, TENANTS, expansion);
  const { asking, rights, secrecy, written, reported, arrived, answered } = witnesses;

  const sandboxes = createSandboxes({
    timeline,
    faults,
    schedule,
    trace,
    called: rights.called,
    met: (what, port) => {
      met(what);
      met(`${what} at ${port.split(' ')[0]}`);
    },
  });
  const table = createFaultyTable({ timeline, faults, schedule, sandboxes, written, met });
  const world: FunctionsWorld = {
    timeline,
    faults,
    schedule,
    sandboxes,
    table,
    market: createMarket(CONTRACTS, { start, end }, streams.market, faults),
    limits,
    cadenceMinutes,
    queues: () => queues,
    asked: (at) => {
      met('upstream call');
      asking.asked(at);
    },
    throttled: asking.throttled,
    arrived,
    answered,
    opened: secrecy.opened,
    reported,
  };
  const runner = createRunner(world, chronicle);
  const queues = createQueues({ timeline, faults, schedule, met }, runner, chronicle);

  startHeartbeat(
    { timeline, faults, schedule, runner, met },
    start,
    minutes + LONGEST_HEALING_MINUTES,
  );
  startWorkforce(
    {
      timeline,
      workload,
      runner,
      met,
      readers: { told: secrecy.told, broken: chronicle.broken },
    },
    { tenants: TENANTS, contracts: CONTRACTS, start, end, pauseMinutes },
  );

  await timeline.runUntil(end);
  faults.end();
  redriveAll(queues, chronicle);
  const why = () => whyRestless({ timeline, table, queues, sandboxes, witnesses });
  const healedAfter = await heal(timeline, end, why);
  if (healedAfter === undefined) chronicle.broken('the world heals', why().slice(0, 5).join('; '));
  witnesses.atRest(table.items());
  met('seed');
  return {
    seed,
    expansion,
    violations: chronicle.violations,
    met: Object.fromEntries([...chronicle.counters, ...faults.counts]),
    healedAfter,
    hash: chronicle.hash(),
    lastEvents: chronicle.lastEvents(),
    rightsUsed: rights.used(),
  };
}

/** Operators send again what is dead, once they have mended what was broken. */
function redriveAll(queues: Queues, { met }: Pick<Chronicle, 'met'>): void {
  for (const queue of Object.values(queues)) {
    if (queue.deadLetters.length > 0) met('redrive');
    queue.redrive();
  }
}

/** Lets time go on until nothing is to be done any more, and tells the minutes that it took. */
async function heal(
  timeline: Timeline,
  end: Instant,
  why: () => readonly string[],
): Promise<number | undefined> {
  for (let minute = 1; minute <= LONGEST_HEALING_MINUTES; minute += 1) {
    await timeline.runUntil(end + minute * MINUTE - 1);
    if (minute >= 5 && why().length === 0) return minute;
  }
  return undefined;
}
