import {
  ContractPage,
  ContractRead,
  MetricCatalogue,
  StackHealth,
} from '#functions/serve-api/contracts/answers/contracts.ts';
import { Preview, Suggestions } from '#functions/serve-api/contracts/answers/preview.ts';
import { PreviewBody } from '#functions/serve-api/contracts/requests.ts';
import { contractRoutes } from '#functions/serve-api/contracts/routes.ts';
import { omit } from '#shared/domain/omit.ts';
import { FoundCollections, Prices, reportedPrice } from '#shared/http/answer-shapes.ts';
import { input } from '#shared/http/described.ts';
import { alert, forecast, PUNKS, reportedFloor } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS, pages, SEARCH_PROBLEMS } from './operation.ts';

input('PreviewInput', PreviewBody._zod.innerType, 'A rule to evaluate on past prices.', {
  rule: 'The rule, in the same form as in a list. A paused rule is evaluated too.',
  contracts:
    'At most five NFT contracts. Each is given by its address or by the name of its collection.',
  from: 'The start of the span (ISO 8601 with a time zone). Cannot be combined with `days`.',
  to: 'The end of the span (ISO 8601 with a time zone); now by default.',
  days: 'The length of the span in days; 30 by default if `from` is omitted.',
});

const watched = {
  contract: PUNKS,
  name: 'Punks',
  watchlists: ['punks'],
  collection: { name: 'CryptoPunks', slug: 'cryptopunks', image: null },
  cadenceMinutes: 30,
  pollAt: '2026-11-21T12:29:00.000Z',
  unsupportedBy: [],
  series: [
    {
      ...reportedFloor,
      ageMinutes: 31,
      health: {
        ...{ state: 'fresh', code: 'ok', reason: null, since: '2026-11-14T09:29:02.000Z' },
        ...{ noDataSince: null, retryAt: null },
        ...{ confirmedBy: 'coingecko', confirmedAt: '2026-11-21T12:00:00.000Z' },
      },
    },
  ],
};

const recorded = {
  ...{ time: '2026-11-21T11:30:00.000Z', price: '61.25', currency: 'eth', usd: '185201.32' },
  ...{ source: 'opensea', tradedAt: null, outlier: false },
};

export const prices = {
  contract: PUNKS,
  series: 'floor',
  points: [{ ...recorded, time: '2026-11-21T10:30:00.000Z', price: '61.5' }, recorded],
  ...{ thinned: false, gaps: [], disputes: [] },
};

const floorDrop = {
  ...{ id: 'floor_drop_pct', over: 'window', unit: 'percent', units: ['eth', 'usd'] },
  described: '`floor_drop_pct.<window>`: how far the floor has fallen, in percent.',
  metrics: [
    {
      ...{ metric: 'floor_drop_pct.24h', name: 'floor price drop in 24h', span: '24h' },
      series: ['floor'],
    },
  ],
  thresholds: { above: null, below: '100' },
  when: ['below', 'above', 'outside', 'inside', 'crosses'],
  ...{
    joins: true,
    takesIgnoreBelow: false,
    needsCost: false,
    subject: 'contract' as const,
    reported: true,
  },
};

