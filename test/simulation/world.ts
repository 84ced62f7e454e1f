import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import type { Letter } from '#shared/domain/alerting/letter.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { handleFifoRecords } from '#shared/runtime/fifo-records.ts';
import { createDeliveryWitness } from './delivery-witness.ts';
import { type ListDocument, listDocument } from './documents.ts';
import { createFaults, drawFaults, type FaultRates, InjectedFaultError } from './faults.ts';
import { createFaultyTable, type Written } from './faulty-table.ts';
import { createFifoQueue, type QueuedMessage, type Settle } from './fifo-queue.ts';
import {
  createInstance,
  type FunctionsWorld,
  type Instance,
  TIMEOUT_SECONDS,
  VISIBILITY_SECONDS,
} from './functions.ts';
import { createMarket } from './market.ts';
import { createPerson, type Deed } from './people.ts';
import { createSandboxes, type Invocation } from './sandbox.ts';
import { createStreams } from './streams.ts';
import { createTimeline } from './timeline.ts';
import { createUpstreamWitness } from './upstream-witness.ts';
import { createWatchWitness } from './watch-witness.ts';

type Violation = { readonly invariant: string; readonly what: string; readonly at: string };

/** What one seed came to. */
export type Outcome = {
  readonly seed: number;
  readonly faults: FaultRates;
  readonly violations: readonly Violation[];
  /** How often each interesting thing happened. */
  readonly met: Readonly<Record<string, number>>;
  /** Minutes from the end of the faults until everything had come to rest. */
  readonly healedAfter: number | undefined;
  readonly hash: string;
  readonly lastEvents: readonly string[];
};

const TENANTS = ['acme', 'umbrella'];
const CONTRACTS: readonly ContractKey[] = [
  'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
];
const LONGEST_HEALING_MINUTES = 150;
const EVENTS_KEPT = 40;

