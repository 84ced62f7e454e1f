import { manageWatchlists } from '#functions/serve-api/watchlists/routes.ts';
import { itemSize } from '#infra/local/item-size.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { readDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createMetrics, type Metric } from '#shared/runtime/metrics.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createWorld, type World } from '#test/support/world.ts';
import { meteredTable, type TableUnits } from './metered-table.ts';

/** The operations of a stack during the counted minutes. */
export type Operations = {
  readonly minutes: number;
  /** The number of invocations of each function, by its folder. */
  readonly invocations: Readonly<Record<string, number>>;
  readonly table: TableUnits;
  /** Requests to queues: send, receive and delete. */
  readonly queueRequests: number;
  /** Publications to topics; each causes one email. */
  readonly publications: number;
  readonly logBytes: number;
  readonly upstreamCalls: number;
  readonly alerts: number;
  /** The size of the table at the end, in bytes. */
  readonly storedBytes: number;
};

/**
 * The test world does not advance its clock during the polls of a minute, so a rate limit would
 * postpone some of them.
 */
const UNBOUNDED: UpstreamLimits = {
  ...{ callsPerSecond: 10_000, budgetPerDay: 1e9, budgetPerMonth: 1e10 },
  provider: 'nft-data',
  costs: { ...evenCosts(1), floor: 50, traits: 50 },
  shares: { polling: 60, interface: 20 },
};

/** The number of contracts in each list. */
const MEMBERS = 50;
const SECRET = `whsec_${Buffer.alloc(24, 's').toString('base64')}`;
/** The number of different times within an hour at which floors change. */
const OFFSETS = 1000;
/** The minimum number of counted minutes. */
const MINUTES = 15;

/**
 * Runs the real use cases over a table in memory, and counts their operations. Lists have fifty
 * contracts, two rules that need the floor, an email and a webhook. Every floor changes each hour,
 * and once a day it meets the condition of a rule for an hour.
 */
export async function countOperations(
  cadenceMinutes: number,
  contracts: number,
): Promise<Operations> {
  const table: TableUnits = { writes: 0, reads: 0 };
  const world = createWorld({
    start: Date.UTC(2026, 0, 5),
    cadenceMinutes,
    limits: UNBOUNDED,
    // The default setting of a stage.
    operatorAlerts: 'none',
    reached: (memory) => meteredTable(memory, table),
  });
  world.answers.floor = floorOf;
  for (let first = 0; first < contracts; first += MEMBERS) {
    await world.putList(aList(first, Math.min(MEMBERS, contracts - first)));
  }
  // Runs until every contract has been polled and the state is steady.
  for (let minute = 0; minute <= Math.max(cadenceMinutes, 4); minute += 1) {
    await world.tick();
  }

  const before = { ...countsOf(world), ...table };
  const minutes = Math.max(MINUTES, cadenceMinutes);
  for (let minute = 0; minute < minutes; minute += 1) await world.tick();
  const after = { ...countsOf(world), ...table };
  const counted = (name: keyof typeof after) => after[name] - before[name];

  const invocations = {
    'poll-prices': minutes,
    'wake-work': minutes,
    'run-contracts': counted('contracts'),
    'run-jobs': counted('lists'),
    'deliver-messages': counted('channels'),
  };
  const messages = counted('contracts') + counted('lists') + counted('channels');
  return {
    minutes,
    invocations,
    table: { writes: counted('writes'), reads: counted('reads') },
    // Each message is received and deleted alone: batches only form under load.
    queueRequests: counted('sends') + 2 * messages,
    publications: counted('publications'),
    logBytes: counted('reported') + bytesOfEnds(invocations),
    upstreamCalls: counted('calls'),
    alerts: counted('alerts'),
    storedBytes: world.table.items().reduce((sum, item) => sum + itemSize(item), 0),
  };
}