const previewBody = {
  rule: { metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
  contracts: [{ contract: PUNKS, name: 'CryptoPunks' }],
  days: 30,
};

const fired = omit(alert, 'self', 'acknowledged', 'deliveries', 'operators');

const preview = {
  from: '2026-10-22T12:00:00.000Z',
  to: '2026-11-21T12:00:00.000Z',
  notes: [],
  contracts: [
    {
      contract: PUNKS,
      counts: { fired: 1, worsened: 0, reminder: 0, recovered: 0, closed: 0, stale: 0, fresh: 0 },
      notTested: null,
      pendingEnded: 0,
      until: '2026-11-21T12:00:00.000Z',
      alerts: [{ ...fired, watchlist: 'preview', rule: 'rule-1' }],
      messages: [
        {
          kind: 'telegram',
          message: { text: '<b>CryptoPunks below 60 ETH: 59.9 ETH</b>', parse_mode: 'HTML' },
        },
      ],
      ignored: [],
      history: [
        {
          ...{ series: 'floor', from: '2026-10-22T11:30:00.000Z', to: '2026-11-21T11:30:00.000Z' },
          ...{ points: 720, recorded: 241, backFilled: 480, typicalMinutes: 60 },
          ...{ gaps: 0, longestGap: null },
        },
      ],
      backFill: { pages: 8, trouble: null },
      forecast,
    },
  ],
};

/**
 * Documents the operations on watched contracts, previews of rules, and the health of the stack.
 */
export const contractOperations = describeRoutes(contractRoutes, {
  'GET /v1/contracts': {
    id: 'listWatchedContracts',
    tag: 'Contracts',
    summary: 'List the contracts on the watchlists of the tenant',
    query: pages,
    answers: {
      200: json('A page of contracts.', ContractPage, {
        contracts: [watched],
        cursor: null,
        unreadable: [],
      }),
    },
  },
  'GET /v1/contracts/{contract}': {
    id: 'getWatchedContract',
    tag: 'Contracts',
    summary: 'Read the last reported prices of a contract, and their health',
    description: 'Returns 404 if the contract is on none of your watchlists.',
    answers: { 200: json('The contract.', ContractRead, watched) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/contracts/{contract}/prices': {
    id: 'getContractPrices',
    tag: 'Contracts',
    summary: 'Read the recorded prices of a contract, downsampled for a chart',
    description:
      'Prices are kept for 35 days; the last price of each UTC day is kept permanently. If the span has more prices than `points`, some are omitted, but never the lowest or the highest price.',
    query: {
      series: reportedPrice.series[1],
      from: 'The start of the span (ISO 8601 with a time zone); the time of the first recorded price by default.',
      to: 'The end of the span (ISO 8601 with a time zone); now by default.',
      points: 'The maximum number of prices.',
    },
    answers: { 200: json('The prices.', Prices, prices) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/contracts/{contract}/picture': {
    id: 'getContractPicture',
    tag: 'Contracts',
    summary: "Read the picture of a contract's collection",
    description:
      'The picture is downloaded from the URL that the data provider reported (`image`), within three seconds and up to one megabyte. The supported formats are PNG, JPEG, GIF, WebP and AVIF, but not SVG. Returns 404 if the host does not return such an image.',
    answers: {
      200: {
        description: 'The image, unchanged.',
        type: 'image/*',
        headers: {
          'Cache-Control': 'The time for which the response may be cached.',
          'Content-Security-Policy':
            'Prevents the picture from running scripts and loading resources.',
          'X-Content-Type-Options': 'Prevents browsers from guessing another content type.',
        },
      },
    },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/collections': {
    id: 'searchCollections',
    tag: 'Contracts',
    summary: 'Find the contract of a collection by its name, slug or link',
    description:
      "Searches the data provider. The call counts against the tenant's daily share of provider calls. If the name is ambiguous, `candidates` lists the matches: repeat the request with the slug of one of them. Returns 501 if the provider does not support searches.",
    query: { query: 'The name of the collection, its slug, a link to it, or `<chain>:<address>`.' },
    answers: {
      200: json('The collection, or the candidates for an ambiguous name.', FoundCollections, {
        collection: {
          contract: 'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
          name: 'Bored Ape Yacht Club',
          slug: 'boredapeyachtclub',
          image: 'https://i2c.seadn.io/ethereum/bored-ape.png',
        },
        candidates: [],
      }),
    },
    problems: ['not_found', 'not_supported', ...SEARCH_PROBLEMS],
  },
  'GET /v1/metrics': {
    id: 'listMetrics',
    tag: 'Rules',
    summary: 'List the metrics that rules can use, with the units and conditions of each metric',
    answers: { 200: json('The metrics.', MetricCatalogue, { metrics: [floorDrop] }) },
  },
  'POST /v1/rules/preview': {
    id: 'previewRule',
    tag: 'Rules',
    summary:
      'Preview a rule on past prices of contracts, with the alerts and messages that it would have sent',
    description:
      'Evaluates the rule at each recorded price of the span, with the same code as live rules. The preview assumes that the rule was created at the start of the span, and that each price was reported without delay. Floors that were not recorded are requested from the data provider, in at most ten pages. For a contract on none of your lists, only these requested floors are evaluated. Nothing is stored.',
    bodies: { 'thirty days': previewBody },
    answers: { 200: json('The alerts that the rule would have sent.', Preview, preview) },
    problems: SEARCH_PROBLEMS,
  },
  'POST /v1/rules/suggestions': {
    id: 'suggestThresholds',
    tag: 'Rules',
    summary: 'Suggest thresholds with which a rule would have sent one to three alerts in the past',
    description:
      'Evaluates round thresholds in the same way as a preview. The first threshold is close to the lowest value of the span (the highest for `above`); each further threshold is closer to the last value. The search ends when a threshold would have sent more than three alerts. The `threshold` in the body is not tested; it only sets the distance to `recover`. Nothing is stored, and no rule is created.',
    bodies: { 'ninety days': { ...previewBody, days: 90 } },
    answers: {
      200: json('The thresholds, with their alerts.', Suggestions, {
        ...{ from: '2026-08-23T12:00:00.000Z', to: '2026-11-21T12:00:00.000Z' },
        contracts: [
          {
            ...{ contract: PUNKS, notTested: null },
            lines: [
              {
                threshold: '60',
                alerts: [{ ...fired, watchlist: 'preview', rule: 'rule-1' }],
              },
            ],
          },
        ],
      }),
    },
    problems: SEARCH_PROBLEMS,
  },
  'GET /v1/health': {
    id: 'getHealth',
    tag: 'Health',
    summary: 'Read the health of the stack',
    description:
      'Covers the stack as a whole; contracts, watches and channels report their own health. The response is cached for ten seconds.',
    answers: {
      200: json(
        'The stack is healthy.',
        StackHealth,
        { status: 'ok', dispatchedAt: '2026-11-21T12:01:00.000Z', notes: [] },
        { 'Cache-Control': 'The time for which the response may be cached.' },
      ),
    },
    problems: ['unhealthy'],
  },
});
