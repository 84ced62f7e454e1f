import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { GovernorRecord } from './governor.ts';
import type { TenantSpending } from './tenant-shares.ts';

/** How far the planner has come. */
export type PollProgress = {
  readonly version: number;
  /** When the last pass ended; absent before the first. */
  readonly tickedAt?: Instant | undefined;
  /** The last minute whose polls were all made; unchanged while no provider may be asked. */
  readonly polledUntil: Minute;
  /** The pass that is under way; absent while none is. */
  readonly claim?: Claim | undefined;
  /** Contracts whose polls failed: they are due again in the next pass. */
  readonly again: readonly ContractKey[];
  /** The provider that the last pass planned for, if the first could not be asked. */
  readonly standsIn?: Provider | undefined;
  /** What polls have cost each tenant; absent before the first. */
  readonly spending?: TenantSpending | undefined;
};

/** A pass has these minutes to itself until it is done, or until its invocation has timed out. */
type Claim = {
  readonly until: Minute;
  readonly expiresAt: Instant;
};

/** The account of a provider after the calls of a pass were charged to it. */
export type Charge = { readonly provider: Provider; readonly governor: GovernorRecord };

/** More failed polls than these are not noted one by one: the whole pass is repeated. */
const MOST_AGAIN = 200;

/** Progress of a stage whose planner has never run. */
export function newPollProgress(now: Instant): PollProgress {
  return { version: 0, polledUntil: Math.floor(now / MINUTE) - 1, again: [] };
}

/** Whether a pass is under way that may still make calls. */
export function isClaimed({ claim }: PollProgress, now: Instant): boolean {
  return claim !== undefined && claim.expiresAt > now;
}

/** The progress after a pass. */
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

/** Milliseconds without a pass before it is a trouble: a tick may be missed, and a pass be long. */
export const LATE_AFTER = 5 * MINUTE;
