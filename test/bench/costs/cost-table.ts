import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { SCHEDULED } from '#infra/local/world-functions.ts';
import { findStage } from '#infra/stack/stages.ts';
import { isAnsweredBy } from '#shared/domain/market/operations.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { PLANNED_SECONDS } from '#shared/domain/polling/due-work.ts';
import { CADENCE_MINUTES, PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { contractsCarried } from '#shared/domain/polling/tenant-shares.ts';
import { callsPerWindow, RATE_WINDOW_SECONDS } from '#shared/domain/polling/upstream-limits.ts';
import { countOperations, countReading, MEASURED, type Operations } from './count-operations.ts';
import type { TableUnits } from './metered-table.ts';
import prices from './prices.json' with { type: 'json' };
import { synthesizeStack } from './synthesize.ts';

/** Monthly costs in dollars at one cadence, and the calls to the upstream. */
type CostRow = {
  readonly cadenceMinutes: number;
  readonly dollars: {
    readonly lambda: number;
    readonly table: number;
    readonly queues: number;
    readonly messages: number;
    readonly logs: number;
  };
  readonly upstream: {
    readonly callsPerSecond: number;
    readonly unitsPerDay: number;
    readonly unitsPerMonth: number;
  };
};

/** Monthly costs in dollars that do not depend on the cadence. */
type FixedCosts = {
  readonly alarms: number;
  readonly metrics: number;
  readonly idle: number;
  readonly api: number;
};

/** Monthly costs in dollars of a small stack that gets no API requests. */
type SmallRow = {
  readonly contracts: number;
  readonly alarms: number;
  readonly metrics: number;
  readonly idle: number;
  /** Functions, table, queues, messages and logs. */
  readonly work: number;
};

/**
 * The number of contracts that can be polled with the smallest key of a provider, by cadence in
 * minutes.
 */
type CarriedRow = {
  readonly provider: Provider;
  readonly contracts: readonly number[];
  readonly cadences: readonly number[];
};

export type Costs = {
  readonly rows: readonly CostRow[];
  readonly fixed: FixedCosts;
  /** The additional monthly costs, in dollars, of a stage with the firewall. */
  readonly firewall: number;
  readonly small: readonly SmallRow[];
  readonly carried: readonly CarriedRow[];
};

const CADENCES = [1, 5, 15, 30, 60];
const CONTRACTS = 1000;
/** The numbers of collections of small stacks, and the minutes between their polls. */
const SMALL = [0, 20];
const SMALL_CADENCE = 5;
/** Requests of people and programs; each returns one page of watches. */
const API_REQUESTS_A_DAY = 5000;
/** The assumed duration of invocations in milliseconds, which this benchmark cannot measure. */
const ASSUMED_MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['run-contracts', 150],
  ['wake-work', 150],
  ['run-jobs', 150],
  ['deliver-messages', 250],
  ['serve-api', 100],
  ['authorize-request', 30],
]);
/** A pass reads and plans all contracts, and waits for the last response. */
const passMilliseconds = (contracts: number) => 450 + 1.35 * contracts;
/** Lambda polls each of the four queues with at least five long polls of 20 seconds. */
const IDLE_POLLS_A_MINUTE = 4 * 5 * 3;

const MINUTES_A_MONTH = 30 * 24 * 60;
const GIGABYTE = 1024 ** 3;
const { dollars: price } = prices;

/** Counts operations, and multiplies them by the prices. */
export async function costsOf(cadences: readonly number[] = CADENCES): Promise<Costs> {
  const template = await templateOf();
  const rows: CostRow[] = [];
  for (const cadenceMinutes of cadences) {
    const operations = await countOperations(cadenceMinutes, CONTRACTS);
    rows.push(rowOf(cadenceMinutes, CONTRACTS, operations, template));
  }
  const fixed = fixedCosts(template, await countReading());
  const small: SmallRow[] = [];
  for (const contracts of SMALL) {
    const operations = await countOperations(SMALL_CADENCE, contracts);
    const { dollars } = rowOf(SMALL_CADENCE, contracts, operations, template);
    const metrics = contracts === 0 ? price.metricMonth : fixed.metrics;
    small.push({ ...fixed, contracts, metrics, work: sumOf(dollars) });
  }
  const requests = API_REQUESTS_A_DAY * 30;
  const firewall = price.firewallMonth + (requests / 1e6) * price.firewallMillionRequests;
  return { rows, fixed, firewall, small, carried: carriedRows() };
}

const sumOf = (series: Readonly<Record<string, number>>) =>
  Object.values(series).reduce((sum, name) => sum + name, 0);

