import * as z from 'zod';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Provider } from '#shared/domain/market/provider.ts';

/** The two users of the upstream: polls, and requests of clients of the v2.2 interface. */
export const UpstreamUser = z.enum(['polling', 'interface']);
export type UpstreamUser = z.output<typeof UpstreamUser>;

/**
 * Percent of the budgets that is reserved for each user. The rest goes to whoever spends it first.
 * The whole rate is divided in the same proportion.
 */
export const UpstreamShares = z
  .strictObject({
    polling: z.int().min(1, 'expected at least 1'),
    interface: z.int().min(1, 'expected at least 1'),
  })
  .refine(
    (shares) => shares.polling + shares.interface <= 100,
    'expected the sum of "polling" and "interface" to be at most 100',
  );
export type UpstreamShares = z.output<typeof UpstreamShares>;

/** The limits of the upstream, which apply to all callers of a stack together. */
export type UpstreamLimits = {
  readonly provider: Provider;
  readonly callsPerSecond: number;
  /** Undefined if the provider sets no limit for an hour. */
  readonly budgetPerHour?: number | undefined;
  readonly budgetPerDay: number;
  readonly budgetPerMonth: number;
  /** Cost of each call, in the units of the budgets. */
  readonly costs: Readonly<Record<UpstreamCall, number>>;
  readonly shares: UpstreamShares;
};

/**
 * Number of calls that a user may start in one of the upstream's rate windows: a whole number, at
 * least one. The numbers of both users add up to the rate.
 */
export function callsPerWindow(
  user: UpstreamUser,
  { callsPerSecond, shares }: Pick<UpstreamLimits, 'callsPerSecond' | 'shares'>,
): number {
  const all = callsPerSecond * RATE_WINDOW_SECONDS;
  const divided = Math.round((all * shares.interface) / (shares.polling + shares.interface));
  const forInterface = Math.min(Math.max(divided, 1), all - 1);
  return user === 'interface' ? forInterface : all - forInterface;
}

/**
 * Units that one tenant's requests may cost in a day: half of what all requests may cost, so that
 * the other half remains for other tenants.
 */
export function unitsOfTenant({
  budgetPerDay,
  budgetPerMonth,
  shares,
}: Pick<UpstreamLimits, 'budgetPerDay' | 'budgetPerMonth' | 'shares'>): number {
  const daily = Math.min(budgetPerDay, budgetPerMonth / LONGEST_MONTH_DAYS);
  return Math.floor((daily * (100 - shares.polling)) / 100 / 2);
}

const LONGEST_MONTH_DAYS = 31;

/** Length of the windows in which the upstream counts calls. */
export const RATE_WINDOW_SECONDS = 4;
