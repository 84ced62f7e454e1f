import type { SQSBatchResponse } from 'aws-lambda';
import {
  createFunctions,
  type FunctionName,
  SCHEDULED,
  TIMEOUTS,
  type WorldFunctions,
} from '#infra/local/world-functions.ts';
import { QUEUES, type QueueName, queueUrl } from '#infra/local/world-variables.ts';
import { BATCH, CONCURRENCY } from '#infra/stack/concurrency.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { FloorPoint } from '#shared/domain/market/upstream.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Outside } from '#shared/outside/outside.ts';
import type { Log } from '#shared/runtime/log.ts';
import { someLimits } from '#test/support/builders.ts';
import { anOutside, NO_TOPICS, variablesOf } from '#test/support/outside.ts';
import { createWorld } from '#test/support/world.ts';
import { AWS, createAccount, type Instance, type TableRate } from './account.ts';
import { type Lists, listsOf } from './lists.ts';

/** The totals at a number of seconds after the tick of the crash. */
export type Row = {
  readonly second: number;
  /** Alerts of watches, in the inboxes of their destinations. */
  readonly posted: number;
  readonly toPrograms: number;
  /** Alerts to people, counted once for each channel; `messages` is the number of messages. */
  readonly toPeople: number;
  readonly messages: number;
  readonly criticalToPeople: number;
};

export type Crash = {
  readonly watches: number;
  readonly critical: number;
  readonly rows: readonly Row[];
  readonly table: { readonly writes: number; readonly reads: number };
  readonly invocations: Readonly<Record<string, number>>;
  /** Throttled partitions of the table, and the longest wait of a call in milliseconds. */
  readonly atLimit: readonly (readonly [string, number])[];
  readonly failures: readonly string[];
};

const LIMITS = someLimits({
  ...{ callsPerSecond: 30, budgetPerDay: 1e9, budgetPerMonth: 3e10 },
  shares: { polling: 98, interface: 2 },
});
const START = Date.UTC(2026, 0, 5, 12);
const MEGABYTES = 512;
/** Milliseconds until a provider, a chat or a webhook responds. */
const ANSWERED_AFTER = { provider: 300, chat: 150, webhook: 120 };
const MINUTES = 15;
const ROW = 10 * SECOND;
/** Events that report neither a failure nor the progress of alerts. */
const OTHER_EVENTS = /^(message_|invocation_finished|prices_polled|work_woken)/;
/** The message groups of each queue. */
const GROUPS = { contracts: contractGroup, lists: listGroup, channels: channelGroup };

