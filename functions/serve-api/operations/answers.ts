import * as z from 'zod';
import { Provider } from '#shared/domain/market/provider.ts';
import { ProviderStatus } from '#shared/domain/polling/provider-status.ts';
import { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

const count = z.int().min(0);

const Tick = object('Tick', 'The last tick. A tick starts the work of one minute.', {
  at: [MomentText.nullable(), `The time of the tick: ${MOMENT}; null before the first one.`],
  isLate: [z.boolean(), 'Whether the next tick is overdue: no tick has finished for five minutes.'],
  polledUntil: [
    MomentText.nullable(),
    `The latest minute for which all polls were sent: ${MOMENT}.`,
  ],
  fallback: [
    Provider.nullable(),
    'The fallback provider in use; null while the first of `providers` is in use.',
  ],
  missed: [
    count,
    'The number of ticks that failed in the last day. Later ticks did the work of the failed ones.',
  ],
});

const ProviderDenial = object('ProviderDenial', 'An operation that a provider denies.', {
  user: [
    UpstreamUser,
    'The purpose of the denied calls: polls (`polling`) or requests to the v2.2 API (`interface`).',
  ],
  what: [z.string(), 'The denied operation, in words.'],
  reason: [z.string(), 'The reason as a code.'],
  since: [MomentText, `The time at which the operation was first denied: ${MOMENT}.`],
  triedAgainAt: [MomentText, `The time of the next attempt: ${MOMENT}.`],
});

const ProviderBudget = object(
  'ProviderBudget',
  "A call budget of a provider, in the provider's units.",
  {
    span: [
      z.enum(['hour', 'day', 'month']),
      'The period of the budget: an hour, a day or a month, in UTC.',
    ],
    limit: [z.int().positive(), 'The units that may be spent in the period.'],
    used: [count, 'The units that polls and requests have spent.'],
    leftForPolls: [
      count,
      'The units that are left for polls. Requests have their own share of the budget.',
    ],
    runsOutAt: [
      MomentText.nullable(),
      `The time at which polls will use up their budget at today's rate: ${MOMENT}; null if the period ends first, and in the first hour of a day.`,
    ],
  },
);

const ProviderReport = object('ProviderReport', 'A data provider.', {
  provider: [Provider, 'The provider.'],
  status: [
    ProviderStatus,
    '`asked`: normal operation. `slowed`: fewer calls for a while, because the provider throttled the stack. `blocked`: no calls until `blockedUntil`. `denied`: the provider rejects the key. `partly_denied`: the provider rejects some operations. `out_of_budget`: polls have used up a budget.',
  ],
  callsPerSecond: [z.number(), 'The current maximum number of calls per second.'],
  mostCallsPerSecond: [z.number(), 'The configured maximum number of calls per second.'],
  blockedUntil: [
    MomentText.nullable(),
    `The time until which the stack makes no calls: ${MOMENT}; null if calls are not blocked.`,
  ],
  keyEndsAt: [
    MomentText.nullable(),
    `The time at which the stack's key expires, if known: ${MOMENT}.`,
  ],
  denials: [z.array(ProviderDenial), 'The operations that the provider denies.'],
  budgets: [z.array(ProviderBudget), 'The budgets of the provider.'],
});

const CadenceReport = object('CadenceReport', 'The poll interval of contracts.', {
  configuredMinutes: [z.int().positive(), 'The configured poll interval, in minutes.'],
  longestMinutes: [
    z.int().positive(),
    'The longest poll interval of any tenant, in minutes. A tenant that needs more than its share is polled less often.',
  ],
  isFarStretched: [
    z.boolean(),
    'Whether the longest interval is more than twice the configured one.',
  ],
  contractsThatFit: [
    count.nullable(),
    'The number of contracts that the rate limit and the budget allow at the configured interval; null before the first tick.',
  ],
});

export const QueueReport = object(
  'QueueReport',
  'A queue, with the approximate numbers of messages that SQS reports.',
  {
    queue: [z.enum(['contracts', 'lists', 'channels']), 'The name of the queue.'],
    waiting: [count, 'Messages that are waiting to be received.'],
    underWay: [count, 'Messages that a function is processing.'],
    deadLetters: [
      count,
      'Messages that failed repeatedly; `npm run operate -- redrive` moves them back to the queue.',
    ],
  },
);
export type QueueReport = Answered<typeof QueueReport>;

const TenantReport = object('TenantReport', 'The polls of a tenant.', {
  tenant: [z.string(), 'The tenant; `#` for contracts without a tenant.'],
  contracts: [
    count,
    'The number of contracts of the tenant. A contract that two tenants share counts as half a contract for each.',
  ],
  cadenceMinutes: [z.int().positive(), "The poll interval of the tenant's contracts, in minutes."],
  unitsInDay: [count, "The units that the tenant's polls have spent today (UTC)."],
  unitsInMonth: [count, "The units that the tenant's polls have spent this month."],
});

export const Operations = object('Operations', 'The state of the stack.', {
  at: [MomentText, 'The time of this report.'],
  tick: [Tick, 'The last tick.'],
  providers: [
    z.array(ProviderReport),
    'The providers. Polls go to the first one while it is available.',
  ],
  cadence: [CadenceReport, 'The poll interval of contracts.'],
  queues: [z.array(QueueReport), 'The queues.'],
  overdueSince: [
    MomentText.nullable(),
    `The time at which the oldest overdue alert or change was due: ${MOMENT}; null if nothing is overdue.`,
  ],
  tenants: [z.array(TenantReport), 'The tenants whose contracts are polled.'],
});
export type Operations = Answered<typeof Operations>;
