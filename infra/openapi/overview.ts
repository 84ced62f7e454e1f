import { Overview } from '#functions/serve-api/watchlists/answers/overview.ts';
import { overviewRoutes } from '#functions/serve-api/watchlists/overview-routes.ts';
import { PUNKS } from './examples.ts';
import { describeRoutes, json, pages } from './operation.ts';

const row = {
  contract: PUNKS,
  ...{ name: 'CryptoPunks', image: null, slug: 'cryptopunks', watchlists: ['punks'] },
  floor: { value: '61.25', unit: 'eth', usd: '185201.32', at: '2026-11-21T11:30:00.000Z' },
  changes: { '1h': '-0.4', '24h': '-2.15', '7d': null },
  sparkline: [
    ['2026-11-20T11:30:00.000Z', '62.6'],
    ['2026-11-21T11:30:00.000Z', '61.25'],
  ],
  nearest: {
    ...{ watchlist: 'punks', rule: 'floor-60', metric: 'floor_price', unit: 'eth' },
    ...{ line: '60', distance: '1.25', distancePct: '2.04', direction: 'falls' },
  },
  freshness: { state: 'fresh', code: 'ok', reason: null, since: '2026-11-20T09:00:00.000Z' },
  status: 'ok',
};

const overview = {
  counts: {
    ...{ firing: 0, error: 0, noData: 0, disputed: 0, pending: 0 },
    ...{ acknowledged: 0, waiting: 0, ok: 1, expired: 0, off: 0 },
  },
  checkedAt: '2026-11-21T12:01:00.000Z',
  contracts: [row],
  cursor: null,
  unreadable: [],
};

/** Documents the operation that summarizes the contracts of all lists. */
export const overviewOperations = describeRoutes(overviewRoutes, {
  'GET /v1/overview': {
    id: 'getOverview',
    tag: 'Watches',
    summary:
      'List the contracts of all watchlists with their floors, changes and nearest thresholds',
    description:
      'Send `If-None-Match` with repeated requests: while nothing has changed, the response is 304 without a body.',
    query: pages,
    answers: { 200: json('A page of contracts.', Overview, overview) },
    problems: ['unreadable'],
  },
});