function rowOf(
  cadenceMinutes: number,
  contracts: number,
  counted: Operations,
  template: Template,
): CostRow {
  const months = MINUTES_A_MONTH / counted.minutes;
  const monthly = (count: number) => count * months;
  const unitsPerMonth = monthly(counted.upstreamCalls) * UNITS_OF_A_CALL;
  const { writes, reads } = counted.table;
  const publications = monthly(counted.publications) / 1e6;
  return {
    cadenceMinutes,
    dollars: {
      lambda:
        (lambdaDollars(template, counted.invocations, contracts) +
          spreadDollars(template, counted)) *
        months,
      table:
        tableDollars(monthly(writes), monthly(reads)) +
        storageDollars(counted.storedBytes, contracts),
      queues: (monthly(counted.queueRequests) / 1e6) * price.fifoMillionRequests,
      messages: publications * (price.topicMillionPublications + 10 * price.emailHundredThousand),
      logs: (monthly(counted.logBytes) / GIGABYTE) * price.logGb,
    },
    upstream: {
      callsPerSecond: counted.upstreamCalls / (counted.minutes * 60),
      unitsPerDay: unitsPerMonth / 30,
      unitsPerMonth,
    },
  };
}

/**
 * The number of contracts that can be polled with all units that are not reserved for the v2.2
 * interface.
 */
function carriedRows(): readonly CarriedRow[] {
  const withFloors = Provider.options.filter((provider) => isAnsweredBy(provider, 'floor'));
  return withFloors.map((provider) => {
    const { upstreamShares: shares } = findStage('prod');
    const limits = { ...PROVIDER_LIMITS[provider], provider, shares };
    const cadences = CARRIED_CADENCES.map((minutes) =>
      Math.max(minutes, CADENCE_MINUTES[provider]),
    );
    const contracts = cadences.map((minutes) => Math.floor(contractsCarried(limits, minutes)));
    return { provider, cadences, contracts };
  });
}

const CARRIED_CADENCES = [1, 5, 30];
const UNITS_OF_A_CALL = findStage('prod').upstreamCosts.floor;

function fixedCosts(template: Template, reading: TableUnits): FixedCosts {
  const requests = API_REQUESTS_A_DAY * 30;
  const invocations = { 'serve-api': requests, 'authorize-request': requests };
  return {
    alarms: template.alarmMetrics * price.alarmMonth,
    metrics: new Set(Object.values(MEASURED).flat()).size * price.metricMonth,
    idle:
      ((IDLE_POLLS_A_MINUTE * MINUTES_A_MONTH) / 1e6) * price.fifoMillionRequests +
      ((SCHEDULED.length * MINUTES_A_MONTH) / 1e6) * price.schedulerMillionTicks,
    api:
      (requests / 1e6) * price.apiMillionRequests +
      lambdaDollars(template, invocations) +
      tableDollars(requests * reading.writes, requests * reading.reads),
  };
}

function lambdaDollars(
  { memoryOf }: Template,
  invocations: Readonly<Record<string, number>>,
  contracts = 0,
) {
  return Object.entries(invocations).reduce((sum, [folder, count]) => {
    const milliseconds = ASSUMED_MILLISECONDS.get(folder) ?? passMilliseconds(contracts);
    const seconds = milliseconds / 1000;
    const gigabytes = memoryOf(folder) / 1024;
    const each = gigabytes * seconds * price.lambdaGbSecond;
    return sum + count * (each + price.lambdaMillionRequests / 1e6);
  }, 0);
}

/**
 * The dollars for the time in which passes spread their calls over the minute, at the default call
 * rate.
 */
function spreadDollars({ memoryOf }: Template, { minutes, upstreamCalls }: Operations): number {
  const { upstreamCallsPerSecond: callsPerSecond, upstreamShares: shares } = findStage('prod');
  const rate = callsPerWindow('polling', { callsPerSecond, shares }) / RATE_WINDOW_SECONDS;
  const seconds = Math.min(PLANNED_SECONDS, upstreamCalls / minutes / rate);
  const gigabytes = memoryOf('poll-prices') / 1024;
  return minutes * seconds * gigabytes * price.lambdaGbSecond;
}

function tableDollars(writes: number, reads: number): number {
  return (writes / 1e6) * price.tableMillionWrites + (reads / 1e6) * price.tableMillionReads;
}

/** The size of one recorded price in bytes. */
const HISTORY_BYTES = 250;

/** Includes the prices of 35 days for each contract, one per hour. */
function storageDollars(bytes: number, contracts: number): number {
  const history = HISTORY_BYTES * contracts * 24 * 35;
  return ((bytes + history) / GIGABYTE) * (price.tableGbMonth + price.backupGbMonth);
}

type Template = {
  /** The number of metrics in alarms, each of which is billed. */
  readonly alarmMetrics: number;
  /** The memory of a function in megabytes, by its folder. */
  readonly memoryOf: (folder: string) => number;
};

