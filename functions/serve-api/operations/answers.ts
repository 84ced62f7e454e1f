import * as z from 'zod';
import { Provider } from '#shared/domain/market/provider.ts';
import { ProviderStanding } from '#shared/domain/polling/provider-standing.ts';
import { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

const count = z.int().min(0);

const Tick = object('Tick', 'The last tick, with which the work of a minute begins.', {
  at: [MomentText.nullable(), `When it was: ${MOMENT}; null before the first.`],
  isLate: [z.boolean(), 'Whether the next one is overdue: none has finished for five minutes.'],
  polledUntil: [MomentText.nullable(), `The last minute whose polls were all sent: ${MOMENT}.`],
  standsIn: [
    Provider.nullable(),
    'The fallback provider in use; null while the first provider can be asked.',
  ],
  missed: [count, 'Ticks that failed in the last 14 days; the next one made up for each.'],
});

const ProviderDenial = object('ProviderDenial', 'What a provider denies.', {
  user: [UpstreamUser, 'The denied user: `polling`, or the `interface` v2.2.'],
  what: [z.string(), 'The denied operation, for people.'],
  reason: [z.string(), 'The reason as a code.'],
  since: [MomentText, `Since when: ${MOMENT}.`],
  triedAgainAt: [MomentText, `When it is tried again: ${MOMENT}.`],
});

const ProviderBudget = object('ProviderBudget', 'A budget of a provider, in its units.', {
  span: [z.enum(['hour', 'day', 'month']), 'Its period: an hour, a day or a month, in UTC.'],
  limit: [z.int().positive(), 'The units that may be spent.'],
  used: [count, 'The units that polls and requests have spent.'],
  leftForPolls: [count, 'What polls may still spend: requests have a share of their own.'],
  runsOutAt: [
    MomentText.nullable(),
    `When polls have spent theirs, at the pace of this day: ${MOMENT}; null if the span ends before, and in the first hour of a day.`,
  ],
});

const ProviderReport = object('ProviderReport', 'A data provider.', {
  provider: [Provider, 'The provider.'],
  standing: [
    ProviderStanding,
    '`asked`: all is well. `slowed`: fewer calls for a while, since it said that there were too many. `blocked`: none until `blockedUntil`. `denied`: it refuses the key. `partly_denied`: it refuses some operations. `out_of_budget`: polls have spent a budget.',
  ],
  callsPerSecond: [z.number(), 'The calls in a second that are made now at most.'],
  mostCallsPerSecond: [z.number(), 'The calls in a second that may be made.'],
  blockedUntil: [MomentText.nullable(), `Until when it is not asked: ${MOMENT}; null if it is.`],
  keyEndsAt: [
    MomentText.nullable(),
    `When our key of it ends, as far as that is known: ${MOMENT}.`,
  ],
  denials: [z.array(ProviderDenial), 'What it denies.'],
  budgets: [z.array(ProviderBudget), 'Its budgets.'],
});

const CadenceReport = object('CadenceReport', 'How often contracts are polled.', {
  configuredMinutes: [z.int().positive(), 'The minutes between two polls, as configured.'],
  longestMinutes: [
    z.int().positive(),
    'The longest of all tenants: a tenant that needs more than its share is polled less often.',
  ],
  isFarStretched: [z.boolean(), 'Whether that is more than twice as long.'],
  contractsThatFit: [
    count.nullable(),
    'The contracts that rate and budget carry as configured; null before the first tick.',
  ],
});

export const QueueReport = object(
  'QueueReport',
  'A queue. SQS counts its messages approximately.',
  {
    queue: [
      z.enum(['contracts', 'lists', 'channels']),
      'The kind of work that its messages announce.',
    ],
    waiting: [count, 'Messages that wait.'],
    underWay: [count, 'Messages that a function handles now.'],
    deadLetters: [
      count,
      'Messages that kept failing; `npm run operate -- redrive` moves them back.',
    ],
  },
);
export type QueueReport = Answered<typeof QueueReport>;

const TenantReport = object('TenantReport', 'What is polled for a tenant.', {
  tenant: [z.string(), 'The tenant; `#` for contracts of none.'],
  contracts: [count, 'Its contracts; a contract of several tenants counts for each in part.'],
  cadenceMinutes: [z.int().positive(), 'The minutes between two polls of one.'],
  unitsInDay: [count, 'The units that its polls have spent in this day, in UTC.'],
  unitsInMonth: [count, 'The units that its polls have spent in this month.'],
});

export const Operations = object('Operations', 'The state of the stack.', {
  at: [MomentText, 'When that was read.'],
  tick: [Tick, 'The last tick.'],
  providers: [z.array(ProviderReport), 'The providers; polls are planned for the first.'],
  cadence: [CadenceReport, 'How often contracts are polled.'],
  queues: [z.array(QueueReport), 'The queues.'],
  overdueSince: [
    MomentText.nullable(),
    `Since when the oldest alert or change is due that is still to be handed on: ${MOMENT}; null if none is.`,
  ],
  tenants: [z.array(TenantReport), 'The tenants that are polled for.'],
});
export type Operations = Answered<typeof Operations>;
