import { formatInstant, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { isAnsweredBy } from '#shared/domain/market/operations.ts';
import { type Cadences, isFarStretched, longestCadence } from '#shared/domain/polling/cadences.ts';
import { LATE_AFTER, type PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { denialsOf, type RateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { operationInWords } from '#shared/domain/polling/series-health.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import type { ReadContractsPorts } from './ports.ts';

/** The health of the stack: its failures, and the last minute for which all polls were sent. */
export type HealthCheck = {
  readonly dispatchedAt: Instant | undefined;
  readonly troubles: readonly string[];
  /** Limitations that are not failures. */
  readonly notes: readonly string[];
};

/** Minimum seconds between two reads of the table, regardless of the number of requests. */
export const HEALTH_SECONDS = 10;
/** Creates a health check for the public. It hides tenants, and caches its result. */
export function createHealthCheck(
  ports: Pick<
    ReadContractsPorts,
    'now' | 'getProgress' | 'getRateLimiter' | 'getCadences' | 'configuredCadenceMinutes'
  >,
): () => Promise<HealthCheck> {
  const check = async () => {
    const now = ports.now();
    const [progress, rateLimiter, cadences] = await Promise.all([
      ports.getProgress(),
      ports.getRateLimiter(),
      ports.getCadences(),
    ]);
    const { dispatchedAt, late, denials } = healthOf(progress, rateLimiter, now);
    const fallback = progress?.fallback;
    const notes = stretched(cadences, ports.configuredCadenceMinutes);
    if (fallback === undefined) return { dispatchedAt, troubles: [...late, ...denials], notes };
    if (!isAnsweredBy(fallback, 'floor')) {
      const said = `${fallback} is used as a fallback for sales, but reports no floors`;
      return { dispatchedAt, troubles: [...late, ...denials], notes: [said, ...notes] };
    }
    // The fallback reports prices, so a denial by the first provider is not a failure.
    const reasons = denials.length === 0 ? '' : `: ${denials.join('; ')}`;
    const said = `${fallback} is used as a fallback${reasons}`;
    return { dispatchedAt, troubles: late, notes: [said, ...notes] };
  };
  return remembered(check, HEALTH_SECONDS * SECOND, ports.now);
}

function healthOf(
  progress: PollProgress | undefined,
  rateLimiter: RateLimiterRecord,
  now: Instant,
) {
  const dispatchedAt = progress === undefined ? undefined : progress.polledUntil * MINUTE;
  const isLate = dispatchedAt === undefined || now - dispatchedAt > LATE_AFTER;
  const since = dispatchedAt === undefined ? '' : ` since ${formatInstant(dispatchedAt)}`;
  return {
    dispatchedAt,
    late: isLate ? [`no polls have been sent${since}`] : [],
    denials: denialsOf(rateLimiter, 'polling', now).map(
      ({ operation, since }) =>
        `the data provider has denied access to ${operationInWords(operation)} since ${formatInstant(since)}`,
    ),
  };
}

function stretched(cadences: Cadences, configuredMinutes: number): readonly string[] {
  const longest = longestCadence(cadences, configuredMinutes);
  return isFarStretched(longest, configuredMinutes)
    ? [`some contracts are polled every ${longest} minutes, instead of every ${configuredMinutes}`]
    : [];
}
