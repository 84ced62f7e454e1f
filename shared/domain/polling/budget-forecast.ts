import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import {
  leftAt,
  type RateLimiterRecord,
  spentAt,
  startOfNextDay,
  startOfNextHour,
  startOfNextMonth,
} from './rate-limiter.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** A budget of a provider, in its units. */
type BudgetForecast = {
  readonly span: 'hour' | 'day' | 'month';
  readonly limit: number;
  /** Units that polls and requests have used together. */
  readonly used: number;
  /** Units that polls may still spend, excluding those reserved for requests. */
  readonly leftForPolls: number;
  /**
   * When polls will have spent their units at today's pace; undefined if the day or month ends
   * before that.
   */
  readonly runsOutAt: Instant | undefined;
};

/** Minimum time over which a pace can be measured. */
const LEAST_MEASURED = HOUR;

/** The budgets of a provider: the units used, and when the units for polls will be spent. */
export function budgetForecasts(
  record: RateLimiterRecord,
  limits: UpstreamLimits,
  now: Instant,
): readonly BudgetForecast[] {
  const spent = spentAt(record.spent, now);
  const left = leftAt(record.spent, 'polling', limits, now);
  const measured = now % DAY;
  const perMillisecond = measured < LEAST_MEASURED ? 0 : spent.inDay.polling / measured;
  const forecast = (
    span: BudgetForecast['span'],
    limit: number,
    used: { readonly polling: number; readonly interface: number },
    leftForPolls: number,
    end: Instant,
  ): BudgetForecast => {
    const at = leftForPolls <= 0 ? now : Math.ceil(now + leftForPolls / perMillisecond);
    return {
      ...{ span, limit, used: used.polling + used.interface },
      leftForPolls: Math.max(0, leftForPolls),
      runsOutAt: at < end ? at : undefined,
    };
  };
  const { budgetPerHour, budgetPerDay, budgetPerMonth } = limits;
  return [
    ...(budgetPerHour === undefined
      ? []
      : [
          forecast(
            'hour',
            budgetPerHour,
            spent.inHour ?? { polling: 0, interface: 0 },
            left.inHour,
            startOfNextHour(now),
          ),
        ]),
    forecast('day', budgetPerDay, spent.inDay, left.inDay, startOfNextDay(now)),
    forecast('month', budgetPerMonth, spent.inMonth, left.inMonth, startOfNextMonth(now)),
  ];
}
