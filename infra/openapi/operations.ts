import { Operations } from '#functions/serve-api/operations/answers.ts';
import { operationsRoutes } from '#functions/serve-api/operations/routes.ts';
import { describeRoutes, json } from './operation.ts';

const budget = { span: 'day', limit: 12_960, used: 4210, leftForPolls: 6158, runsOutAt: null };

const provider = {
  ...{ provider: 'opensea', status: 'asked', callsPerSecond: 2, mostCallsPerSecond: 2 },
  ...{ blockedUntil: null, keyEndsAt: '2026-11-28T12:00:00.000Z', denials: [], budgets: [budget] },
};

const depth = { waiting: 0, underWay: 1, deadLetters: 0 };

/** Documents the operation with which operators read the state of the stack. */
export const operationsOperations = describeRoutes(operationsRoutes, {
  'GET /v1/operations': {
    id: 'getOperations',
    tag: 'Operations',
    summary: 'Read the state of the stack: ticks, providers and their budgets, queues, tenants',
    description:
      'For the operators of the stack: requires a key with the scope `operate`, and covers all tenants. `GET /v1/usage` returns the usage of one tenant.',
    answers: {
      200: json('The state of the stack.', Operations, {
        at: '2026-11-21T12:01:30.000Z',
        tick: {
          ...{ at: '2026-11-21T12:01:00.000Z', isLate: false, fallback: null, missed: 0 },
          polledUntil: '2026-11-21T12:01:00.000Z',
        },
        providers: [provider],
        cadence: {
          ...{ configuredMinutes: 1, longestMinutes: 1, isFarStretched: false },
          contractsThatFit: 7,
        },
        queues: [
          { queue: 'contracts', ...depth },
          { queue: 'lists', ...depth },
          { queue: 'channels', ...depth },
        ],
        overdueSince: null,
        tenants: [
          {
            ...{ tenant: 'acme', contracts: 7, cadenceMinutes: 1 },
            ...{ unitsInDay: 4100, unitsInMonth: 92_000 },
          },
        ],
      }),
    },
  },
});
