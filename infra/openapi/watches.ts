import {
  AnyWatchPage,
  Explanation,
  WatchPage,
  WatchReading,
} from '#functions/serve-api/watchlists/answers/watches.ts';
import { watchRoutes } from '#functions/serve-api/watchlists/watch-routes.ts';
import { forecast, PUNKS, reportedFloor } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS, pages } from './operation.ts';

const watch = {
  rule: 'floor-60',
  noData: false,
  contract: PUNKS,
  name: 'CryptoPunks',
  label: null,
  metric: 'floor_price',
  when: 'below',
  threshold: '60',
  recover: '70',
  low: null,
  high: null,
  unit: 'eth',
  value: '61.25',
  all: null,
  severity: 'warning',
  admin: 'enabled',
  mutedUntil: null,
  mutedUntilRecovered: false,
  state: 'ok',
  stateSince: '2026-11-21T11:30:00.000Z',
  episode: 0,
  acknowledged: null,
  generation: 1,
  waitsFor: { metric: 'floor_price', falling: '60', rising: null },
  dataTime: '2026-11-21T11:30:00.000Z',
  health: { state: 'fresh', code: 'ok', reason: null, since: '2026-11-20T09:00:00.000Z' },
};

const explanation = {
  ...watch,
  why: 'Floor price 61.25 ETH is above the threshold of 60 ETH.',
  forecast,
  waitsForInWords: 'at or below 60 ETH',
  reported: [reportedFloor],
  nextEvaluation: { pollAt: '2026-11-21T12:29:00.000Z', cadenceMinutes: 30, wakeAt: null },
};

/** Documents the operations on the watches of a list, or of all lists. */
export const watchOperations = describeRoutes(watchRoutes, {
  'GET /v1/watches': {
    id: 'listAllWatches',
    tag: 'Watches',
    summary:
      'List the watches of all watchlists of the tenant, with the distances from their thresholds',
    query: {
      limit: pages.limit,
      cursor:
        'The `cursor` of the previous page, with the same filters; omit it for the first page.',
      sort: '`contract` sorts by contract, in pages. `distance` sorts by the distance between the value and `line`, on either side of the line, nearest first. With `distance` the response is a single page of at most `limit` watches; if more than 500 contracts match, select fewer with `watchlist` or `contract`.',
      state: 'Only watches with one of these values of `status`, separated by commas.',
      watchlist: 'Only watches of the lists with these ids, separated by commas.',
      contract: 'Only watches on these NFT contracts, separated by commas.',
    },
    answers: {
      200: json('A page of watches.', AnyWatchPage, {
        watches: [
          {
            watchlist: 'punks',
            ...watch,
            ...{ status: 'ok', line: '60', distance: '1.25', distancePct: '2.04' },
            ...{
              direction: 'falls',
              why: 'Floor price 61.25 ETH is above the threshold of 60 ETH.',
            },
          },
        ],
        ...{ cursor: null, stoppedShort: false, unreadable: [] },
      }),
    },
    problems: ['unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/watches': {
    id: 'listWatches',
    tag: 'Watches',
    summary: 'List the watches of a watchlist: every rule on every contract, and its state',
    query: { cursor: pages.cursor },
    answers: {
      200: json('A page of watches.', WatchPage, {
        watches: [watch],
        cursor: null,
        unreadable: [],
      }),
    },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}': {
    id: 'getWatch',
    tag: 'Watches',
    summary: 'Read one watch: a rule on a contract, and its state',
    answers: { 200: json('The watch.', WatchReading, watch) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain': {
    id: 'explainWatch',
    tag: 'Watches',
    summary: 'Explain one watch: its data, the values at which it reacts, and why it does not fire',
    answers: { 200: json('The watch.', Explanation, explanation) },
    problems: LOOKUP_PROBLEMS,
  },
});
