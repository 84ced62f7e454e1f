import { expect, it, onTestFinished } from 'vitest';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { Stack } from '#infra/operate/stack.ts';
import { readState } from '#infra/operate/status/status.ts';
import { findStage } from '#infra/stack/stages.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { putKey } from '#test/support/api-keys.ts';
import {
  APES,
  aContractRecord,
  anAlert,
  anAnsweredRecord,
  anInboxEntry,
  aPrice,
  aWatchlist,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';

/** A stack with a table but no API. */
function aStack(changes: Partial<Stack> = {}) {
  const table = createMemoryTable();
  const stores = {
    contracts: createContractStore(table, () => NOON),
    rateLimiter: createRateLimiterStore(table, 'nft-data'),
    cadences: createCadenceStore(table),
    progress: createPollProgressStore(table),
    pending: createJobStore(table),
    channels: createChannelStore(table),
    inbox: createInboxStore(table),
  };
  const deadLetters = [
    { name: 'Lists', waiting: 2 },
    { name: 'Channels', waiting: 0 },
    { name: 'floorwatch-dev-PollingMissedTicks1', waiting: 3 },
  ];
  const stack: Stack = {
    name: 'the stack of the test',
    url: async () => 'http://127.0.0.1:1',
    stage: async () =>
      findStage('dev', {
        ...{ upstreamBudgetPerDay: 200, upstreamBudgetPerMonth: 1000, pollCadenceMinutes: 15 },
        otherProviders: [{ provider: 'coingecko' }],
      }),
    table: async () => table,
    now: async () => NOON,
    queues: async () => ({
      deadLetterQueues: async () =>
        deadLetters.map((queue) => ({ ...queue, url: '', source: undefined })),
      peek: async () => [],
      moveBack: async function* () {},
    }),
    account: undefined,
    ...changes,
  };
  const rest = async () => {
    const { table: state } = await readState(stack, undefined);
    if (state === null) throw new Error('the table was not read');
    return state;
  };
  return { table, ...stores, stack, rest };
}

/** An API that returns the state of a stack to an operator's key. */
async function anInterface(operations: object) {
  const server = await startHttpServer((response, { headers, path }) => {
    const isAllowed = headers['x-api-key'] === 'fw_operator' && path === '/v1/operations';
    const problem = { type: 'urn:floorwatch:problem:forbidden', status: 403, detail: 'no scope' };
    response.writeHead(isAllowed ? 200 : 403).end(JSON.stringify(isAllowed ? operations : problem));
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.url;
}

const REPORTED = {
  at: formatInstant(NOON),
  tick: { at: formatInstant(NOON - MINUTE), missed: 0 },
  providers: [],
  cadence: { configuredMinutes: 15, longestMinutes: 15, isFarStretched: false },
  queues: [{ queue: 'lists', deadLetters: 1 }],
  overdueSince: null,
};

it('with a key the status reads the state from the API, and the rest from the table', async () => {
  const url = await anInterface({ ...REPORTED, ofALaterVersion: true });
  const { stack } = aStack({ url: async () => url });

  const { source, operations, table } = await readState(stack, 'fw_operator');

  expect(source).toEqual({ kind: 'interface', whyNoTable: null });
  expect(operations).toEqual(REPORTED);
  expect(table).toMatchObject({ data: { watched: 0 } });
});

it.each([
  ['without a key', undefined, 'FLOORWATCH_API_KEY is not set'],
  ['with a key without the scope', 'fw_reader', /rejects this key: no scope$/],
])(
  '%s, the status reads only the table, and reports why it did not use the API',
  async (_case, key, why) => {
    const url = await anInterface(REPORTED);
    const { stack } = aStack({ url: async () => url });

    const { source, operations } = await readState(stack, key);

    expect(source).toMatchObject({ kind: 'table', whyNoInterface: expect.stringMatching(why) });
    expect(operations).toMatchObject({ tick: { at: null } });
  },
);

it('the status reads only the table while the API cannot be reached', async () => {
  const { source } = await readState(aStack().stack, 'fw_operator');

  expect(source).toMatchObject({
    whyNoInterface: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached/),
  });
});

it('without AWS credentials the status has only the state from the API', async () => {
  const url = await anInterface(REPORTED);
  const { stack } = aStack({
    url: async () => url,
    table: () => Promise.reject(new UsageError('log in')),
  });

  expect(await readState(stack, 'fw_operator')).toEqual({
    source: { kind: 'interface', whyNoTable: 'log in' },
    ...{ operations: REPORTED, table: null, account: null },
  });
  await expect(readState(stack, undefined)).rejects.toThrow('log in');
});

it('the status of a stack that never had a tick has no times and only zeros', async () => {
  const { operations, table } = await readState(aStack().stack, undefined);

  expect(operations).toMatchObject({ tick: { at: null }, overdueSince: null });
  expect(table).toMatchObject({
    data: { watched: 0, freshest: null, oldestContract: null, silentContracts: [] },
    ...{ channels: { count: 0 }, pendingChanges: 0 },
  });
});

it('the status read from the table has the same tick, cadence, budgets, denials and dead letters as the API', async () => {
  const { progress, rateLimiter, cadences, table, stack } = aStack();
  await progress.put({ version: 0, tickedAt: NOON - MINUTE, polledUntil: 1, again: [] });
  await cadences.noteCadences({
    ...NO_CADENCES,
    stretched: { acme: { minutes: 60 }, umbrella: { minutes: 30 } },
  });
  const other = createRateLimiterStore(table, 'coingecko');
  await other.put({ ...newRateLimiterRecord(), blockedUntil: NOON + HOUR });
  await rateLimiter.put({
    ...newRateLimiterRecord(),
    spent: {
      day: '2026-11-21',
      inDay: { polling: 90, interface: 10 },
      inMonth: { polling: 90, interface: 10 },
    },
    breakers: {
      polling: { reason: 'key', openedAt: NOON - HOUR, probeAt: NOON + MINUTE, probes: 3 },
      'interface:traits': { reason: 'plan', openedAt: NOON - MINUTE, probeAt: NOON, probes: 1 },
    },
  });

  const { operations } = await readState(stack, undefined);

  expect(operations).toMatchObject({
    tick: { at: formatInstant(NOON - MINUTE), missed: 3 },
    providers: [
      {
        provider: 'nft-data',
        denials: [
          {
            user: 'polling',
            what: 'its service',
            reason: 'key',
            since: formatInstant(NOON - HOUR),
          },
          { user: 'interface', what: 'the traits search', reason: 'plan' },
        ],
        budgets: [
          { span: 'day', limit: 200, used: 100 },
          { span: 'month', limit: 1000, used: 100 },
        ],
      },
      { provider: 'coingecko', denials: [], blockedUntil: formatInstant(NOON + HOUR) },
    ],
    cadence: { configuredMinutes: 15, longestMinutes: 60, isFarStretched: true },
    queues: [
      { queue: 'Lists', deadLetters: 2 },
      { queue: 'Channels', deadLetters: 0 },
    ],
  });
});

it('the status names the contract with the oldest floor, contracts without usable responses, and records skipped within a day', async () => {
  const { contracts, table, rest } = aStack();
  const old = anAnsweredRecord('floor', aPrice('60', { time: NOON - 9 * HOUR }));
  await contracts.put({ ...old, version: 0 });
  const silent = { outcome: 'not_found' as const, noDataSince: NOON - 2 * HOUR };
  const noted = { at: NOON - 23 * HOUR, records: { no_price: 2 } };
  const longAgo = { ...noted, at: NOON - 24 * HOUR };
  const series = { floor: { ...silent, skipped: longAgo }, 'lowest.7d': { skipped: noted } };
  await contracts.put(aContractRecord({ contract: APES, version: 0, series }));
  await table.put({ pk: 'CONTRACTS#0', sk: 'nonsense' });

  const { data, unreadable } = await rest();

  expect(data).toEqual({
    freshest: formatInstant(NOON - 9 * HOUR),
    oldest: formatInstant(NOON - 9 * HOUR),
    watched: 2,
    silent: 1,
    oldestContract: PUNKS,
    silentContracts: [{ contract: APES, why: 'floor: the provider does not have this contract' }],
    skipped: [{ contract: APES, series: 'lowest.7d', records: { no_price: 2 } }],
  });
  expect(unreadable).toEqual(['nonsense']);
});

it('the status names watchlists that it cannot read because another version has written them', async () => {
  const { table, rest } = aStack();
  const keys = createApiKeyStore(table);
  await putKey(keys, {
    hash: 'a',
    tenant: 'acme',
    name: 'k',
    scopes: ['read'],
    createdAt: 1,
  });
  const list = { pk: 'TENANT#acme', sk: 'LIST#punks' };
  await createWatchlistStore(table).put(aWatchlist());
  await table.put({ ...(await table.get(list)), ...list, members: [{ contract: 'mars:0x1' }] });

  expect((await rest()).unreadable).toEqual([
    'watchlist acme/punks (unexpected value of "members.0.contract", unexpected value of "members.0.joined")',
  ]);
});

it("the status lists undelivered alerts, and distinguishes the operators' channel from a similar tenant name", async () => {
  const { channels, inbox, stack } = aStack();
  const waiting = async (destinationId: DestinationId, at: number) => {
    await channels.put({ ...newChannelRecord(destinationId, NOON), dueAt: NOON + HOUR });
    await inbox.put(anInboxEntry(destinationId, anAlert({ at: formatInstant(at), id: 'a.1.1' })));
  };
  await waiting('acme#punks#desk', NOON - HOUR);
  await waiting('stack-exchange#punks#desk', NOON - HOUR);
  await waiting('stack-topic', NOON - MINUTE);

  expect(await readState(stack, undefined)).toMatchObject({
    table: {
      channels: {
        ...{ count: 3, since: formatInstant(NOON - HOUR) },
        operatorsSince: formatInstant(NOON - MINUTE),
      },
    },
    operations: { overdueSince: null },
  });
});

it('the status counts overdue changes', async () => {
  const { pending, rest } = aStack();
  const list = { tenant: 'acme', id: 'punks' };
  const note = { list, revision: 1, version: 1, createdAt: NOON - HOUR };
  await pending.make({
    ...note,
    target: { kind: 'apply' },
    dueAt: NOON - MINUTE,
  });
  await pending.make({ ...note, target: { kind: 'mutes' }, dueAt: NOON + MINUTE });

  expect(await rest()).toMatchObject({ pendingChanges: 1 });
});
