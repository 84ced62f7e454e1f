import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';
import { denialsOf, type GovernorRecord, rateAt, whyStopped } from './governor.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** Whether a provider is asked as often as it may be. */
export const ProviderStanding = z.enum([
  'asked',
  'slowed',
  'partly_denied',
  'denied',
  'blocked',
  'out_of_budget',
]);
export type ProviderStanding = z.output<typeof ProviderStanding>;

/** How polls fare with a provider: the worst that holds. */
export function providerStanding(
  record: GovernorRecord,
  limits: UpstreamLimits,
  now: Instant,
): ProviderStanding {
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
