import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import {
  type GovernorRecord,
  leftAt,
  spentAt,
  startOfNextDay,
  startOfNextHour,
  startOfNextMonth,
} from './governor.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** A budget of a provider, in its units. */
type BudgetForecast = {
  readonly span: 'hour' | 'day' | 'month';
  readonly limit: number;
  /** By polls and requests together. */
  readonly used: number;
  /** What polls may still spend: the share of requests is not theirs. */
  readonly leftForPolls: number;
  /** When polls have spent all, at the pace of this day; undefined if the span ends before. */
  readonly runsOutAt: Instant | undefined;
};

/** A pace that is measured over less than this says nothing. */
const LEAST_MEASURED = HOUR;

/** The budgets of a provider: what is used, and when polls run out of them. */
export function budgetForecasts(
  record: GovernorRecord,
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