async function templateOf(): Promise<Template> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-costs-'));
  const { chatOrigins, upstreamUrl } = findStage('prod');
  const synthesized = await synthesizeStack(
    {
      ...{ chatOrigins, upstreamUrl, operatorAlerts: 'none', operatorEmails: ['ops@example.com'] },
      slackWebhookParameter: '/floorwatch/prod/slack-webhook',
      channelKeyParameter: '/floorwatch/prod/channel-key',
      channelPublicKeyParameter: '/floorwatch/prod/channel-public-key',
      pushKeyParameter: '/floorwatch/prod/push-key',
      pushPublicKeyParameter: '/floorwatch/prod/push-public-key',
      linkKeyParameter: '/floorwatch/prod/link-key',
      upstreamKeyParameter: '/floorwatch/prod/upstream-key',
      webhookDestinations: 'loopback-only',
    },
    folder,
  );
  await rm(folder, { recursive: true, force: true });
  const resources = Object.values(TemplateBody.parse(synthesized).Resources);
  return {
    alarmMetrics: resources
      .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      .map(({ Properties }) => AlarmBody.parse(Properties).Metrics)
      .reduce((sum, metrics) => sum + metrics.filter(({ MetricStat }) => MetricStat).length, 0),
    memoryOf: (wanted) => {
      const found = resources.find(({ Metadata }) => Metadata?.['floorwatch:folder'] === wanted);
      return z.object({ MemorySize: z.int() }).parse(found?.Properties).MemorySize;
    },
  };
}

const TemplateBody = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.unknown(),
      Metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/** An alarm of one metric, or of a formula over several. */
const AlarmBody = z.object({
  Metrics: z
    .array(z.object({ MetricStat: z.unknown().optional() }))
    .default([{ MetricStat: 'its own' }]),
});

/** The tables in `README.md`, as Markdown. */
export function inMarkdown({ rows, fixed, firewall, small, carried }: Costs): string {
  const head = [
    ...['polls', 'AWS per month', 'Lambda', 'table', 'queues', 'messages', 'logs'],
    ...['calls a second', 'units a day', 'units a month'],
  ];
  const lines = rows.map(({ cadenceMinutes, dollars, upstream }) => {
    const { lambda, table, queues, messages, logs } = dollars;
    const all = sumOf({ ...dollars, ...fixed });
    return [
      everyMinutes(cadenceMinutes),
      `**${inDollars(all)}**`,
      ...[lambda, table, queues, messages, logs].map(inDollars),
      upstream.callsPerSecond.toFixed(2),
      inMillions(upstream.unitsPerDay),
      inMillions(upstream.unitsPerMonth),
    ];
  });
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const table = [head, head.map(() => '---'), ...lines].map(row).join('');
  const beside = `Each line has ${inDollars(fixed.alarms + fixed.metrics)} for metrics and alarms, ${inDollars(fixed.idle)} for queues and ticks without work, and ${inDollars(fixed.api)} for ${API_REQUESTS_A_DAY.toLocaleString('en-US')} API requests a day. The firewall, which is off by default, would add ${inDollars(firewall)}.\n`;
  const carriedHead = [
    'contracts that its smallest key can poll',
    ...CARRIED_CADENCES.map(everyMinutes),
  ];
  const carriedLines = carried.map(({ provider, cadences, contracts }) => [
    provider,
    ...contracts.map((count, index) =>
      cadences[index] === CARRIED_CADENCES[index] ? `${count}` : '',
    ),
  ]);
  const keys = [carriedHead, carriedHead.map(() => '---'), ...carriedLines].map(row).join('');
  const smallHead = ['load', 'AWS per month', 'alarms', 'metrics', 'queues and ticks', 'work'];
  const smallLines = small.map(({ contracts, alarms, metrics, idle, work }) => {
    const series = { alarms, metrics, idle, work };
    const what =
      contracts === 0 ? 'nothing' : `${contracts} collections, ${everyMinutes(SMALL_CADENCE)}`;
    return [what, `**${inDollars(sumOf(series))}**`, ...Object.values(series).map(inDollars)];
  });
  const little = [smallHead, smallHead.map(() => '---'), ...smallLines].map(row).join('');
  return `${little}\n${table}\n${beside}\n${keys}`;
}

const everyMinutes = (minutes: number) =>
  minutes === 1 ? 'each minute' : `each ${minutes} minutes`;

/** Rounds to the accuracy of the estimate. */
const inDollars = (dollars: number) => `$${dollars.toFixed(dollars < 10 ? 1 : 0)}`;
const inMillions = (units: number) => `${(units / 1e6).toFixed(1)} M`;
