import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { RateLimiterRecord } from './rate-limiter.ts';
import type { TenantSpending } from './tenant-shares.ts';

/** Progress of the planner. */
export type PollProgress = {
  readonly version: number;
  /** When the last pass ended; absent before the first. */
  readonly tickedAt?: Instant | undefined;
  /**
   * The last minute whose polls were all made. It does not advance while no provider may be called.
   */
  readonly polledUntil: Minute;
  /** The running pass; absent if there is none. */
  readonly claim?: Claim | undefined;
  /** Contracts whose polls failed. The next pass polls them again. */
  readonly again: readonly ContractKey[];
  /**
   * Set if the main provider could not be called: the provider for which the last pass was planned.
   */
  readonly fallback?: Provider | undefined;
  /** Units that polls have cost each tenant; absent before the first. */
  readonly spending?: TenantSpending | undefined;
};

/**
 * The exclusive right of a pass to make the polls of the minutes up to `until`. The claim ends with
 * the pass, or when the invocation has timed out.
 */
type Claim = {
  readonly until: Minute;
  readonly expiresAt: Instant;
};

/** The rate limiter of a provider after the calls of a pass were charged to it. */
export type Charge = { readonly provider: Provider; readonly rateLimiter: RateLimiterRecord };

/**
 * Maximum number of failed polls that are recorded individually. If more fail, the next pass
 * repeats all polls.
 */
const MOST_AGAIN = 200;

/** The progress of a stage whose planner has never run. */
export function newPollProgress(now: Instant): PollProgress {
  return { version: 0, polledUntil: Math.floor(now / MINUTE) - 1, again: [] };
}

/** Whether a running pass may still make calls. */
export function isClaimed({ claim }: PollProgress, now: Instant): boolean {
  return claim !== undefined && claim.expiresAt > now;
}

/** The progress after a pass, which records the failed polls and ends the claim. */
export function passed(
  { claim, ...progress }: PollProgress,
  failed: readonly ContractKey[],
  now: Instant,
): PollProgress {
  const ended = { ...progress, tickedAt: now };
  if (claim === undefined || failed.length > MOST_AGAIN) return ended;
  const polledUntil = Math.max(claim.until, progress.polledUntil);
  return { ...ended, polledUntil, again: failed };
}

/**
 * Time without a finished pass after which the planner is considered late. A missed tick or a long
 * pass does not take this long.
 */
export const LATE_AFTER = 5 * MINUTE;
