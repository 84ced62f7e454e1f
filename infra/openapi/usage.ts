import { Usage } from '#functions/serve-api/watchlists/answers/usage.ts';
import { usageRoutes } from '#functions/serve-api/watchlists/usage-routes.ts';
import { describeRoutes, json } from './operation.ts';

/** Documents the operation that returns the tenant's usage. */
export const usageOperations = describeRoutes(usageRoutes, {
  'GET /v1/usage': {
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Read the usage and the limits of the tenant',
    description:
      'The numbers include changes in progress. Request units refill evenly over a minute.',
    answers: {
      200: json('The usage.', Usage, {
        watchlists: { used: 2, limit: 100 },
        contracts: { used: 12, limit: 5000 },
        watches: { used: 36, limit: 100_000 },
        requests: {
          api: { unitsPerMinute: 1200, left: 1189, allAt: '2026-11-21T12:01:01.000Z' },
          nftData: { unitsPerMinute: 600, left: 600, allAt: '2026-11-21T12:01:00.000Z' },
        },
      }),
    },
    problems: ['unreadable'],
  },
});
