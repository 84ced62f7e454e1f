import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { composeActOnAlert } from '#functions/act-on-alert/compose.ts';
import { actOnAlert } from '#functions/act-on-alert/routes.ts';
import { type DrawChartPorts, drawChart } from '#functions/draw-chart/routes.ts';
import type { ManageChannelsPorts } from '#functions/manage-channels/ports.ts';
import { channelRoutes, manageChannels } from '#functions/manage-channels/routes.ts';
import { composeManageKeys } from '#functions/manage-keys/compose.ts';
import { manageKeys } from '#functions/manage-keys/routes.ts';
import { readContracts } from '#functions/serve-api/contracts/routes.ts';
import { reportOperations } from '#functions/serve-api/operations/routes.ts';
import { manageWatchlists } from '#functions/serve-api/watchlists/routes.ts';
import { type ServeNftDataPorts, serveNftData } from '#functions/serve-nft-data/routes.ts';
import { servePages } from '#functions/serve-pages/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { OPERATIONS } from '#infra/openapi/document.ts';
import type { Operation } from '#infra/openapi/operation.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { world as contractsWorld } from '#test/functions/serve-api/contracts/world.ts';
import { world as operationsWorld } from '#test/functions/serve-api/operations/world.ts';
import { world } from '#test/functions/serve-api/watchlists/world.ts';
import { anHttpRequest, aWatchlist, NOON, PUNKS } from '#test/support/builders.ts';
import { anOutside } from '#test/support/outside.ts';

/** The ports of a world with one list. Requests may change this world. */
async function aWorld() {
  const { ports, watchlists } = world();
  await watchlists.put(aWatchlist());
  return ports;
}

const nftPorts: ServeNftDataPorts = {
  now: () => NOON,
  recall: async () => undefined,
  asksUpstream: () => true,
  ask: async () => ({ kind: 'not_ready' }),
  takeCall: async () => undefined,
  countRequest: async () => undefined,
};
const chartPorts: DrawChartPorts = {
  now: () => NOON,
  readKey: async () => 'the key of links',
  recordedBetween: async () => [],
  render: async () => Buffer.alloc(0),
};
const table = createMemoryTable();
const outside = anOutside({ table: () => table });
const { ports: actionPorts } = composeActOnAlert(outside);
const { ports: keyPorts } = composeManageKeys(outside);
const file = { type: 'text/plain', etag: '"1"', caching: 'no-cache', text: () => 'file' };
const files = new Map(
  ['openapi.json', 'docs', 'docs/f', 'app', 'app/f'].map((path) => [path, file]),
);
const site = { files };

const lists = async (event: APIGatewayProxyEvent) =>
  await manageWatchlists(await aWorld(), event, new AbortController().signal);

const FUNCTIONS: Readonly<Record<Operation['tag'], (event: APIGatewayProxyEvent) => unknown>> = {
  Watchlists: lists,
  Watches: lists,
  Alerts: lists,
  Actions: (event) => actOnAlert(actionPorts, event),
  Charts: (event) => drawChart(chartPorts, event),
  Mutes: lists,
  Changes: lists,
  Usage: lists,
  Channels: async (event) =>
    `${event.httpMethod} ${event.resource}` in channelRoutes
      ? await manageChannels((await aWorld()) as unknown as ManageChannelsPorts, event)
      : await lists(event),
  Keys: (event) => manageKeys(keyPorts, event),
  Operations: (event) => reportOperations(operationsWorld().ports, event),
  Rules: (event) => readContractsOf(event),
  Contracts: (event) => readContractsOf(event),
  Health: (event) => readContractsOf(event),
  'NFT data': (event) => serveNftData(nftPorts, event, AbortSignal.timeout(60_000)),
  Interface: (event) => servePages(site, event),
};

const readContractsOf = (event: APIGatewayProxyEvent) => {
  const { ports, checkHealth } = contractsWorld();
  return readContracts({ ports, checkHealth }, event, AbortSignal.timeout(60_000));
};

const path = {
  ...{ watchlist: 'punks', contract: PUNKS, rule: 'floor-60', alert: 'a~b', mute: 'm' },
  ...{ channel: 'desk', key: '0123456789', address: PUNKS.slice('eth:'.length), file: 'f' },
};

/** The query parameters that a route rejects as unknown. */
async function unknownOf(route: string, query: Readonly<Record<string, string>>) {
  const { tag } = OPERATIONS[route] ?? {};
  try {
    const event = anHttpRequest(route, { path, query, body: {}, scopes: 'admin operate' });
    await (tag && FUNCTIONS[tag](event));
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.issues
      .filter(({ detail }) => detail.startsWith('unknown member'))
      .map(({ pointer }) => pointer);
  }
}

describe.each(Object.entries(OPERATIONS))('the parameters of %s', (route, { parameters = [] }) => {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const given = Object.fromEntries(known.map(({ name }) => [name, '1']));

  it('a route accepts the parameters in its document', async () => {
    expect(await unknownOf(route, given)).toEqual([]);
  });

  it('a route rejects a parameter that is not in its document', async () => {
    expect(await unknownOf(route, { ...given, nonsense: 'true' })).toEqual(['?nonsense']);
  });
});

const guarded = Object.entries(OPERATIONS).filter(([, { access }]) => access !== 'public');
const SCOPES = ['view', 'read', 'write', 'admin', 'operate'];
/** The routes that a wall display needs. */
const VIEWS = [
  ...['overview', 'watches', 'alerts', 'episodes', 'metrics', 'contracts'],
  ...['contracts/{contract}', 'contracts/{contract}/prices', 'contracts/{contract}/picture', 'key'],
].map((path) => `GET /v1/${path}`);
/**
 * A sign-in does not need `admin`, because the new key has the scopes of its creator. A key with
 * only `view`, such as that of a wall display, cannot create one.
 */
const READ_OF_KEYS = ['POST /v1/sign-ins'];
/** These POST requests change nothing. */
const READ_BY_POST = [
  'POST /v1/rules/preview',
  'POST /v1/rules/suggestions',
  'POST /api/v2.2/nft/{address}/nfts-by-traits',
];

/** The scope that an operation needs, derived from its route and tag. */
function scopeOf(route: string, tag: Operation['tag']): string {
  if (VIEWS.includes(route)) return 'view';
  if (READ_OF_KEYS.includes(route)) return 'read';
  if (tag === 'Keys') return 'admin';
  if (tag === 'Operations') return 'operate';
  return route.startsWith('GET ') || READ_BY_POST.includes(route) ? 'read' : 'write';
}

describe.each(guarded)('the scope of %s', (route, { tag, access }) => {
  const scope = scopeOf(route, tag);
  const opens = (other: string) =>
    other === scope ||
    (scope === 'view' && other === 'read') ||
    (scope !== 'operate' && other === 'admin');
  const isForbidden = async (scopes: string) => {
    try {
      await FUNCTIONS[tag](anHttpRequest(route, { path, body: {}, scopes }));
      return false;
    } catch (error) {
      return error instanceof ProblemError && error.code === 'forbidden';
    }
  };

  it(`a route needs the documented scope "${scope}"; "admin" includes every scope except "operate"`, async () => {
    expect(access).toBe(scope);
    for (const other of SCOPES)
      expect([other, await isForbidden(other)]).toEqual([other, !opens(other)]);
    expect(await isForbidden(SCOPES.filter((other) => !opens(other)).join(' '))).toBe(true);
  });
});
