import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { composeServeApi } from '#functions/serve-api/compose.ts';
import type { ManageWatchlistsPorts } from '#functions/serve-api/watchlists/ports.ts';
import { manageWatchlists } from '#functions/serve-api/watchlists/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';
import { anOutside } from '#test/support/outside.ts';

type Given = Parameters<typeof anHttpRequest>[1];

/** Headers for a change at any revision. */
export const ANY = { headers: { 'If-Match': '*' } };

/** The cadence forecast of a stack before its first minute. */
export const AS_PROMISED = { minutes: 30, promisedMinutes: 30, contractsThatFit: null };

/**
 * The watchlist handlers with an in-memory table and queues. `reached` may return a wrapper of the
 * table, which the stores then use.
 */
export function world(
  given: Partial<ManageWatchlistsPorts> = {},
  reached: (table: Table) => Table = (table) => table,
) {
  const memory = createMemoryTable();
  const table = reached(memory);
  const sent: { readonly message: object; readonly deduplication: string }[] = [];
  const charged: (readonly [tenant: string, units: number])[] = [];
  const reports: unknown[] = [];
  const stores = {
    watchlists: createWatchlistStore(table),
    jobs: createJobStore(table),
    mutes: createMuteStore(table),
    contracts: createContractStore(table, () => NOON),
    collections: createCollectionStore(table),
    history: createHistoryStore(table),
    progress: createPollProgressStore(table),
    watches: createWatchStore(table),
    alerts: createAlertStore(table),
    channels: createChannelStore(table),
    addresses: createAddressStore(table),
    acknowledgements: createAcknowledgementStore(table),
    changes: createChangeStore(table),
    cadences: createCadenceStore(table),
    quotaUsage: createQuotaUsageStore(table),
    requests: createKeyedRequestStore(table),
  };
  let versions = 0;
  let numbers = 0;
  const ports: ManageWatchlistsPorts = {
    ...composeServeApi(anOutside({ table: () => table })).watchlists,
    newVersion: () => {
      versions += 1;
      return versions;
    },
    newNumber: () => {
      numbers += 1;
      return numbers;
    },
    charge: async (tenant, units) => void charged.push([tenant, units]),
    searchCollection: async () => ({ kind: 'unsupported', reason: 'retired' }),
    readWallet: async () => ({ kind: 'unsupported', reason: 'retired' }),
    sendToContracts: async (messages) => void sent.push(...messages),
    sendToLists: async (messages) => void sent.push(...messages),
    report: (...report) => void reports.push(report),
    // The clock of this world does not advance, so cached cadences would never expire.
    getCadences: stores.cadences.cadences,
    ...given,
  };
  const handler = documented(
    middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(answersProblems({ info: () => undefined, error: (...line) => void reports.push(line) }))
      .handler((event) => manageWatchlists(ports, event, new AbortController().signal)),
  );

  /**
   * Sends a request with a short path: `PUT punks/watches` means `/v1/watchlists/punks/watches`.
   */
  const ask = async (request: string, about: Given = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const [watchlist, ...rest] = path.split('/');
    const series = [...(path === '' ? [] : ['{watchlist}']), ...rest];
    const isWhole = path.startsWith('/');
    const route = isWhole ? request : `${method} /v1/${['watchlists', ...series].join('/')}`;
    const named: Record<string, string> = watchlist ? { watchlist } : {};
    const event = anHttpRequest(route, { path: named, ...about });
    const { statusCode: status, headers = {}, body } = await handler(event, {} as Context);
    const isJson = /json/.test(String(headers['Content-Type']));
    return { status, headers, body: isJson ? JSON.parse(body) : body || undefined };
  };
  return { ask, sent, charged, reports, ports, table: memory, ...stores };
}
