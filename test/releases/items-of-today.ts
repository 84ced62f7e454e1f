import { createMemoryTable } from '#infra/local/memory-table.ts';
import { keepChannels } from '#shared/channels/keep-channels.ts';
import { mutedWith } from '#shared/domain/channels/alert-record.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { newPostIntent } from '#shared/domain/channels/post-intent.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { changeId } from '#shared/domain/watchlists/change.ts';
import type { JobTarget } from '#shared/domain/watchlists/job.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createAnswerStore } from '#shared/stores/answer-store.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import type { ItemKind } from '#shared/stores/item-kinds.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createListTopicStore } from '#shared/stores/list-topic-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import type { Item } from '#shared/stores/table.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createSaleLog, createTradeArchive } from '#shared/stores/trade-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { aKey, aKeyRecord, putKey } from '#test/support/api-keys.ts';
import { aSale, aToken } from '#test/support/archive.ts';
import {
  aContractRecord,
  anAlert,
  anInboxEntry,
  answeredBy,
  aPrice,
  aRuleBody,
  aTrade,
  aWatch,
  aWatchlist,
  eth,
  floorReading,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { EXAMPLES } from '#test/support/channel-examples.ts';
import { puttingInto } from '#test/support/putting.ts';
import { ITEM_KINDS, KINDS } from './kinds.ts';

const LIST = { tenant: 'acme', id: 'punks' } as const;
const BY = { id: '1', name: 'the script' };
const DESK = channelDestinationId(LIST, 'desk');
const EPISODE = { rule: 'floor-60', contract: PUNKS, generation: 1, episode: 1 };
const ALERT = anAlert();
const ALERT_NAME = { at: ALERT.at, id: ALERT.id };
const OPENSEA = '0x00000000000000adc04c56bf30ac9d3c0aaf14dc';
const asText = async (text: string) => text;

type Write = (table: BulkTable) => Promise<unknown>;

/**
 * How today's code writes items of each kind. Together, the items of a kind have every possible
 * attribute. A new kind does not compile without an entry.
 */
const WRITES: Readonly<Record<ItemKind, Write>> = {
  contract: async (table) => {
    const store = createContractStore(table, () => NOON);
    const point = aPrice('60', { usd: eth('180000'), source: 'opensea', confirmedBy: 'coingecko' });
    await store.put({
      ...aContractRecord({ version: 0, tenants: ['acme'] }),
      held: [{ contract: PUNKS, amount: 2 }],
      series: {
        floor: {
          ...{ outcome: 'ok', since: NOON, answeredAt: NOON, retryAt: NOON, failures: 1 },
          ...{ confirmed: { by: 'coingecko', at: NOON }, disputedSince: NOON, timesAlone: 1 },
        },
        'lowest.7d': { outcome: 'failed', reason: 'it answered 500', noDataSince: NOON },
      },
      thresholdIndexes: [{ metric: 'floor_price', unit: 'eth', minSources: 2 }],
      sweep: { after: 'acme#punks#a', unseen: [{ metric: 'floor_price_usd', unit: 'usd' }] },
      past: { known: 1, requested: 2, since: NOON, next: { interval: '30d', cursor: 'c' } },
      timeline: {
        ...{ seq: 9, at: NOON, before: floorReading(point), beforeAt: NOON - HOUR },
        ...{ accepted: [aPrice('61')], suspect: aPrice('20') },
        ...{ late: [aPrice('60.5')], ahead: [aPrice('60.6')] },
        steps: [
          {
            ...{ seq: 8, at: NOON - HOUR, ...answeredBy(NOON) },
            points: {
              ...floorReading(aPrice('60')),
              'lowest.1d': aTrade('58', NOON - HOUR),
              'lowest.7d': { kind: 'empty', time: NOON },
            },
          },
          { seq: 9, at: NOON, ...answeredBy(NOON), points: {}, forTimers: true },
        ],
      },
      timers: { answer: NOON, window: NOON, clock: NOON, refreshRequested: NOON },
      unsupportedBy: { alchemy: NOON },
    });
  },
  collection: (table) =>
    createCollectionStore(table).put(PUNKS, {
      ...{ name: 'CryptoPunks', slug: 'cryptopunks', image: 'https://i.example.com/punks.png' },
    }),
  price: (table) =>
    createHistoryStore(table).record(PUNKS, 'floor', [
      aTrade('60', NOON, {
        ...{ usd: eth('180000'), source: 'opensea', observedAs: 'price', confirmedBy: 'coingecko' },
        marketplaces: [{ name: 'OpenSea', logo: 'https://i.example.com/opensea.png' }],
      }),
    ]),
  watch: async (table) => {
    const { put } = createWatchStore(table);
    await put(
      aWatch({
        ...{ version: 0, rule: 'all', state: 'firing', stateSince: NOON, firedAt: NOON },
        ...{ expiresAt: NOON + DAY, noValueSince: NOON, position: 'under', unmet: 0 },
        ...{
          recentSamples: [{ time: NOON, beyond: true }],
          lastReported: eth('59'),
          remindedAt: NOON,
          evaluatedSeq: 9,
        },
        ...{ countsFrom: NOON, editedAt: NOON, brokenSince: NOON },
        ...{ episode: 2, alerts: 3, notified: [DESK] },
        repeatPolicy: {
          ...{ repeat: 'every', reminder: HOUR, steps: eth('1'), hasNoDataWatches: true },
        },
        ruleCondition: {
          ...{ recover: eth('62'), arm: 'cross', takesOutliers: true, for: HOUR, keepFor: HOUR },
          ...{ confirm: { times: 2, of: 3 }, ignoreBelow: 'hundredth', minSources: 2 },
          also: [
            {
              ...{ metric: 'floor_price_usd', unit: 'usd', ignoreBelow: eth('1') },
              condition: { when: 'above', threshold: eth('1') },
            },
            {
              ...{ metric: 'gain', unit: 'eth', holding: { cost: eth('12.5'), amount: 3n } },
              condition: { when: 'above', threshold: eth('1') },
            },
          ],
        },
        presentation: { label: 'Low', name: 'Punks', notify: ['desk'] },
      }),
    );
    const lines: readonly Parameters<typeof aWatch>[0][] = [
      { rule: 'band', ruleCondition: { when: 'outside', low: eth('1'), high: eth('2') } },
      { rule: 'line', ruleCondition: { when: 'crosses', threshold: eth('1') } },
    ];
    for (const line of lines) await put(aWatch({ version: 0, ...line }));
  },
  watchlist: async (table) => {
    const { put } = createWatchlistStore(table);
    const quiet = [{ from: '22:00', to: '07:00', days: ['mon' as const] }];
    const written = Object.values(EXAMPLES).map(({ isForPeople, written: one }, index) => ({
      ...one,
      ...{ id: `channel-${index}`, ...(isForPeople ? { quiet } : {}) },
    }));
    const channels = await keepChannels(written, undefined, {
      seal: async (channel) => `sealed for ${channel}`,
      webhooks: { destinations: 'public', ports: [443] },
    });
    const some = { count: 1, names: ['Punks'] };
    await put({
      ...aWatchlist({
        ...{ channels, timeZone: 'Europe/Zurich', report: { every: 'mon', at: '08:00' } },
        quiet: [{ from: '22:00', to: '07:00', severity: 'info', timeZone: 'UTC' }],
        contracts: [{ contract: PUNKS, name: 'Punks', amount: 2, cost: { price: '12.5' } }],
        rules: [
          aRuleBody({ severity: 'critical', label: 'Low', for: '10m', repeat: { reminder: '2h' } }),
          aRuleBody({ id: 'gone', noData: { alert: '2h' }, expiresAt: '2027-01-01T00:00:00Z' }),
        ],
      }),
      ...{ change: 'a', contactPoints: ['desk'], notify: { critical: ['channel-0'] } },
      escalate: { after: '15m', to: ['channel-1'] },
      value: { contract: PUNKS, joined: 1 },
      wallet: {
        ...{ address: `0x${'d8'.repeat(20)}`, isPending: true, leftOut: 1 },
        last: { revision: 1, at: NOON, joined: some, left: some },
      },
    });
    await put({ ...aWatchlist({ id: 'deleted' }), deleted: true, deletedAt: NOON, members: [] });
  },
  acknowledgement: (table) =>
    puttingInto(table).acknowledgement({
      ...{ ...EPISODE, tenant: LIST.tenant, list: LIST.id, at: NOON, by: BY },
      ...{ silences: 'worsening', note: 'seen' },
    }),
  mutes: (table) =>
    puttingInto(table).mutes({
      ...{ list: LIST, version: 1 },
      mutes: [
        {
          ...{ id: 'm', by: BY, from: NOON, until: NOON + HOUR, rule: 'floor-60' },
          ...{ contract: PUNKS, severity: 'warning', reason: 'asleep' },
        },
        {
          ...{ id: 'n', by: BY, from: NOON, until: NOON + HOUR, rule: 'floor-60' },
          ...{ contract: PUNKS, severity: 'warning', reason: 'asleep' },
          episodes: [{ watch: 'floor-60', name: 'w.1.episode-1' }],
        },
      ],
    }),
  askedAddress: (table) =>
    createAddressStore(table).put({
      ...{ tenant: 'acme', address: 'desk@example.com', version: 0 },
      ...{ notBefore: NOON, isConfirmed: true },
    }),
  listTopics: (table) =>
    createListTopicStore(table).put({
      ...{ list: LIST, version: 0 },
      endpoints: [{ protocol: 'email', endpoint: 'desk@example.com' }],
    }),
  change: (table) =>
    createChangeStore(table).put({
      ...{ tenant: 'acme', watchlist: 'punks', id: changeId(NOON, 1), at: NOON, by: BY },
      ...{ kind: 'watchlist_changed', revision: 2, subject: 'desk' },
      edit: {
        ...{ name: 'Punks', wallet: { address: null, leftOut: 0 } },
        contracts: { added: [PUNKS], changed: [], removed: [] },
        rules: { added: ['a'], changed: ['b'], removed: ['c'] },
        channels: { added: [], changed: [], removed: [] },
      },
    }),
  changedDocument: (table) =>
    puttingInto(table).document({
      ...{ tenant: 'acme', id: changeId(NOON, 2), at: NOON, previous: changeId(NOON, 1) },
      document: { name: 'Punks', contracts: [PUNKS], rules: [], channels: [] },
    }),
  quotaUsage: (table) =>
    puttingInto(table).quotaUsage({
      ...{ tenant: 'acme', version: 0 },
      lists: [{ list: 'punks', contracts: 1, watches: 1, contactPoints: ['desk'] }],
    }),
  channel: async (table) => {
    const { put } = createChannelStore(table);
    await put({
      ...{ version: 0, destinationId: DESK, since: NOON, configuration: 'a', dueAt: NOON },
      ...{ recent: [NOON], recentOfLists: { 'acme#punks': { '1': NOON } }, notBefore: NOON },
      notification: {
        ...{ id: 'n', entries: ['-a'], outcome: { state: 'failed', at: NOON, reason: 'gone' } },
        outcomes: { '-a': { state: 'sent', at: NOON } },
      },
      failure: {
        ...{ count: 1, reason: 'it answered 500', since: NOON },
        givingUp: { since: NOON, announced: true },
      },
      ...{
        lastSuccessAt: NOON,
        provenAt: NOON,
        isSlow: true,
        requestsAtOnce: 4,
        recentUrgent: [NOON],
        mutedUntil: NOON,
      },
      off: { reason: 'it came back', since: NOON, announced: false },
      undelivered: { reason: 'a policy', since: NOON, lastAt: NOON, announced: true },
      subscription: { state: 'confirmed-unprotected', since: NOON },
      shown: {
        e: {
          ...{ message: '1', news: 'n', acknowledged: 'Ada' },
          heldBack: { counts: { fired: 1 }, alerts: [ALERT_NAME] },
        },
      },
    });
    await put({
      ...{ version: 0, destinationId: 'stack-topic', since: NOON, configuration: '', recent: [] },
    });
  },
  inboxEntry: async (table) => {
    const { put } = createInboxStore(table);
    const entry = anInboxEntry(DESK, ALERT, { episode: 'a.1.episode-1' });
    await put(entry);
    await put({ ...entry, held: { for: 'quiet', until: NOON + HOUR } });
    await put({ ...entry, heldBack: { counts: { fired: 1 }, alerts: [ALERT_NAME] } });
  },
  mutedEntry: async (table) => {
    const { mute } = createInboxStore(table);
    const entry = anInboxEntry(DESK, ALERT, { episode: 'a.1.episode-1' });
    const { muted } = mutedWith(undefined, [entry], NOON + HOUR);
    await mute(newChannelRecord(DESK, NOON), [], [muted], []);
  },
  postIntent: (table) => createPostIntentStore(table).put(newPostIntent('1', 1, [DESK], NOON)),
  applied: (table) =>
    createJobStore(table).noteApplied(LIST, { contract: PUNKS, revision: 1, at: NOON }),
  job: async (table) => {
    const targets: readonly JobTarget[] = [
      ...[{ kind: 'apply' } as const, { kind: 'topic' } as const],
      ...[{ kind: 'mutes' } as const, { kind: 'wallet' } as const, { kind: 'report' } as const],
      { kind: 'expiry', rule: 'floor-60', end: NOON },
      { kind: 'acknowledgement', ...EPISODE },
      { kind: 'escalation', ...EPISODE },
    ];
    await puttingInto(table).jobs(
      ...targets.map((target) => ({
        ...{ list: LIST, target, revision: 1, createdAt: NOON, dueAt: NOON, version: 1 },
        ...{ informedOf: 1, doubtedSince: NOON, escalatedAt: NOON, contracts: [PUNKS] },
        alert: { at: ALERT.at, id: ALERT.id },
      })),
    );
  },
  alert: (table) =>
    createAlertStore(table).post({
      ...{ alert: ALERT, postedAt: NOON, seenAt: NOON, destinations: [DESK, 'stack-topic'] },
    }),
  outcome: (table) =>
    createAlertStore(table).putOutcome(ALERT, 'stack-topic', {
      ...{ state: 'failed', at: NOON, reason: 'gone', heldUntil: NOON },
    }),
  tenantKeys: (table) => putKey(createApiKeyStore(table), aKeyRecord(aKey(2))),
  apiKey: (table) =>
    putKey(
      createApiKeyStore(table),
      aKeyRecord(aKey(1), {
        ...{ expiresAt: NOON + DAY, revokedAt: NOON, scopes: ['read', 'admin'] },
        signedInFrom: aKeyRecord(aKey(2)).hash,
        signIn: { hash: aKeyRecord(aKey(3)).hash, expiresAt: NOON },
      }),
    ),
  answer: async (table) => {
    const { put } = createAnswerStore(table, { pack: asText, unpack: asText });
    const refused = { at: NOON, refusal: { kind: 'not_found' } } as const;
    const good = { at: NOON, reported: { kind: 'ok', body: '{}' } } as const;
    await put('a', { version: 0, askedUntil: NOON, good, refused });
    await put('b', { version: 0, isTooLarge: true });
    await put('c', { version: 0, good: { at: NOON, reported: { kind: 'empty' } } });
  },
  keyedRequest: (table) =>
    createKeyedRequestStore(table).put({
      ...{ tenant: 'acme', hash: 'h', version: 0, fingerprint: 'f', at: NOON },
      answer: { status: 201, headers: { ETag: '"1"' }, body: '{}' },
    }),
  usage: (table) =>
    createUsageStore(table, 'api').put('acme', { version: 0, usedUntil: NOON + 0.5 }),
  ...allOf(['token', 'traitCount', 'importRegister', 'posting'], async (table) => {
    const archive = createTokenArchive(table);
    await archive.putTokens(
      [
        aToken(1, [
          ['Fur', 'Gold'],
          ['Eyes', '3d'],
        ]),
      ],
      'a file',
    );
    await archive.settleCounts(new Set([PUNKS]), 'a file');
    const reported = { media: { status: 'success' } };
    await archive.putTokens([aToken(2, [['Fur', 'Gold']], reported)], 'another');
  }),
  ...allOf(['trade', 'lowsOfDay'], (table) =>
    createTradeArchive(table).putTrades([
      aSale(7, NOON),
      aSale(8, NOON + HOUR, { order: 1, marketplace_address: OPENSEA }),
    ]),
  ),
  saleSpan: (table) =>
    createSaleLog(table, 'opensea').keep(PUNKS, [], { since: NOON - DAY, until: NOON }),
  import: (table) => createImportStore(table).note('digest', 7, NOON),
  rateLimiter: (table) => {
    const breaker = { reason: 'denied', openedAt: NOON, probeAt: NOON + HOUR, probes: 1 };
    const perUser = { polling: 1, interface: 2 };
    return createRateLimiterStore(table, 'opensea').put({
      ...newRateLimiterRecord(),
      ...{ blockedUntil: NOON, slowed: { callsPerSecond: 0.5, at: NOON } },
      spent: {
        ...{ day: '2026-11-21', inDay: perUser, inMonth: perUser },
        ...{ hour: '2026-11-21T12', inHour: perUser },
      },
      breakers: { polling: breaker, 'interface:floor': breaker },
      retired: { floor: NOON },
    });
  },
  cadences: (table) =>
    createCadenceStore(table).noteCadences({
      stretched: {
        acme: { minutes: 7.5, fourTimesFrom: 'a', twiceFrom: 'b', halfBefore: 'c' },
      },
      ...{ capacity: 20, contracts: { acme: 1.5 } },
    }),
  dueCursors: (table) =>
    createDueStore(table).noteCursors({
      'DUE#0': { pk: 'JOBS#acme#punks', sk: 'topic', dueAt: NOON },
    }),
  pollProgress: (table) =>
    createPollProgressStore(table).put({
      ...{ version: 0, tickedAt: NOON, polledUntil: NOON / 60_000, again: [PUNKS] },
      ...{ claim: { until: NOON / 60_000, expiresAt: NOON }, fallback: 'alchemy' },
      spending: {
        day: '2026-11-21',
        ...{ inDay: new Map([['acme', 1.5]]), inMonth: new Map([['acme', 2]]) },
      },
    }),
};

/** Kinds that are written together. */
function allOf<Kind extends ItemKind>(kinds: readonly Kind[], write: Write): Record<Kind, Write> {
  return Object.fromEntries(kinds.map((kind) => [kind, write])) as Record<Kind, Write>;
}

export type ItemsByKind = Readonly<Partial<Record<ItemKind, readonly Item[]>>>;

/** Items of each kind, written by today's code. */
export async function itemsOfToday(): Promise<ItemsByKind> {
  const written = ITEM_KINDS.map(async (kind) => {
    const table = createMemoryTable();
    await WRITES[kind](table);
    const items = table.items().filter(({ pk, sk }) => KINDS[kind].key.test(`${pk} ${sk}`));
    return [kind, items] as const;
  });
  return Object.fromEntries(await Promise.all(written));
}