/** The table units of one API request, which reads the key and the watches of 25 contracts. */
export async function countReading(): Promise<TableUnits> {
  const table: TableUnits = { writes: 0, reads: 0 };
  const world = createWorld({ reached: (memory) => meteredTable(memory, table) });
  world.answers.floor = floorOf;
  await world.putList(aList(0, MEMBERS));
  for (let minute = 0; minute < 6; minute += 1) await world.tick();
  const before = { ...table };
  const request = { path: { watchlist: 'list-0' } };
  await manageWatchlists(
    world.ports.manage,
    anHttpRequest('GET /v1/watchlists/{watchlist}/watches', request),
    new AbortController().signal,
  );
  // Additional operations: reading the key, and counting the tenant's usage.
  const [keyReads, countReads, countWrites] = [1, 1, 1];
  return {
    writes: table.writes - before.writes + countWrites,
    reads: table.reads - before.reads + keyReads + countReads,
  };
}

function aList(first: number, members: number): Parameters<World['putList']>[0] {
  return {
    id: `list-${first / MEMBERS}`,
    name: 'Some of them',
    contracts: Array.from({ length: members }, (_, index) => contractOfNumber(first + index)),
    rules: [
      { id: 'low', metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
      { id: 'high', metric: 'floor_price', when: 'above', threshold: '150' },
    ],
    channels: [
      { id: 'desk', kind: 'email', to: 'desk@example.com' },
      { id: 'bot', kind: 'webhook', url: 'http://127.0.0.1:9/hook', secrets: [SECRET] },
    ],
  };
}

function contractOfNumber(number: number): ContractKey {
  return `eth:0x${number.toString(16).padStart(40, '0')}`;
}

function floorOf(contract: ContractKey, now: Instant): Outcome<readonly FloorPoint[]> {
  const number = Number(contractOf(contract).address);
  // Spreads the changes over the hour.
  const offset = (number * HOUR) / OFFSETS;
  const hour = Math.floor((now - offset) / HOUR);
  const price = readDecimal(hour % 24 === number % 24 ? '59' : String(76 + (hour % 7))) ?? 0n;
  const time = hour * HOUR + offset;
  const point = { time, price, usd: price * 3000n, currency: 'eth', marketplaces: ['a market'] };
  return { kind: 'ok', value: [point] };
}

function countsOf({ queues, notifications, log, published, reports }: World) {
  const { contracts, lists, channels } = queues;
  return {
    contracts: contracts.sent.messages,
    lists: lists.sent.messages,
    channels: channels.sent.messages,
    sends: contracts.sent.requests + lists.sent.requests + channels.sent.requests,
    publications: notifications.filter(({ destinationId }) => destinationId === 'desk').length,
    calls: log.calls.filter((call) => call.startsWith('upstream.')).length,
    alerts: published.filter(({ destinationId }) => destinationId === 'desk').length,
    reported: reports.reduce((sum, report) => sum + bytesOfLine(report), 0),
  };
}

/** Bytes that the platform logs for each invocation, and adds to each line. */
const PLATFORM_BYTES = 350;
const LINE_BYTES = 26;

function bytesOfLine(fields: object): number {
  const time = new Date(0).toISOString();
  const line = { time, level: 'info', function: 'deliver-messages', ...fields };
  return JSON.stringify(line, inWords).length + LINE_BYTES;
}

const inWords = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value;

/** The metrics that most invocations of a function write on their last line. */
export const MEASURED: Readonly<Record<string, readonly Metric[]>> = {
  'poll-prices': [
    ...(['Ticks', 'ContractsWatched', 'BudgetUsed', 'FreshestDataAge', 'CallsOk'] as const),
  ],
  'run-contracts': ['AlertsMade'],
  'deliver-messages': ['AlertsDelivered', 'AlertsLate'],
};

/** The bytes of the last lines of invocations. */
function bytesOfEnds(invocations: Readonly<Record<string, number>>): number {
  const uuid = '00000000-0000-0000-0000-000000000000';
  return Object.entries(invocations).reduce((sum, [name, count]) => {
    const metrics = createMetrics('prod', Date.now);
    for (const metric of MEASURED[name] ?? []) metrics.measure(metric, 1000);
    const reported = { requestId: uuid, milliseconds: 100, traces: [uuid], ...metrics.flush() };
    const line = bytesOfLine({ event: 'invocation_finished', ...reported });
    return sum + count * (line + PLATFORM_BYTES);
  }, 0);
}