/** Lets all prices fall at once, so that every watch fires, and runs until all alerts are sent. */
export async function liveThrough(
  lists: Lists,
  warm: TableRate,
  onRow: (row: Row) => void,
): Promise<Crash> {
  const market = { price: '100' };
  const floorsAt = (now: Instant) => {
    const price = readDecimal(market.price) ?? 0n;
    const time = Math.floor(now / MINUTE) * MINUTE - 10 * SECOND;
    return [{ time, price, usd: price * 3000n, currency: 'eth', marketplaces: [] }];
  };
  const { world, watches, critical } = await setUp(lists, floorsAt);
  const account = createAccount(world.table, warm, world.now());
  const { timeline } = account;
  const { now } = timeline;
  const counts = {
    posted: 0,
    toPrograms: 0,
    toPeople: 0,
    messages: 0,
    criticalToPeople: 0,
  };
  const failures: string[] = [];
  const noteEvent = (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
    if (event === 'alerts_made') counts.posted += (fields.alerts as readonly unknown[]).length;
    else if (!OTHER_EVENTS.test(event)) failures.push(`${event} ${JSON.stringify(fields)}`);
  };
  const log: Log = {
    info: noteEvent,
    error: (event, fields = {}) => void failures.push(`${event} ${JSON.stringify(fields)}`),
  };

  let versions = 1e9;
  const outsideOf = (instance: Instance): Outside =>
    anOutside({
      variables: variablesOf({ limits: LIMITS, pollCadenceMinutes: 1, operatorAlerts: 'none' }),
      now,
      sleepUntil: (instant) => account.wait(instant),
      uniqueNumber: () => {
        versions += 1;
        return versions;
      },
      logOf: () => log,
      table: () => account.tableOf(instance),
      senderTo: (url) => senderOf(url, instance),
      topics: () => ({ ...NO_TOPICS, hasTopic: async () => true }),
      upstream: () => ({
        floorHistory: () =>
          account.called(instance, ANSWERED_AFTER.provider, async () => ({
            kind: 'ok',
            value: { points: floorsAt(now()) },
          })),
        lowestTrade: async () => ({ kind: 'empty' }),
        answer: async () => ({ kind: 'empty' }),
      }),
      destinations: () => ({
        prove: async () => ({ kind: 'sent' }),
        send: async (destination, notification) => {
          if (destination.kind !== 'channel')
            throw new Error('expected alerts only for channels of lists');
          const { kind } = destination.channel;
          const isProgram = kind === 'webhook';
          const took = isProgram ? ANSWERED_AFTER.webhook : ANSWERED_AFTER.chat;
          const latency = kind === 'email' ? AWS.latency.publish : took;
          await account.called(instance, latency, async () => {});
          const isDigest = notification.kind === 'digest';
          const count = isDigest ? notification.count : 1;
          if (isProgram) counts.toPrograms += count;
          else {
            counts.toPeople += count;
            counts.messages += 1;
            const urgent = isDigest ? notification.byTone.critical : 0;
            const isUrgent = !isDigest && notification.alert.severity === 'critical';
            counts.criticalToPeople += isUrgent ? 1 : urgent;
          }
          return kind === 'email' ? { kind: 'accepted' } : { kind: 'sent' };
        },
      }),
    });
  const functionsOf = (instance: Instance): WorldFunctions => {
    const outside = outsideOf(instance);
    return createFunctions(() => outside);
  };

  const queueOf = (
    name: QueueName,
    consumer: FunctionName,
    settings: {
      readonly concurrency: number;
      readonly batchSize?: number;
      readonly isWarm?: boolean;
    },
  ) =>
    account.queue({
      ...{ megabytes: MEGABYTES, timeoutSeconds: TIMEOUTS[consumer], batchSize: 1 },
      ...{ ...settings, groupOf: GROUPS[name] as (message: unknown) => string },
      compose: (instance) => {
        const functions = functionsOf(instance);
        return async (event) => (await functions[consumer](event)) as SQSBatchResponse;
      },
    });
  const queues = {
    contracts: queueOf('contracts', 'run-contracts', {
      concurrency: CONCURRENCY.runContracts,
      isWarm: true,
    }),
    lists: queueOf('lists', 'run-jobs', {
      concurrency: CONCURRENCY.runJobs,
      batchSize: BATCH.runJobs,
    }),
    channels: queueOf('channels', 'deliver-messages', {
      concurrency: CONCURRENCY.deliverMessages,
    }),
  };
  const senderOf = (url: string, instance: Instance) => {
    const name = QUEUES.find((one) => queueUrl(one) === url) ?? 'contracts';
    return (messages: readonly Outgoing<unknown>[]) => queues[name].sentBy(instance)(messages);
  };

  const scheduled = SCHEDULED.map((name) => functionsOf(account.newInstance(MEGABYTES))[name]);
  // One normal minute precedes the crash.
  const begin = (Math.floor(now() / MINUTE) + 2) * MINUTE;
  for (let minute = -1; minute < MINUTES; minute += 1) {
    timeline.at(begin + minute * MINUTE, () => {
      for (const tick of scheduled) {
        void tick({}).catch((error: unknown) => failures.push(`tick ${String(error)}`));
      }
      return true;
    });
  }
  await timeline.runUntil(begin - 1);
  // A fall that is small enough to need no confirmation.
  market.price = '72';
  const rows: Row[] = [];
  const isOver = () => counts.toPrograms >= watches && counts.toPeople >= 2 * watches;
  for (let at = begin + ROW; at <= begin + MINUTES * MINUTE && !isOver(); at += ROW) {
    await timeline.runUntil(at);
    const row = { second: (at - begin) / SECOND, ...counts };
    rows.push(row);
    onRow(row);
  }
  return {
    ...{ watches, critical, rows, table: account.units, atLimit: account.atLimit(), failures },
    invocations: {
      'run-contracts': queues.contracts.invocations(),
      'run-jobs': queues.lists.invocations(),
      'deliver-messages': queues.channels.invocations(),
    },
  };
}

/** Creates the lists as their owners would, and polls until each watch has its first value. */
async function setUp(lists: Lists, floorsAt: (now: Instant) => readonly FloorPoint[]) {
  const world = createWorld({
    ...{ start: START, cadenceMinutes: 1, operatorAlerts: 'none' },
    limits: { ...LIMITS, callsPerSecond: 10_000 },
  });
  world.answers.floor = (_contract, now) => ({ kind: 'ok', value: floorsAt(now) });
  let watches = 0;
  let critical = 0;
  for (const { tenant, body } of listsOf(lists)) {
    await world.putList(body, tenant);
    await world.drain();
    const { contracts = [], rules = [] } = body;
    watches += contracts.length * rules.length;
    critical += contracts.length * rules.filter(({ severity }) => severity === 'critical').length;
  }
  for (let minute = 0; minute < 3; minute += 1) await world.tick();
  world.log.calls.length = 0;
  return { world, watches, critical };
}
