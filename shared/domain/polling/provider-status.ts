import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';
import { denialsOf, type RateLimiterRecord, rateAt, whyStopped } from './rate-limiter.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/**
 * The status of polls at a provider: at the full rate (`asked`), at a reduced rate (`slowed`), or
 * partly or wholly stopped.
 */
export const ProviderStatus = z.enum([
  'asked',
  'slowed',
  'partly_denied',
  'denied',
  'blocked',
  'out_of_budget',
]);
export type ProviderStatus = z.output<typeof ProviderStatus>;

/** The status of polls at a provider; if several apply, the one that stops more calls. */
export function providerStatus(
  record: RateLimiterRecord,
  limits: UpstreamLimits,
  now: Instant,
): ProviderStatus {
  const cheapest = Math.min(...Object.values(limits.costs));
  const stopped = whyStopped(record, 'polling', Math.max(1, cheapest), limits, now);
  if (stopped?.reason === 'blocked') return 'blocked';
  if (stopped?.reason === 'budget') return 'out_of_budget';
  const denials = denialsOf(record, 'polling', now);
  if (denials.length > 0) {
    return denials.some(({ operation }) => operation === undefined) ? 'denied' : 'partly_denied';
  }
  return rateAt(record, limits, now) < limits.callsPerSecond ? 'slowed' : 'asked';
}
