import * as z from 'zod';
import { usageRoutes } from '#functions/serve-api/watchlists/usage-routes.ts';
import { MomentText } from '#shared/http/answer-shapes.ts';
import { object } from '#shared/http/described.ts';
import { describeRoutes, json } from './operation.ts';

const Held = object('Held', 'The usage of a quota, with its limit.', {
  used: [z.int().min(0), 'The usage, including what a change under way may add.'],
  limit: [z.int().positive(), 'The limit.'],
});

const RequestUnits = object('RequestUnits', 'The limit on requests of an interface.', {
  unitsPerMinute: [z.int().positive(), 'The units per minute, which may all be used at once.'],
  left: [z.int().min(0), 'The units left, without those that functions have reserved.'],
  allAt: [MomentText, 'When all units are available again.'],
});

export const Usage = object('Usage', 'The usage of a tenant, with its limits.', {
  watchlists: [Held, 'Watchlists.'],
  contracts: [Held, 'Contracts in all lists together.'],
  watches: [Held, 'Watches in all lists together: rules times contracts.'],
  requests: [
    z.strictObject({ api: RequestUnits, nftData: RequestUnits }),
    'Requests of each interface.',
  ],
});

/** The usage of the tenant. */
export const usageOperations = describeRoutes(usageRoutes, {
  'GET /v1/usage': {
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Read the usage of the tenant, with its limits',
    description:
      'A change under way counts already. Units of requests come back evenly over a minute.',
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
