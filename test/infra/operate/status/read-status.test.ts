import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { readStackStatus } from '#infra/operate/status/read-status.ts';
import { findUnreadableLists } from '#infra/operate/status/unreadable-lists.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
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

/** A stack's table in the hands of a test, and how the stack does by it. */
function aStack() {
  const table = createMemoryTable();
  const stores = {
    contracts: createContractStore(table, () => NOON),
    governor: createGovernorStore(table, 'nft-data'),
    cadences: createCadenceStore(table),
    progress: createPollProgressStore(table),
    watches: createWatchStore(table),
    pending: createJobStore(table),
    channels: createChannelStore(table),
    inbox: createInboxStore(table),
  };
  const { contracts, cadences, progress, inbox } = stores;
  const status = () =>
    readStackStatus({
      now: NOON,
      promised: {
        provider: 'nft-data',
        others: ['coingecko'],
        budgetPerDay: 200,
        budgetPerMonth: 1000,
        cadenceMinutes: 15,
        keyEndsAt: undefined,
      },
      getProgress: progress.get,
      getGovernor: (provider) => createGovernorStore(table, provider).get(),
      getCadences: cadences.cadences,
      allContracts: contracts.all,
      dueTimers: createDueStore(table).due,
      oldestInInbox: inbox.oldest,
      getEmails: async () => undefined,
      getOperators: async () => undefined,
      unreadableLists: () => findUnreadableLists(table),
      lastReturn: async () => ({ lastAt: NOON - HOUR }),
      deadLetters: async () => [
        { name: 'Lists', waiting: 2 },
        { name: 'Channels', waiting: 0 },
      ],
    });
  return { table, ...stores, status };
}

it('reports a stack that has done nothing yet', async () => {
  expect(await aStack().status()).toMatchObject({
    tickedAt: undefined,
    data: { watched: 0, freshest: undefined, oldestContract: undefined, silentContracts: [] },
    channels: { count: 0 },
    changes: 0,
    overdueSince: undefined,
  });
});

it('reports the last tick, the cadence, the budgets and each denial', async () => {
  const { progress, governor, cadences, table, status } = aStack();
  await progress.put({ version: 0, tickedAt: NOON - MINUTE, polledUntil: 1, again: [] });
  await cadences.noteCadences({
    ...NO_CADENCES,
    stretched: { acme: { minutes: 60 }, umbrella: { minutes: 30 } },
  });
  const other = createGovernorStore(table, 'coingecko');
  await other.put({ ...newGovernorRecord(), blockedUntil: NOON + HOUR });
  await governor.put({
    ...newGovernorRecord(),
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

  expect(await status()).toMatchObject({
    tickedAt: NOON - MINUTE,
    upstream: {
      providers: [
        {
          provider: 'nft-data',
          denials: [
            { user: 'polling', operation: undefined, reason: 'key', since: NOON - HOUR },
            { user: 'interface', operation: 'traits', reason: 'plan', since: NOON - MINUTE },
          ],
        },
        { provider: 'coingecko', denials: [], blockedUntil: NOON + HOUR },
      ],
      budgetUsed: { inDay: 50, inMonth: 10 },
      ...{ cadenceMinutes: 60, promisedCadenceMinutes: 15 },
    },
  });
});

it('names the contract with the oldest floor, silent contracts, and records skipped within a day', async () => {
  const { contracts, table, status } = aStack();
  const old = anAnsweredRecord('floor', aPrice('60', { time: NOON - 9 * HOUR }));
  await contracts.put({ ...old, version: 0 });
  const silent = { outcome: 'not_found' as const, silentSince: NOON - 2 * HOUR };
  const noted = { at: NOON - 23 * HOUR, records: { no_price: 2 } };
  const longAgo = { ...noted, at: NOON - 24 * HOUR };
  const parts = { floor: { ...silent, skipped: longAgo }, 'lowest.7d': { skipped: noted } };
  await contracts.put(aContractRecord({ contract: APES, version: 0, parts }));
  await table.put({ pk: 'CONTRACTS#0', sk: 'nonsense' });

  const { data, unreadable } = await status();

  expect(data).toEqual({
    freshest: NOON - 9 * HOUR,
    oldest: NOON - 9 * HOUR,
    watched: 2,
    silent: 1,
    oldestContract: PUNKS,
    silentContracts: [{ contract: APES, why: 'floor: the provider does not know this contract' }],
    skipped: [{ contract: APES, part: 'lowest.7d', records: { no_price: 2 } }],
  });
  expect(unreadable).toEqual(['nonsense']);
});

it('counts lists that another version has written', async () => {
  const { table, status } = aStack();
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

  expect((await status()).unreadable).toEqual([
    'watchlist acme/punks (unexpected value of "members.0.contract", unexpected value of "members.0.joined")',
  ]);
});

it('reports alerts that channels have not got, and those of the operators apart from a tenant with a name like theirs', async () => {
  const { channels, inbox, status } = aStack();
  const waiting = async (destinationId: DestinationId, at: number) => {
    await channels.put({ ...newChannelRecord(destinationId, NOON), dueAt: NOON + HOUR });
    await inbox.put(anInboxEntry(destinationId, anAlert({ at: formatInstant(at), id: 'a.1.1' })));
  };
  await waiting('acme#punks#desk', NOON - HOUR);
  await waiting('stack-exchange#punks#desk', NOON - HOUR);
  await waiting('stack-topic', NOON - MINUTE);

  expect(await status()).toMatchObject({
    channels: { count: 3, since: NOON - HOUR, operatorsSince: NOON - MINUTE },
    overdueSince: undefined,
  });
});

it('reports changes that are not in effect, and of what was given up', async () => {
  const { pending, status } = aStack();
  const list = { tenant: 'acme', id: 'punks' };
  const note = { list, revision: 1, version: 1, createdAt: NOON - HOUR };
  await pending.make({
    ...note,
    target: { kind: 'apply' },
    dueAt: NOON - MINUTE,
  });
  await pending.make({ ...note, target: { kind: 'mutes' }, dueAt: NOON + MINUTE });

  expect(await status()).toMatchObject({
    changes: 1,
    deadLetters: [{ name: 'Lists', waiting: 2 }],
  });
});