/** Lives through some minutes in which everything may go wrong, and then some in which nothing does. */
export async function simulate(
  seed: number,
  minutes: number,
  listen: (event: string) => void = () => {},
): Promise<Outcome> {
  const streams = createStreams(seed);
  const { expansion, workload, schedule } = streams;
  const rates = drawFaults(expansion);
  const faults = createFaults(rates, streams.faults);
  const start = Date.parse('2026-01-05T12:00:00Z');
  const end = start + minutes * MINUTE;
  const timeline = createTimeline(start);
  const cadenceMinutes = expansion.pick([1, 2, 5]);
  const limits: UpstreamLimits = {
    callsPerSecond: expansion.pick([1, 5, 50]),
    budgetPerDay: expansion.pick([100_000, 100_000, 250]),
    budgetPerMonth: 3_000_000,
    costs: { floor: 1, lowestprice: 1, price: 1, traits: 1 },
  };

  const violations: Violation[] = [];
  const counters = new Map<string, number>();
  const events: string[] = [];
  const hash = createHash('sha256');
  const clock = () => new Date(timeline.now()).toISOString().slice(11, 23);
  const trace = (line: string) => {
    const event = `${clock()} ${line}`;
    hash.update(event);
    listen(event);
    events.push(event);
    if (events.length > 2 * EVENTS_KEPT) events.splice(0, EVENTS_KEPT);
  };
  const met = (what: string) => {
    counters.set(what, (counters.get(what) ?? 0) + 1);
  };
  const broken = (invariant: string, what: string) => {
    if (violations.length < 20) violations.push({ invariant, what, at: clock() });
  };

  const revisions = new Map<string, ListDocument[]>();
  const revisionsOf = (tenant: string, list: string) => revisions.get(`${tenant} ${list}`) ?? [];
  const watching = createWatchWitness({ now: timeline.now, broken, met, revisionsOf });
  const delivering = createDeliveryWitness({
    broken,
    met,
    now: timeline.now,
    tenants: TENANTS,
    expected: watching.expected,
    revisionsOf,
  });
  const asking = createUpstreamWitness(limits, timeline.now, broken);
  const written = (write: Written) => {
    const { pk, sk } = write.key;
    if (pk.startsWith('CONTRACTS#')) watching.contractWritten(write);
    if (pk.startsWith('WATCHES#')) {
      watching.watchWritten(write);
      delivering.watchWritten(write);
    }
    if (pk === 'UPSTREAM' && sk === 'GOVERNOR') asking.governorWritten(write);
    if (sk.startsWith('MUTES#')) delivering.mutesWritten(write);
    if (pk.startsWith('LIST#')) delivering.alertWritten(write);
    if (!sk.startsWith('LIST#') || write.after === undefined) return;
    const path = `${pk.slice('TENANT#'.length)} ${sk.slice('LIST#'.length)}`;
    revisions.set(path, [...(revisions.get(path) ?? []), listDocument(write.after)]);
  };

  const sandboxes = createSandboxes({
    timeline,
    faults,
    schedule,
    trace,
    met: (what, port) => {
      met(what);
      met(`${what} at ${port.split(' ')[0]}`);
    },
  });
  const table = createFaultyTable({ timeline, faults, schedule, sandboxes, written, met });
  const market = createMarket(CONTRACTS, { start, end }, streams.market, faults);
  let versions = 0;
  const newVersion = () => {
    versions += 1;
    return versions;
  };
  const world: FunctionsWorld = {
    timeline,
    faults,
    schedule,
    sandboxes,
    table,
    market,
    limits,
    cadenceMinutes,
    queues: () => queues,
    asked: (at) => {
      met('upstream call');
      asking.asked(at);
    },
    throttled: asking.throttled,
    arrived: (sink: string, letter: Letter, by: Invocation) => delivering.arrived(sink, letter, by),
    reported: (event, fields) => {
      met(event);
      if (event === 'alert_dropped') delivering.dropped(String(fields.alert));
      if (event === 'watch_judgement_failed')
        broken('every watch can be judged', String(fields.error));
    },
  };

  /** Loaded code is used again, unless its last run came to no good end. */
  const idle = new Map<string, Instance[]>();
  const run = (
    name: string,
    timeoutSeconds: number,
    work: (instance: Instance, by: Invocation) => Promise<unknown>,
    ended: (isDone: boolean) => void,
  ) => {
    const pool = idle.get(name) ?? [];
    idle.set(name, pool);
    const instance = pool.pop() ?? createInstance(world, newVersion);
    sandboxes.start(
      name,
      timeoutSeconds,
      (by) => work(instance, by),
      (how, error) => {
        if (how !== 'died') pool.push(instance);
        if (how === 'failed') explained(name, error);
        ended(how === 'done');
      },
    );
  };
  const explained = (name: string, error: unknown) => {
    if (error instanceof InjectedFaultError || error instanceof VersionConflictError) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    broken('functions fail for a reason', `${name}: ${text}`);
  };

  const consumer =
    <Schema extends z.ZodType>(
      name: string,
      schema: Schema,
      work: (instance: Instance) => (by: Invocation, message: z.output<Schema>) => Promise<void>,
    ) =>
    (batch: readonly QueuedMessage[], settle: Settle) => {
      const all = new Set(batch.map(({ id }) => id));
      let failed: ReadonlySet<string> = all;
      const log = {
        info: () => {},
        error: (_event: string, fields: Readonly<Record<string, unknown>> = {}) => {
          met('message failed');
          explained(name, fields.error);
        },
      };
      run(
        name,
        TIMEOUT_SECONDS.actor,
        async (instance, by) => {
          const event = { Records: batch.map(recordOf) };
          const { batchItemFailures } = await handleFifoRecords(event, schema, log, (message) =>
            work(instance)(by, message),
          );
          failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        },
        (isDone) => settle(isDone ? failed : all),
      );
    };
  const fifo = { timeline, faults, schedule, met };
  const actor = { visibilitySeconds: VISIBILITY_SECONDS };
  const queues = {
    contracts: createFifoQueue(fifo, {
      ...actor,
      name: 'contracts',
      groupOf: contractGroup,
      batchSize: 1,
      handle: consumer('run-contracts', ContractMessage, (instance) => instance.runContracts),
    }),
    lists: createFifoQueue(fifo, {
      ...actor,
      name: 'lists',
      groupOf: listGroup,
      batchSize: 5,
      handle: consumer('notify-watchers', ListMessage, (instance) => instance.notify),
    }),
    channels: createFifoQueue(fifo, {
      ...actor,
      name: 'channels',
      groupOf: channelGroup,
      batchSize: 1,
      handle: consumer('deliver-messages', ChannelMessage, (instance) => instance.deliver),
    }),
  };

  const dispatch = () =>
    run(
      'dispatch-work',
      TIMEOUT_SECONDS.dispatch,
      (instance, by) => instance.dispatch(by),
      () => {},
    );
  const tick = () => {
    if (faults.strikes('tickMissed')) return met('missed tick');
    const late = faults.strikes('tickLate') ? schedule.between(1, 60) * SECOND : 0;
    const times = faults.strikes('tickDoubled') ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      timeline.at(timeline.now() + late + time * schedule.between(0, 3000), () => {
        dispatch();
        return true;
      });
    }
  };
  for (let minute = 1; minute <= minutes + LONGEST_HEALING_MINUTES; minute += 1) {
    timeline.at(start + minute * MINUTE, () => {
      tick();
      return true;
    });
  }

  /** A request that fails is made again, unless its maker has had enough. */
  const does = (deed: Deed, tries = 3) => {
    met(deed.name);
    run(
      `manage-watchlists ${deed.name} ${deed.by.id}`,
      TIMEOUT_SECONDS.manage,
      (instance, by) => instance.manage(by, deed.work),
      (isDone) => {
        if (isDone || tries === 0) return;
        timeline.at(timeline.now() + 5 * SECOND, () => {
          does(deed, tries - 1);
          return true;
        });
      },
    );
  };
  const pause = expansion.pick([3, 10, 40]);
  for (const tenant of TENANTS) {
    for (let index = 0; index < workload.between(1, 2); index += 1) {
      const person = createPerson({ tenant, id: `list-${index}` }, CONTRACTS, workload, start);
      const first = start + workload.between(1, 120) * SECOND;
      timeline.at(first, () => {
        does(person.writes());
        return true;
      });
      const span = 2 * pause * 60;
      for (let at = first; at < end; at += workload.between(20, span) * SECOND) {
        if (at === first) continue;
        timeline.at(at, () => {
          does(person.acts(timeline.now()));
          return true;
        });
      }
    }
  }

  await timeline.runUntil(end);
  faults.end();
  for (const queue of Object.values(queues)) {
    if (queue.deadLetters.length > 0) met('redrive');
    queue.redrive();
  }
  let healedAfter: number | undefined;
  for (let minute = 1; minute <= LONGEST_HEALING_MINUTES; minute += 1) {
    await timeline.runUntil(end + minute * MINUTE - 1);
    if (minute < 5 || !isAtRest()) continue;
    healedAfter = minute;
    break;
  }
  if (healedAfter === undefined) broken('the world heals', whyRestless().slice(0, 5).join('; '));
  watching.atRest(table.items());
  delivering.atRest(table.items());
  met('seed');
  return {
    seed,
    faults: rates,
    violations,
    met: Object.fromEntries([...counters, ...faults.counts]),
    healedAfter,
    hash: hash.digest('hex').slice(0, 16),
    lastEvents: events.slice(-EVENTS_KEPT),
  };

  function isAtRest(): boolean {
    return whyRestless().length === 0;
  }

  /** What is still to be done, should nothing go wrong any more. */
  function whyRestless(): readonly string[] {
    const now: Instant = timeline.now();
    const waiting = Object.entries(queues).flatMap(([name, queue]) =>
      queue.waiting() > 0 ? [`${queue.waiting()} messages of ${name}`] : [],
    );
    const overdue = table.items().flatMap((item) => {
      const isDue = typeof item.dueAt === 'number' && item.dueAt <= now - MINUTE;
      const isInbox = item.pk.startsWith('INBOX#') && delivering.isAwaited(item);
      const isPending = item.sk.startsWith('PENDING#') && item.sk.includes('#contract#');
      const isAsked =
        item.pk.startsWith('CONTRACTS#') &&
        (asking.isSpent() ? item.unjudged : (item.wanted ?? item.unjudged)) !== undefined;
      return isDue || isInbox || isPending || isAsked ? [`${item.pk} ${item.sk}`] : [];
    });
    const running = sandboxes.alive() > 0 ? [`${sandboxes.alive()} invocations`] : [];
    return [...waiting, ...overdue, ...running];
  }
}

function recordOf({ id, group, body, received }: QueuedMessage): SQSRecord {
  return {
    messageId: id,
    body,
    attributes: { MessageGroupId: group, ApproximateReceiveCount: String(received) },
  } as SQSRecord;
}
