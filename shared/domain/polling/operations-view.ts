import { formatInstant, type Instant, MINUTE, momentOf } from '#shared/domain/market/instant.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { budgetForecasts } from '#shared/domain/polling/budget-forecast.ts';
import { type Cadences, isFarStretched, longestCadence } from '#shared/domain/polling/cadences.ts';
import { LATE_AFTER, type PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { providerStatus } from '#shared/domain/polling/provider-status.ts';
import { denialsOf, type RateLimiterRecord, rateAt } from '#shared/domain/polling/rate-limiter.ts';
import { operationInWords } from '#shared/domain/polling/series-health.ts';
import {
  NOTHING_SPENT,
  type TenantSpending,
  tenantSpendingAt,
} from '#shared/domain/polling/tenant-shares.ts';
import { type UpstreamLimits, UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';

export function tickView(progress: PollProgress | undefined, now: Instant) {
  const tickedAt = progress?.tickedAt;
  return {
    at: momentOf(tickedAt),
    isLate: tickedAt === undefined || now - tickedAt > LATE_AFTER,
    polledUntil: momentOf(progress && progress.polledUntil * MINUTE),
    fallback: progress?.fallback ?? null,
  };
}

export function providerView(
  limits: UpstreamLimits,
  record: RateLimiterRecord,
  keyEndsAt: Instant | undefined,
  now: Instant,
) {
  const { blockedUntil = 0 } = record;
  return {
    provider: limits.provider,
    status: providerStatus(record, limits, now),
    callsPerSecond: Math.floor(rateAt(record, limits, now) * 100) / 100,
    mostCallsPerSecond: limits.callsPerSecond,
    blockedUntil: momentOf(blockedUntil > now ? blockedUntil : undefined),
    keyEndsAt: momentOf(keyEndsAt),
    denials: UpstreamUser.options.flatMap((user) =>
      denialsOf(record, user, now).map(({ operation, reason, since, probeAt }) => ({
        user,
        what: operationInWords(operation),
        reason,
        since: formatInstant(since),
        triedAgainAt: formatInstant(probeAt),
      })),
    ),
    budgets: budgetForecasts(record, limits, now).map(
      ({ span, limit, used, leftForPolls, runsOutAt }) => ({
        span,
        limit,
        used,
        leftForPolls,
        runsOutAt: momentOf(runsOutAt),
      }),
    ),
  };
}

export function cadenceView(cadences: Cadences, configuredMinutes: number) {
  const longestMinutes = longestCadence(cadences, configuredMinutes);
  return {
    configuredMinutes,
    longestMinutes,
    isFarStretched: isFarStretched(longestMinutes, configuredMinutes),
    contractsThatFit: cadences.capacity === undefined ? null : Math.floor(cadences.capacity),
  };
}

export function tenantsView(
  { contracts, stretched }: Cadences,
  spending: TenantSpending | undefined,
  configuredMinutes: number,
  now: Instant,
) {
  const { inDay, inMonth } = tenantSpendingAt(spending ?? NOTHING_SPENT, now);
  const names = new Set([...Object.keys(contracts), ...inMonth.keys()]);
  return [...names].toSorted().map((tenant) => ({
    tenant,
    contracts: Math.ceil(ownMember(contracts, tenant) ?? 0),
    cadenceMinutes: ownMember(stretched, tenant)?.minutes ?? configuredMinutes,
    unitsInDay: Math.ceil(inDay.get(tenant) ?? 0),
    unitsInMonth: Math.ceil(inMonth.get(tenant) ?? 0),
  }));
}
